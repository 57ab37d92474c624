import { type FSWatcher, watch } from "node:fs";
import { RunAborted } from "../../../core/contract/index.ts";
import { hasLiveProcess, signalGroup } from "../process-group.ts";
import type { ProcessExit } from "../spawner.ts";
import { FileFollower } from "./file-follower.ts";
import { findGroups, isRunning, type ProcessIdentity } from "./identity.ts";
import type { RunDirectory } from "./run-directory.ts";

/** Milliseconds: between looks, between looks once the end is near, for a process that has not begun, between TERM and KILL. */
const poll = 50;
const shortPoll = 5;
const defaultBeginTime = 5_000;
const defaultGrace = 5_000;
/** How long what a process left running may keep its output open after the process itself has exited. */
const linger = 1_000;
/** How long after KILL a process may still take before it is given up. */
const afterKill = 1_000;

export interface LastingOptions {
	readonly directory: RunDirectory;
	readonly signal: AbortSignal;
	/** Bytes of output that were delivered by whoever followed the process before. */
	readonly deliveredBytes: { readonly stdout: number; readonly stderr: number };
	readonly killGrace?: number;
	/** Milliseconds that the process may take to begin; one that has not is kept from it. Default 5000. */
	readonly beginTimeoutMs?: number;
	/** The variable that all processes of the execution have. */
	readonly mark?: string;
	onStdout(text: string): Promise<void> | void;
	onStderr(text: string): Promise<void> | void;
}

/** `left`: it goes on without us. `unknown`: it has ended without telling how. `unstarted`: it never began, and will not. */
export type LastingEnd = ProcessExit | "left" | "unknown" | "unstarted";

/** Follow a supervised process to its end, or until the service stops. */
export async function followProcess(options: LastingOptions): Promise<LastingEnd> {
	const process = new LastingProcess(options);
	return process.follow();
}

class LastingProcess {
	readonly #options: LastingOptions;
	#failure: { readonly error: unknown } | undefined;
	#wake = () => {};
	/** When everything is killed; set once its end was asked for. */
	#killAt: number | undefined;
	#killed = false;
	/** When the exit code was first seen. */
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
				deliver: (text) => (this.#isLeft() ? undefined : deliver(text)),
				onFailure: (error) => this.#fail(error),
			});
		const watcher = this.#watch();
		const onAbort = () => this.#wake();
		signal.addEventListener("abort", onAbort);
		const followers = [await open("stdout", this.#options.onStdout), await open("stderr", this.#options.onStderr)];
		try {
			const end = await this.#followTo(followers);
			if (end !== "left") await Promise.all(followers.map((follower) => follower.end()));
			if (this.#failure !== undefined && end !== "left") throw this.#failure.error;
			return end;
		} finally {
			watcher?.close();
			signal.removeEventListener("abort", onAbort);
			await Promise.all(followers.map((follower) => follower.close()));
		}
	}

	async #followTo(followers: readonly FileFollower[]): Promise<LastingEnd> {
		const readAll = () => Promise.all(followers.map((follower) => follower.read(() => this.#isLeft())));
		const process = await this.#identify();
		if (process === undefined) return "unstarted";
		for (;;) {
			if (this.#isLeft()) return "left";
			// First looked at, then read: what was written before the end is read after it.
			const end = this.#look(process);
			await readAll();
			if (end !== undefined && !this.#isLeft()) return end;
			await this.#wait();
		}
	}

	/** The supervisor, once it has begun; if it does not, it must not begin any more. */
	async #identify(): Promise<ProcessIdentity | undefined> {
		const { directory } = this.#options;
		const deadline = performance.now() + (this.#options.beginTimeoutMs ?? defaultBeginTime);
		for (;;) {
			const found = directory.readSupervisor();
			if (found !== undefined) return found;
			if (performance.now() > deadline && (await directory.preventStart())) return undefined;
			await this.#wait(shortPoll);
		}
	}

	/** How it ended, or undefined while it goes on. */
	#look(process: ProcessIdentity): LastingEnd | undefined {
		const { signal } = this.#options;
		const runs = isRunning(process);
		const status = this.#options.directory.readExitCode();
		if (status !== undefined) this.#exitedAt ??= performance.now();
		if (signal.aborted || this.#failure !== undefined) return this.#endAll(process);
		if (runs && this.#exitedAt !== undefined && performance.now() > this.#exitedAt + linger) {
			// Something it started holds the output open.
			this.#kill(process);
			return toExit(status);
		}
		if (runs) return undefined;
		return status === undefined ? "unknown" : toExit(status);
	}

	/** TERM to everything in its session, KILL after the grace; over when nothing of it is left. */
	#endAll(process: ProcessIdentity): LastingEnd | undefined {
		const { directory, mark, killGrace = defaultGrace } = this.#options;
		// Another process of the service has taken it over, and must find it alive.
		if (!directory.isHeld()) return "left";
		const groups = findGroups(process, mark);
		if (!hasLiveProcess(groups)) return toEnded(directory.readExitCode(), this.#killed);
		const now = performance.now();
		if (this.#killAt === undefined) {
			this.#killAt = now + killGrace;
			for (const group of groups) signalGroup(group, "SIGTERM");
		} else if (now > this.#killAt + afterKill) return toEnded(directory.readExitCode(), this.#killed);
		else if (now > this.#killAt && !this.#killed) this.#kill(process);
		return undefined;
	}

	#kill(process: ProcessIdentity): void {
		this.#killed = true;
		for (const group of findGroups(process, this.#options.mark)) signalGroup(group, "SIGKILL");
	}

	#isLeft(): boolean {
		const reason: unknown = this.#options.signal.reason;
		return reason instanceof RunAborted && reason.kind === "shutdown";
	}

	#fail(error: unknown): void {
		this.#failure ??= { error };
		this.#wake();
	}

	/** Until something happens in the directory, or it is time to look again. */
	async #wait(milliseconds = this.#exitedAt === undefined ? poll : shortPoll): Promise<void> {
		let timer: NodeJS.Timeout | undefined;
		await new Promise<void>((resolve) => {
			this.#wake = resolve;
			timer = setTimeout(resolve, milliseconds);
		});
		clearTimeout(timer);
	}

	/** Quicker than looking; where there are no watches left, looking has to do. */
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

/** The shell gives 128 and the number of the signal; after our own TERM that is what it means. */
function toEnded(status: number | undefined, killed: boolean): ProcessExit {
	if (status === 128 + 15) return { code: null, signal: "SIGTERM" };
	return killed ? toExit(undefined) : toExit(status);
}
