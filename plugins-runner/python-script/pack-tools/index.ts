import { readdir } from "node:fs/promises";
import {
	type JsonObject,
	type JsonValue,
	type PackFinding,
	type PackTestRequest,
	type PackTestResult,
	type PackTools,
	type PackWorkingCopy,
	parseJson,
	SvcError,
} from "../../../core/contract/index.ts";
import type { Engines } from "../engines.ts";

/** Looks at Python files of packs, and runs their unit tests. `pythonPaths`: directories with modules that packs import. */
export function createPackTools(engines: Engines, pythonPaths: () => readonly string[]): PackTools {
	return {
		inspect: (pack) => inspectFiles(engines, pack),
		test: (request) => runTests(engines, request, pythonPaths()),
	};
}

/** Whether the Python files of a pack can be compiled. Nothing of them is run, and nothing is written. */
async function inspectFiles(engines: Engines, pack: PackWorkingCopy): Promise<readonly PackFinding[]> {
	const files = await findPythonFiles(pack.directory);
	if (files.length === 0) return [];
	const { exitCode, report, output } = await runTool(engines, pack, { script: "check_files.py", loadsPack: false, request: { files } });
	if (exitCode !== 0) throw new SvcError("SVC_RUNNER", `python ended with ${exitCode}: ${output.trim().slice(-500)}`);
	return report.map(({ file, line, message }) => ({
		type: "error",
		file: String(file),
		line: typeof line === "number" && line > 0 ? line : null,
		path: null,
		message: String(message),
	}));
}

const folder = "tests";
const kind = "python";

/** Run the unit tests in `tests` of a pack, with the modules that its actions and sensors have. */
async function runTests(engines: Engines, request: PackTestRequest, pythonPaths: readonly string[]): Promise<readonly PackTestResult[]> {
	const files = (await findPythonFiles(request.directory, folder)).filter((file) => /(?:^|\/)test[^/]*\.py$/.test(file));
	if (files.length === 0) return [];
	const { pack, directory, only = "" } = request;
	const tool = { script: "run_tests.py", loadsPack: true, request: { pack, pack_directory: directory, python_paths: pythonPaths, only } };
	const { exitCode, report, output } = await runTool(engines, request, tool);
	const results = report.filter(({ name }) => typeof name === "string").map(toResult);
	if (report.some(({ end }) => end === true)) return results;
	// The tests have taken the interpreter down, and the results of those behind are not known.
	const problem = `the tests ended early, with exit code ${exitCode}: ${output.trim()}`;
	return [...results, { kind, file: folder, name: "all tests come to their end", problems: [problem], milliseconds: 0 }];
}

function toResult({ file, name, problems, skipped, milliseconds }: JsonObject): PackTestResult {
	return {
		kind,
		file: String(file),
		name: String(name),
		problems: Array.isArray(problems) ? problems.map(String) : [],
		...(typeof skipped === "string" && { skipped }),
		milliseconds: Number(milliseconds) || 0,
	};
}

/** Most files of a pack that are looked at, and how deep they lie at most. */
const limits = { files: 5_000, depth: 20 };

/** Paths of Python files in a pack or a folder of it, with `/`, sorted. Links are not followed. */
async function findPythonFiles(directory: string, folder = "", depth = 0): Promise<readonly string[]> {
	const entries = await readdir(`${directory}/${folder}`, { withFileTypes: true }).catch(() => []);
	const found: string[] = [];
	for (const entry of entries) {
		if (entry.name.startsWith(".") || entry.name === "__pycache__" || entry.name === "node_modules") continue;
		const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
		if (entry.isDirectory() && depth < limits.depth) found.push(...(await findPythonFiles(directory, path, depth + 1)));
		else if (entry.isFile() && entry.name.endsWith(".py")) found.push(path);
		if (found.length >= limits.files) break;
	}
	return found.slice(0, limits.files).sort();
}

/** Characters at the end of what a tool prints that are kept. */
const keptOutput = 10_000;
/** Most characters of its report. */
const longestReport = 16 * 1024 * 1024;

interface ToolRun {
	/** Name of its file beside the driver. */
	readonly script: string;
	/** Whether it loads code of the pack. */
	readonly loadsPack: boolean;
	readonly request: JsonValue;
}

interface ToolEnd {
	readonly exitCode: number;
	/** Lines of its report. */
	readonly report: readonly JsonObject[];
	/** The end of what was printed. */
	readonly output: string;
}

/** Run a tool, which reports in lines of JSON. Rejects where no engine here can, and when nobody waits any more. */
async function runTool(engines: Engines, { pack, directory, signal }: PackWorkingCopy, tool: ToolRun): Promise<ToolEnd> {
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
