import { type PackAtWork, type PackFinding, SvcError } from "../../../core/contract/index.ts";
import type { Engines } from "../engines.ts";
import { findPythonFiles } from "./find-python-files.ts";
import { runTool } from "./tool-run.ts";

/** Whether the Python files of a pack can be compiled. Nothing of them is run, and nothing is written. */
export async function inspectFiles(engines: Engines, pack: PackAtWork): Promise<readonly PackFinding[]> {
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
