import type { JsonObject, JsonValue, PackPreparation, PluginContext, SensorContext } from "../../core/contract/index.ts";
import type { SensorRequest } from "./sensor/request.ts";

export const engineNames = ["cpython", "pyodide"] as const;

export type EngineName = (typeof engineNames)[number];

/** Most characters of a result; more would fill the service's memory. */
export const longestReport = 64 * 1024 * 1024;

/** What one run of a Python action needs. */
export interface PythonRequest {
	readonly executionId: string;
	/** Absolute path of the file that holds the action's class. */
	readonly entryPoint: string;
	/** Absolute path; the directory of the entry point when the action stands in no pack directory. */
	readonly packDirectory: string;
	/** Folders of the pack with modules, searched first. */
	readonly libraries: readonly string[];
	/** Directories with modules that packs import, searched last. */
	readonly pythonPaths: readonly string[];
	readonly pack: string;
	readonly user: string;
	readonly parameters: JsonObject;
	readonly config: JsonObject;
	/** Every variable that the action sees, besides what an engine needs for itself. Holds the service token. */
	readonly environment: Readonly<Record<string, string>>;
	/** Level of the action's logger, as in `AUDIT`, `INFO`. */
	readonly logLevel: string;
	/** Aborts on cancel, time-out and shutdown: the engine then ends the run for certain, whatever the action does. */
	readonly signal: AbortSignal;
}

/** What a run may do to the outside. */
export interface PythonIo {
	/** Record a piece of output, whole characters. Await it: that is the back-pressure. When it rejects the run must end. */
	emit(type: "stdout" | "stderr", text: string): Promise<void>;
	/** Call the service's API as the action: for engines in which Python cannot open a connection by itself. Never rejects. */
	service(call: ServiceCall): Promise<ServiceAnswer>;
}

export interface ServiceCall {
	readonly method: "GET" | "PUT" | "DELETE";
	/** Below the API's base address, query included, such as `/keys/name?scope=system`. */
	readonly path: string;
	readonly body?: JsonValue;
}

export interface ServiceAnswer {
	/** 0 when there was no answer; `text` then says why. */
	readonly status: number;
	readonly text: string;
}

/** What the Python driver reports over the result channel, exactly once, unless it was ended before (python/svc/driver.py). */
export type PythonReport =
	/** `run` returned. `status` is the flag of a `(status, result)` tuple, or null. */
	| { readonly status: boolean | null; readonly result: JsonValue }
	/** The action could not be used: no class, a wrong kind of status. */
	| { readonly failure: { readonly error: string; readonly traceback: string } };

export interface PythonEnd {
	/** Exit code; a signal's number, negated, when one ended it. */
	readonly exitCode: number;
	/** Absent when `run` raised, called `sys.exit` or did not come to its end. */
	readonly report?: PythonReport;
	/** Why the engine ended the run, when it did so for another reason than the signal, such as too much memory. */
	readonly error?: string;
}

/** A program of the runner's own that works at a pack. */
export interface PythonTool {
	/** Name of its file beside the driver. */
	readonly script: string;
	readonly pack: string;
	/** Absolute. */
	readonly packDirectory: string;
	/** Whether it loads code of the pack to test it, and so needs a virtualenv with what the pack and its tests require. */
	readonly loadsPack: boolean;
	/** What it reads on standard input, as JSON. */
	readonly request: JsonValue;
	readonly signal: AbortSignal;
	/** Take what it writes to descriptor 3. */
	onReport(text: string): void;
	/** Take what it prints. */
	onOutput(text: string): void;
}

/** A way to run Python. One instance serves all executions of the service, many at a time. */
export interface PythonEngine {
	readonly name: EngineName;
	/** Of the language, such as `3.11.7`. Valid once `start` has resolved. */
	readonly version: string;
	/** Find what it needs; rejects with `SVC_CONFIG` and what is missing when it cannot run here. Leaves nothing open. */
	check(): Promise<void>;
	/** The same, and be ready for runs. Cheap: heavy things wait for the first one. */
	start(context: PluginContext): Promise<void>;
	/**
	 * Resolves when the run has ended, nothing of it is left and its output was delivered. Rejects when the engine could not do its
	 * work, or with what `io.emit` rejected.
	 */
	run(request: PythonRequest, io: PythonIo): Promise<PythonEnd>;
	/** Run a tool; its exit code. Absent of an engine that cannot. */
	runTool?(tool: PythonTool): Promise<number>;
	/** Run a sensor of a pack until it ends or the context's signal aborts. Rejects with why it failed. Absent: it cannot. */
	runSensor?(request: SensorRequest, context: SensorContext): Promise<void>;
	/** Make ready what a pack needs. Rejects with why it cannot be. */
	prepare?(pack: PackPreparation): Promise<void>;
	/** Ends what still runs. Copes with a start that failed or never was. */
	stop(): Promise<void>;
}
