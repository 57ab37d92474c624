import type { JsonObject, JsonValue, PackPreparation, PluginContext, SensorContext } from "../../core/contract/index.ts";
import type { SensorRequest } from "./sensor/sensor-request.ts";

export const engineNames = ["cpython", "pyodide"] as const;

export type EngineName = (typeof engineNames)[number];

/** Maximum length of a result in characters; a longer one would fill the service's memory. */
export const maxReportLength = 64 * 1024 * 1024;

/** Settings and files for one run of a Python action. */
export interface PythonRequest {
	readonly executionId: string;
	/** Absolute path of the file that contains the action's class. */
	readonly entryPoint: string;
	/** Absolute path; the directory of the entry point if the action is not in a pack directory. */
	readonly packDirectory: string;
	/** Folders of the pack with modules, searched first. */
	readonly libraries: readonly string[];
	/** Directories with modules that packs import, searched last. */
	readonly pythonPaths: readonly string[];
	readonly pack: string;
	readonly user: string;
	readonly parameters: JsonObject;
	readonly config: JsonObject;
	/** All variables that the action sees, except those that an engine needs itself. They include the service token. */
	readonly environment: Readonly<Record<string, string>>;
	/** Level of the action's logger, such as `AUDIT` or `INFO`. */
	readonly logLevel: string;
	/** Aborts on cancellation, timeout and shutdown. The engine must then end the run, whatever the action does. */
	readonly signal: AbortSignal;
}

/** Functions with which a run sends its output and its calls to the service. */
export interface PythonIo {
	/**
	 * Stores a part of the output, which must consist of whole characters. The caller must await it, since it applies back-pressure. If it
	 * rejects, the run must end.
	 */
	emit(type: "stdout" | "stderr", text: string): Promise<void>;
	/** Calls the service's API on behalf of the action, for engines in which Python cannot open connections. Never rejects. */
	service(call: ServiceCall): Promise<ServiceAnswer>;
}

export interface ServiceCall {
	readonly method: "GET" | "PUT" | "DELETE";
	/** Path below the API's base address, including the query, such as `/keys/name?scope=system`. */
	readonly path: string;
	readonly body?: JsonValue;
}

export interface ServiceAnswer {
	/** HTTP status; 0 if there was no answer. In that case `text` contains the reason. */
	readonly status: number;
	readonly text: string;
}

/** Report of the Python driver on the result channel. It is sent exactly once, unless the run ends earlier (python/svc/driver.py). */
export type PythonReport =
	/** The method `run` returned. `status` is the flag of a `(status, result)` tuple, or null. */
	| { readonly status: boolean | null; readonly result: JsonValue }
	/** The action is unusable, for example because the class is missing or the status has the wrong type. */
	| { readonly failure: { readonly error: string; readonly traceback: string } };

export interface PythonEnd {
	/** Exit code; the negated signal number if a signal ended the process. */
	readonly exitCode: number;
	/** Report of the driver. Absent if `run` raised an exception, called `sys.exit` or did not complete. */
	readonly report?: PythonReport;
	/** Reason for which the engine ended the run, other than the abort signal; for example too much memory. */
	readonly error?: string;
}

/** A program of the runner that processes a pack. */
export interface PythonTool {
	/** Name of the program's file, which is next to the driver. */
	readonly script: string;
	readonly pack: string;
	/** Absolute path of the pack's directory. */
	readonly packDirectory: string;
	/** True if the tool loads and tests code of the pack. It then needs a virtualenv with the requirements of the pack and of its tests. */
	readonly loadsPack: boolean;
	/** Value that the tool reads from standard input as JSON. */
	readonly request: JsonValue;
	readonly signal: AbortSignal;
	/** Receives the data that the tool writes to descriptor 3. */
	onReport(text: string): void;
	/** Receives the data that the tool prints. */
	onOutput(text: string): void;
}

/** An implementation that runs Python. One instance serves all executions of the service concurrently. */
export interface PythonEngine {
	readonly name: EngineName;
	/** Version of Python, such as `3.11.7`. Valid after `start` has resolved. */
	readonly version: string;
	/** Checks that the engine can run here. Rejects with `SVC_CONFIG` and the missing requirement if it cannot. Keeps no resources open. */
	check(): Promise<void>;
	/** Performs the checks of `check` and prepares for runs. Expensive preparations wait for the first run. */
	start(context: PluginContext): Promise<void>;
	/**
	 * Runs an action. Resolves when the run has ended, its processes are gone and its output is delivered. Rejects if the engine fails, or
	 * with the error of `io.emit`.
	 */
	run(request: PythonRequest, io: PythonIo): Promise<PythonEnd>;
	/** Runs a tool and returns its exit code. Absent if the engine cannot run tools. */
	runTool?(tool: PythonTool): Promise<number>;
	/**
	 * Runs a sensor of a pack until it ends or the context's signal aborts. Rejects with the reason if it fails. Absent if the engine
	 * cannot run sensors.
	 */
	runSensor?(request: SensorRequest, context: SensorContext): Promise<void>;
	/** Installs the requirements of a pack. Rejects with the reason if that fails. Absent if the engine installs nothing. */
	prepare?(pack: PackPreparation): Promise<void>;
	/** Ends all active runs. Also works if `start` failed or was never called. */
	stop(): Promise<void>;
}
