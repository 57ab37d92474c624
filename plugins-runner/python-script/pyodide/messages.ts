/** What a worker process is started with: JSON in its only argument. */
export interface WorkerSettings {
	/** Module of the package pyodide, as an address. */
	readonly pyodide: string;
	readonly snapshot: string;
	/** Digest of what went into the snapshot; one made from something else is of no use. */
	readonly recipe: string;
	/** A directory for this worker alone; the run's pack is linked there. It ends with a slash, as the permission model wants it. */
	readonly directory: string;
	/** Directories with modules that packs import, to be read only; each ends with a slash. */
	readonly pythonPaths: readonly string[];
	/** Bytes of memory for Python. */
	readonly memoryLimit: number;
}

/** What the process that makes a snapshot is started with. */
export interface SnapshotSettings extends Pick<WorkerSettings, "pyodide" | "recipe"> {
	/** Directory of the modules that the snapshot holds. */
	readonly python: string;
	/** Path of the file to write. */
	readonly file: string;
}

/** Descriptors of a worker process. What they carry is one JSON text a line, save for the lifeline. */
export const descriptors = {
	/** To the worker: the run, then answers to its calls. */
	input: 5,
	/** From the worker. */
	output: 3,
	/** Its end ends the worker; any byte on it interrupts Python. The worker says over it that memory ran out. */
	lifeline: 4,
} as const;

/** To the worker, once. */
export interface RunMessage {
	/** For the driver (driver-request.ts). */
	readonly request: string;
	readonly packDirectory: string;
	readonly environment: Readonly<Record<string, string>>;
}

/** To the worker, for each call of the service. */
export interface AnswerMessage {
	readonly status: number;
	readonly text: string;
}

/** Name of the link to the run's pack. */
export const packLink = "pack";

/** From the worker. */
export type WorkerMessage =
	/** It waits for its run. */
	| { readonly type: "ready" }
	/** The snapshot cannot be used; the worker ends. */
	| { readonly type: "broken-snapshot" }
	/** It cannot get ready; the worker ends. */
	| { readonly type: "failed"; readonly reason: string }
	/** `bytes` holds one character for each. */
	| { readonly type: "output"; readonly channel: "stdout" | "stderr"; readonly bytes: string }
	| { readonly type: "call"; readonly method: "GET" | "PUT" | "DELETE"; readonly path: string; readonly body: string | null }
	| { readonly type: "report"; readonly text: string }
	/** The run is over. `error` when the interpreter itself gave up. */
	| { readonly type: "end"; readonly exitCode: number; readonly error?: string };
