import { readdir } from "node:fs/promises";
import {
	type JsonObject,
	type JsonValue,
	type PackFinding,
	type PackTestRequest,
	type PackTestResult,
	type PackToolRequest,
	type PackTools,
	parseJson,
	SvcError,
} from "../../../core/contract/index.ts";
import type { Engines } from "../engines.ts";

/**
 * Returns the tools that check Python files of packs and run their unit tests.
 *
 * @param pythonPaths directories with modules that packs import
 */
export function createPackTools(engines: Engines, pythonPaths: () => readonly string[]): PackTools {
	return {
		inspect: (pack) => inspectFiles(engines, pack),
		test: (request) => runTests(engines, request, pythonPaths()),
	};
}

/** Checks that the Python files of a pack compile. Runs no code of the pack and writes no files. */
async function inspectFiles(engines: Engines, pack: PackToolRequest): Promise<readonly PackFinding[]> {
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

/** Runs the unit tests in `tests` of a pack, with the modules that are available to its actions and sensors. */
async function runTests(engines: Engines, request: PackTestRequest, pythonPaths: readonly string[]): Promise<readonly PackTestResult[]> {
	const files = (await findPythonFiles(request.directory, folder)).filter((file) => /(?:^|\/)test[^/]*\.py$/.test(file));
	if (files.length === 0) return [];
	const { pack, directory, only = "" } = request;
	const tool = { script: "run_tests.py", loadsPack: true, request: { pack, pack_directory: directory, python_paths: pythonPaths, only } };
	const { exitCode, report, output } = await runTool(engines, request, tool);
	const results = report.filter(({ name }) => typeof name === "string").map(toResult);
	if (report.some(({ end }) => end === true)) return results;
	// The tests have ended the interpreter, so the results of the remaining tests are unknown.
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

/** Maximum number of files of a pack that are checked, and their maximum depth. */
const limits = { files: 5_000, depth: 20 };

/** Returns the paths of Python files in a pack or one of its folders, sorted, with `/` as separator. Does not follow links. */
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

/** Characters kept from the end of a tool's output. */
const keptOutput = 10_000;
/** Maximum length of a tool's report in characters. */
const maxReportLength = 16 * 1024 * 1024;

interface ToolRun {
	/** Name of the tool's file, which is next to the driver. */
	readonly script: string;
	/** True if the tool loads code of the pack. */
	readonly loadsPack: boolean;
	readonly request: JsonValue;
}

interface ToolEnd {
	readonly exitCode: number;
	/** Lines of the tool's report. */
	readonly report: readonly JsonObject[];
	/** The end of the tool's output. */
	readonly output: string;
}

/** Runs a tool, which reports in lines of JSON. Rejects if the engine here cannot run tools, and when the signal aborts. */
async function runTool(engines: Engines, { pack, directory, signal }: PackToolRequest, tool: ToolRun): Promise<ToolEnd> {
	const engine = await engines.get("auto");
	if (engine.runTool === undefined)
		throw new SvcError("SVC_RUNNER", `the engine ${engine.name} does not support working on packs: install python3`);
	let report = "";
	let output = "";
	const exitCode = await engine.runTool({
		...tool,
		pack,
		packDirectory: directory,
		signal,
		onReport(text) {
			report += text;
			if (report.length > maxReportLength)
				throw new SvcError("SVC_RUNNER", `the report is longer than ${maxReportLength / 1024 / 1024} MiB`);
		},
		onOutput(text) {
			output = (output + text).slice(-keptOutput);
		},
	});
	signal.throwIfAborted();
	return { exitCode, report: toLines(report), output };
}

/** Parses the lines of a report. Skips other lines, which code of the pack may have written to the same descriptor. */
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
