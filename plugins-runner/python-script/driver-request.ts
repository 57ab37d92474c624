import { isSvcError, maxLargeNumbers, parseJson, stringifyJson } from "../../core/contract/index.ts";
import type { PythonReport, PythonRequest } from "./engine.ts";

/**
 * Returns the input of the Python driver (python/svc/driver.py): JSON without surrounding white space. Paths are those that Python sees.
 */
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

/** Parses the driver's report; returns undefined if the run ended before the report was complete. */
export function parseReport(text: string): PythonReport | undefined {
	try {
		return parseJson(text, maxLargeNumbers) as PythonReport;
	} catch (error) {
		// The JSON is complete, but contains a number that cannot be represented.
		if (isSvcError(error)) throw error;
		// Python ended while it wrote the report; the exit code shows that.
		return undefined;
	}
}
