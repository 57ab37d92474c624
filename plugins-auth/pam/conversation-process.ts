import { type ChildProcess, fork } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isSvcError, type Logger, SvcError } from "../../core/contract/index.ts";
import type { PamAnswer, PamMessage, PamRequest } from "./messages.ts";

export interface ConversationProcessOptions {
	readonly logger: Logger;
	/** Maximum milliseconds of a conversation. */
	readonly timeout: number;
}

/** Maximum milliseconds for the start of the process; conversations have a separate limit. */
const startTimeout = 30_000;

/** A process that carries out PAM conversations, one at a time. It is restarted after a loss. */
export class ConversationProcess {
	readonly #options: ConversationProcessOptions;
	readonly #exits = new Set<Promise<unknown>>();
	#child: ChildProcess | undefined;
	#isReady = false;
	#stopped = false;

	constructor(options: ConversationProcessOptions) {
		this.#options = options;
	}

	/** Starts the process and checks that it can use PAM. Throws `SVC_CONFIG` if a requirement is missing. */
	async start(): Promise<void> {
		if (this.#stopped) throw stopped();
		this.#child ??= this.#spawn();
		if (this.#isReady) return;
		const message = await this.#receive(this.#child, startTimeout);
		if (message.type === "missing") {
			this.#end();
			throw new SvcError("SVC_CONFIG", message.message);
		}
		this.#isReady = true;
	}

	/** Carries out a conversation. Throws `SVC_UNAVAILABLE` if the process was lost or took too long. */
	async converse(request: PamRequest): Promise<PamAnswer> {
		await this.start().catch((error: unknown) => {
			// PAM worked when the service started, so this is not a configuration error.
			throw isSvcError(error, "SVC_CONFIG") ? new SvcError("SVC_UNAVAILABLE", error.message, { cause: error }) : error;
		});
		const child = this.#child;
		if (child === undefined) throw stopped();
		const message = this.#receive(child, this.#options.timeout);
		// Ignore errors: if the process has ended, `message` rejects.
		child.send(request, () => {});
		const received = await message;
		if (received.type !== "answer") throw new SvcError("SVC_UNAVAILABLE", "the PAM process sent an unexpected response");
		return received.answer;
	}

	/** Stops the process, even during a conversation. */
	async stop(): Promise<void> {
		this.#stopped = true;
		this.#end();
		await Promise.all(this.#exits);
	}

	#spawn(): ChildProcess {
		const isFromSource = import.meta.url.endsWith(".ts");
		const file = fileURLToPath(new URL(`./conversation-worker.${isFromSource ? "ts" : "js"}`, import.meta.url));
		const child = fork(file, [], {
			// Detach from the terminal, so that modules cannot prompt on it.
			detached: true,
			// Do not pass on the service's environment: it may contain secrets, and modules pass theirs to other programs.
			env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LANG: "C.UTF-8" },
			execArgv: ["--max-old-space-size=64", ...(isFromSource ? ["--import", import.meta.resolve("tsx")] : [])],
			stdio: ["ignore", "ignore", "inherit", "ipc"],
		});
		const exit = new Promise<void>((resolve) => {
			const onEnd = (reason: Readonly<Record<string, unknown>>) => {
				this.#exits.delete(exit);
				if (this.#child === child) {
					this.#options.logger.error("PAM process lost", reason);
					this.#forget();
				}
				resolve();
			};
			child.once("exit", (code, signal) => onEnd({ code, signal }));
			child.on("error", (error) => onEnd({ error }));
		});
		this.#exits.add(exit);
		return child;
	}

	/** Returns the next message. On a timeout the process is killed. */
	#receive(child: ChildProcess, timeout: number): Promise<PamMessage> {
		return new Promise((resolve, reject) => {
			const timer = setTimeout(() => {
				this.#options.logger.error("PAM did not respond in time");
				settle();
				this.#end();
				reject(new SvcError("SVC_UNAVAILABLE", `PAM did not respond within ${timeout / 1000} seconds`));
			}, timeout);
			const onMessage = (message: PamMessage) => {
				settle();
				resolve(message);
			};
			const onExit = () => {
				settle();
				reject(this.#stopped ? stopped() : new SvcError("SVC_UNAVAILABLE", "the PAM process ended before it responded"));
			};
			const settle = () => {
				clearTimeout(timer);
				child.off("message", onMessage).off("exit", onExit).off("error", onExit);
			};
			child.on("message", onMessage).on("exit", onExit).on("error", onExit);
		});
	}

	#end(): void {
		const pid = this.#child?.pid;
		this.#forget();
		// Also kill the programs that PAM modules started. Otherwise a hanging program would remain.
		if (pid !== undefined) killTree(pid);
	}

	#forget(): void {
		this.#child = undefined;
		this.#isReady = false;
	}
}

function stopped(): SvcError {
	return new SvcError("SVC_UNAVAILABLE", "the auth backend has been stopped");
}

/** Kills a process and all its descendants, even if they changed their process group or session. */
function killTree(root: number): void {
	const tree = new Set([root]);
	let known: number;
	// Suspend all processes before killing them. Otherwise one could start a child that is not in the set.
	do {
		known = tree.size;
		for (const id of tree) signal(id, "SIGSTOP");
		const children = readChildren();
		// The set grows during this loop.
		for (const id of tree) for (const child of children.get(id) ?? []) tree.add(child);
	} while (tree.size > known);
	for (const id of tree) signal(id, "SIGKILL");
}

function signal(id: number, name: "SIGSTOP" | "SIGKILL"): void {
	try {
		process.kill(id, name);
	} catch {
		// The process has already ended.
	}
}

/** Returns the ids of the running child processes of every process on the machine. */
function readChildren(): ReadonlyMap<number, readonly number[]> {
	const children = new Map<number, number[]>();
	for (const name of readdirSync("/proc")) {
		if (!/^\d+$/.test(name)) continue;
		const parent = readParent(name);
		if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
	}
	return children;
}

function readParent(id: string): number | undefined {
	try {
		// The process name in parentheses may contain any characters, even parentheses.
		const [, parent] = /^.*\) \S (\d+)/s.exec(readFileSync(`/proc/${id}/stat`, "utf8")) ?? [];
		return Number(parent);
	} catch {
		return undefined;
	}
}
