import type { JsonObject, PackTestRequest, PackTestResult } from "../../../core/contract/index.ts";
import type { Engines } from "../engines.ts";
import { findPythonFiles } from "./find-python-files.ts";
import { runTool } from "./tool-run.ts";

const folder = "tests";
const kind = "python";

/** Run the unit tests in `tests` of a pack, with the modules that its actions and sensors have. */
export async function runTests(
	engines: Engines,
	request: PackTestRequest,
	pythonPaths: readonly string[],
): Promise<readonly PackTestResult[]> {
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
