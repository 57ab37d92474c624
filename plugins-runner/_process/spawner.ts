import type { ProcessRequest } from "./protocol.ts";

/** Exit of a process: exactly one of the two members is not null. */
export interface ProcessExit {
	readonly code: number | null;
	readonly signal: string | null;
}

/** Descriptors of the two ends of a pipe. */
export interface Pipe {
	readonly read: number;
	readonly write: number;
}

/** Starts processes, each in a session of its own. There are two implementations; the launcher chooses one when it starts. */
export interface Spawner {
	readonly name: "posix_spawn" | "child_process";
	/**
	 * Creates a real pipe: a script may open `/dev/stderr` again, which fails with a socket. The reading end does not block for the launcher.
	 * It blocks if `reader` is a process, because programs expect that of a standard input.
	 */
	createPipe(reader: "launcher" | "process"): Pipe;
	/** Enlarges the buffer of a pipe, where the system allows it, so that writer and reader switch less often. */
	widenPipe?(descriptor: number): void;
	/**
	 * Starts a process with these descriptors, numbered from 0; the caller closes its own copies. If the start fails, it throws with the
	 * system's error in `code`, or calls `onError`. Otherwise it calls `onStart` and, once, `onExit`, which never happens before `spawn`
	 * returns.
	 */
	spawn(request: ProcessRequest, descriptors: readonly number[], events: SpawnEvents): void;
	stop(): void;
}

export interface SpawnEvents {
	onStart(pid: number): void;
	onError(error: NodeJS.ErrnoException): void;
	onExit(exit: ProcessExit): void;
}
