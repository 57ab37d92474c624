import { SvcError } from "../../../core/contract/index.ts";
import type { PythonEngine } from "../engine.ts";

// biome-ignore lint/suspicious/noEmptyInterface: its members come with the engine
export interface PyodideOptions {}

/** Holds the place of the engine. */
export function createPyodideEngine(_options: PyodideOptions = {}): PythonEngine {
	return {
		name: "pyodide",
		version: "",
		async start() {
			throw new SvcError("SVC_CONFIG", "the engine pyodide is not there yet");
		},
		run: () => Promise.reject(new SvcError("SVC_RUNNER", "the engine pyodide has not been started")),
		async stop() {},
	};
}
