import { isSvcError, maxLargeNumbers, parseJson, stringifyJson } from "../../core/contract/index.ts";
import type { PythonReport, PythonRequest } from "./engine.ts";

/** What the Python driver gets (python/svc/driver.py): JSON without white space around it. Paths as Python sees them. */
export function toDriverRequest(request: Omit<PythonRequest, "environment" | "signal">): string {
	return stringifyJson({
		entry_point: request.entryPoint,
		pack: request.pack,
		pack_directory: request.packDirectory,
		libraries: request.libraries,
		python_paths: request.pythonPaths,
		user: request.user,
		parameters: request.parameters,
		config: request.config,
		log_level: request.logLevel,
	});
}

/** What it reported, or undefined when it did not come so far. */
export function parseReport(text: string): PythonReport | undefined {
	try {
		return parseJson(text, maxLargeNumbers) as PythonReport;
	} catch (error) {
		// The text is whole, and a number in it cannot be read.
		if (isSvcError(error)) throw error;
		// Ended while it wrote, which the exit code tells.
		return undefined;
	}
}
