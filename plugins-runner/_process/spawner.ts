import type { ProcessRequest } from "./protocol.ts";

/** How a process ended: one of the two is set. */
export interface ProcessExit {
	readonly code: number | null;
	readonly signal: string | null;
}

export interface Pipe {
	readonly read: number;
	readonly write: number;
}

/** Starts processes, each in a session of its own. There are two ways, which the launcher chooses between when it starts. */
export interface Spawner {
	readonly name: "posix_spawn" | "child_process";
	/**
	 * A real pipe: a script may open `/dev/stderr` again, which it could not do with a socket. Its reading end blocks in a process that is
	 * started with it, as programs expect of what they are given, and not in the launcher.
	 */
	createPipe(reader: "launcher" | "process"): Pipe;
	/** Let much wait in a pipe, where the system allows it: who prints and who reads it then take turns less often. */
	widenPipe?(descriptor: number): void;
	/**
	 * Start a process on descriptors from 0, which stay the caller's to close. Throws (`code` as of the system) or calls
	 * `onError` when it cannot; otherwise `onStart` and, once, `onExit`, never before `spawn` has returned.
	 */
	spawn(request: ProcessRequest, descriptors: readonly number[], events: SpawnEvents): void;
	stop(): void;
}

export interface SpawnEvents {
	onStart(pid: number): void;
	onError(error: NodeJS.ErrnoException): void;
	onExit(exit: ProcessExit): void;
}
