import { type JsonObject, type JsonValue, type PackAtWork, parseJson, SvcError } from "../../../core/contract/index.ts";
import type { Engines } from "../engines.ts";

/** Characters at the end of what a tool prints that are kept. */
const keptOutput = 10_000;
/** Most characters of its report. */
const longestReport = 16 * 1024 * 1024;

export interface ToolRun {
	/** Name of its file beside the driver. */
	readonly script: string;
	/** Whether it loads code of the pack. */
	readonly loadsPack: boolean;
	readonly request: JsonValue;
}

export interface ToolEnd {
	readonly exitCode: number;
	/** Lines of its report. */
	readonly report: readonly JsonObject[];
	/** The end of what was printed. */
	readonly output: string;
}

/** Run a tool, which reports in lines of JSON. Rejects where no engine here can, and when nobody waits any more. */
export async function runTool(engines: Engines, { pack, directory, signal }: PackAtWork, tool: ToolRun): Promise<ToolEnd> {
	const engine = await engines.get("auto");
	if (engine.runTool === undefined) throw new SvcError("SVC_RUNNER", `the engine ${engine.name} does not work at packs: install python3`);
	let report = "";
	let output = "";
	const exitCode = await engine.runTool({
		...tool,
		pack,
		packDirectory: directory,
		signal,
		onReport(text) {
			report += text;
			if (report.length > longestReport) throw new SvcError("SVC_RUNNER", `the report is longer than ${longestReport / 1024 / 1024} MiB`);
		},
		onOutput(text) {
			output = (output + text).slice(-keptOutput);
		},
	});
	signal.throwIfAborted();
	return { exitCode, report: toLines(report), output };
}

/** What the pack's code has written there is no line of ours. */
function toLines(report: string): readonly JsonObject[] {
	return report.split("\n").flatMap((line) => {
		try {
			const value: unknown = parseJson(line);
			return typeof value === "object" && value !== null && !Array.isArray(value) ? [value as JsonObject] : [];
		} catch {
			return [];
		}
	});
}
