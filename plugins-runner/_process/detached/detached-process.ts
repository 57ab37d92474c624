import { type FSWatcher, watch } from "node:fs";
import { RunAborted } from "../../../core/contract/index.ts";
import { hasLiveProcess, signalGroup } from "../process-group.ts";
import type { ProcessExit } from "../spawner.ts";
import { FileFollower } from "./file-follower.ts";
import { findGroups, isRunning, type ProcessIdentity } from "./identity.ts";
import type { RunDirectory } from "./run-directory.ts";

/** Milliseconds between polls of a process. */
const pollIntervalMs = 50;
/** Milliseconds between polls when the process is about to start or to end. */
const shortPollIntervalMs = 5;
/** Default of `beginTimeoutMs`. */
const defaultBeginTimeMs = 5_000;
/** Default of `killGrace`. */
const defaultGraceMs = 5_000;
/** Milliseconds that processes left running may hold the output open after the process itself has exited. */
const lingerMs = 1_000;
/** Milliseconds that a process may take to exit after KILL; after that its exit is no longer waited for. */
const killTimeoutMs = 1_000;

export interface LastingOptions {
	readonly directory: RunDirectory;
	readonly signal: AbortSignal;
	/** Bytes of output that were delivered before, by an earlier process of the service. */
	readonly deliveredBytes: { readonly stdout: number; readonly stderr: number };
	/** Milliseconds between TERM and KILL. Default 5000. */
	readonly killGrace?: number;
	/** Milliseconds that the process may take to start; after that it is prevented from starting. Default 5000. */
	readonly beginTimeoutMs?: number;
	/** Variable that identifies all processes of the execution. */
	readonly mark?: string;
	onStdout(text: string): Promise<void> | void;
	onStderr(text: string): Promise<void> | void;
}

/**
 * Outcome of following a process. `left`: the process continues without this process of the service. `unknown`: it ended without an exit
 * code. `unstarted`: it never started, and will not.
 */
export type LastingEnd = ProcessExit | "left" | "unknown" | "unstarted";

/** Follows a supervised process to its end, or until the service stops. Throws the error of a failed `onStdout` or `onStderr`. */
export async function followProcess(options: LastingOptions): Promise<LastingEnd> {
	const process = new LastingProcess(options);
	return process.follow();
}

class LastingProcess {
	readonly #options: LastingOptions;
	#failure: { readonly error: unknown } | undefined;
	#wake = () => {};
	/** Time at which all processes of the run are killed; set once the end was requested. */
	#killAt: number | undefined;
	#wasKilled = false;
	/** Time at which the exit code was first seen. */
	#exitedAt: number | undefined;

	constructor(options: LastingOptions) {
		this.#options = options;
	}

	async follow(): Promise<LastingEnd> {
		const { directory, deliveredBytes, signal } = this.#options;
		const open = (name: "stdout" | "stderr", deliver: LastingOptions["onStdout"]) =>
			FileFollower.open({
				path: directory.file(name),
				deliveredBytes: deliveredBytes[name],
				deliver: (text) => (this.#isServiceStopping() ? undefined : deliver(text)),
				onFailure: (error) => this.#fail(error),
			});
		const watcher = this.#watch();
		const onAbort = () => this.#wake();
		signal.addEventListener("abort", onAbort);
		const followers = [await open("stdout", this.#options.onStdout), await open("stderr", this.#options.onStderr)];
		try {
			const end = await this.#followToEnd(followers);
			if (end !== "left") await Promise.all(followers.map((follower) => follower.end()));
			if (this.#failure !== undefined && end !== "left") throw this.#failure.error;
			return end;
		} finally {
			watcher?.close();
			signal.removeEventListener("abort", onAbort);
			await Promise.all(followers.map((follower) => follower.close()));
		}
	}

	async #followToEnd(followers: readonly FileFollower[]): Promise<LastingEnd> {
		const readAll = () => Promise.all(followers.map((follower) => follower.read(() => this.#isServiceStopping())));
		const process = await this.#waitForSupervisor();
		if (process === undefined) return "unstarted";
		for (;;) {
			if (this.#isServiceStopping()) return "left";
			// Check first, then read: output that was written before the end is read after this check.
			const end = this.#checkEnd(process);
			await readAll();
			if (end !== undefined && !this.#isServiceStopping()) return end;
			await this.#wait();
		}
	}

	/** Waits for the supervisor to start. If it takes too long, prevents the start and returns undefined. */
	async #waitForSupervisor(): Promise<ProcessIdentity | undefined> {
		const { directory } = this.#options;
		const deadline = performance.now() + (this.#options.beginTimeoutMs ?? defaultBeginTimeMs);
		for (;;) {
			const supervisor = directory.readSupervisor();
			if (supervisor !== undefined) return supervisor;
			if (performance.now() > deadline && (await directory.preventStart())) return undefined;
			await this.#wait(shortPollIntervalMs);
		}
	}

	/** Returns the end of the process; undefined while it continues. */
	#checkEnd(process: ProcessIdentity): LastingEnd | undefined {
		const { signal } = this.#options;
		const isAlive = isRunning(process);
		const status = this.#options.directory.readExitCode();
		if (status !== undefined) this.#exitedAt ??= performance.now();
		if (signal.aborted || this.#failure !== undefined) return this.#terminate(process);
		if (isAlive && this.#exitedAt !== undefined && performance.now() > this.#exitedAt + lingerMs) {
			// A process that the program started holds the output open.
			this.#kill(process);
			return toExit(status);
		}
		if (isAlive) return undefined;
		return status === undefined ? "unknown" : toExit(status);
	}

	/**
	 * Sends TERM to all processes of the run, and KILL after the grace. Returns the end when none of them is alive, or one second after KILL.
	 * Returns undefined until then.
	 */
	#terminate(process: ProcessIdentity): LastingEnd | undefined {
		const { directory, mark, killGrace = defaultGraceMs } = this.#options;
		// Another process of the service follows the run now, and must find it alive.
		if (!directory.isHeld()) return "left";
		const groups = findGroups(process, mark);
		if (!hasLiveProcess(groups)) return toExitAfterSignal(directory.readExitCode(), this.#wasKilled);
		const now = performance.now();
		if (this.#killAt === undefined) {
			this.#killAt = now + killGrace;
			for (const group of groups) signalGroup(group, "SIGTERM");
		} else if (now > this.#killAt + killTimeoutMs) return toExitAfterSignal(directory.readExitCode(), this.#wasKilled);
		else if (now > this.#killAt && !this.#wasKilled) this.#kill(process);
		return undefined;
	}

	#kill(process: ProcessIdentity): void {
		this.#wasKilled = true;
		for (const group of findGroups(process, this.#options.mark)) signalGroup(group, "SIGKILL");
	}

	#isServiceStopping(): boolean {
		const reason: unknown = this.#options.signal.reason;
		return reason instanceof RunAborted && reason.kind === "shutdown";
	}

	#fail(error: unknown): void {
		this.#failure ??= { error };
		this.#wake();
	}

	/** Waits until something changes in the directory, or for the poll interval. */
	async #wait(milliseconds = this.#exitedAt === undefined ? pollIntervalMs : shortPollIntervalMs): Promise<void> {
		let timer: NodeJS.Timeout | undefined;
		await new Promise<void>((resolve) => {
			this.#wake = resolve;
			timer = setTimeout(resolve, milliseconds);
		});
		clearTimeout(timer);
	}

	/** Watches the directory, which is faster than polling. Returns undefined if the system has no watches left; polling then suffices. */
	#watch(): FSWatcher | undefined {
		try {
			const watcher = watch(this.#options.directory.path, () => this.#wake());
			watcher.on("error", () => watcher.close());
			return watcher;
		} catch {
			return undefined;
		}
	}
}

function toExit(status: number | undefined): ProcessExit {
	return status === undefined ? { code: null, signal: "SIGKILL" } : { code: status, signal: null };
}

/** Returns the exit after signals. The shell reports a signal as 128 plus its number; 143 after the service's own TERM means TERM. */
function toExitAfterSignal(status: number | undefined, wasKilled: boolean): ProcessExit {
	if (status === 128 + 15) return { code: null, signal: "SIGTERM" };
	return wasKilled ? toExit(undefined) : toExit(status);
}
