/** Settings of a worker process, passed as JSON in its only argument. */
export interface WorkerSettings {
	/** URL of the module of the package pyodide. */
	readonly pyodide: string;
	readonly snapshot: string;
	/** Digest of the sources of the snapshot. A worker rejects a snapshot with another digest. */
	readonly recipe: string;
	/**
	 * Directory of this worker alone; it contains the link to the run's pack. The path ends with a slash, as Node's permission model
	 * requires.
	 */
	readonly directory: string;
	/** Directories with modules that packs import, mounted read-only; each path ends with a slash. */
	readonly pythonPaths: readonly string[];
	/** Maximum memory for Python in bytes. */
	readonly memoryLimit: number;
}

/** Settings of the process that makes a snapshot. */
export interface SnapshotSettings extends Pick<WorkerSettings, "pyodide" | "recipe"> {
	/** Directory with the Python modules to include in the snapshot. */
	readonly python: string;
	/** Path of the file to write. */
	readonly file: string;
}

/** File descriptors of a worker process. Each line is one JSON message, except on the lifeline. */
export const descriptors = {
	/** Messages to the worker: the run, then the answers to its calls. */
	input: 5,
	/** Messages from the worker. */
	output: 3,
	/**
	 * Closing the lifeline ends the worker, and any byte sent to the worker interrupts Python. The worker writes a byte when memory runs out.
	 */
	lifeline: 4,
} as const;

/** Message to the worker that starts its run; sent once. */
export interface RunMessage {
	/** JSON for the driver (driver-request.ts). */
	readonly request: string;
	readonly packDirectory: string;
	readonly environment: Readonly<Record<string, string>>;
}

/** Message to the worker that answers a call of the service. */
export interface AnswerMessage {
	readonly status: number;
	readonly text: string;
}

/** Name of the link to the run's pack. */
export const packLink = "pack";

export type WorkerMessage =
	/** The worker is ready for its run. */
	| { readonly type: "ready" }
	/** The snapshot is unusable; the worker ends. */
	| { readonly type: "broken-snapshot" }
	/** The worker cannot become ready and ends. */
	| { readonly type: "failed"; readonly reason: string }
	/** A part of the output; `bytes` contains one Latin-1 character for each byte. */
	| { readonly type: "output"; readonly channel: "stdout" | "stderr"; readonly bytes: string }
	| { readonly type: "call"; readonly method: "GET" | "PUT" | "DELETE"; readonly path: string; readonly body: string | null }
	| { readonly type: "report"; readonly text: string }
	/** The run has ended. `error` is present if the interpreter itself failed. */
	| { readonly type: "end"; readonly exitCode: number; readonly error?: string };
