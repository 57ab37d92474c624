import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import {
	type ActionSignature,
	type DefinitionFinding,
	type DefinitionServices,
	type FoundExpression,
	SvcError,
} from "../../core/contract/index.ts";
import { type DefinitionReply, type DefinitionRequest, type DefinitionTask, keyOfCall, type MissingAnswers } from "./messages.ts";

/**
 * Maximum length in characters of a definition that is read without the thread: that takes less than 50 ms, and less than starting a
 * thread.
 */
const maxInlineLength = 8_000;
const idleMilliseconds = 30_000;
/** Milliseconds that the thread may take for one definition; a slower one is refused. */
const maxMilliseconds = 20_000;
/** Maximum number of times that one definition is sent to the thread. Normally two: the first reply names what the thread needs. */
const maxRounds = 5;
/** Milliseconds for which expressions are searched before yielding to the event loop. */
const turnMilliseconds = 5;
/** Maximum number of definitions of API requests that wait for the thread. */
const maxWaitingRequests = 16;

// A thread cannot run a TypeScript file directly: when running from source, the loader is registered first.
const threadSource = `
const { workerData } = require("node:worker_threads");
const { loader, worker } = workerData;
const loaded = loader === undefined ? Promise.resolve() : import(loader).then(({ register }) => register());
loaded.then(() => import(worker));
`;

interface Waiting {
	readonly request: DefinitionRequest;
	settle(outcome: DefinitionReply | Error): void;
}

/**
 * Reads large definitions in a thread, one after another. Reading half a megabyte takes seconds, which would block the event loop. The
 * thread requests the expressions and actions of a definition from its caller. The thread starts with the first large definition and ends
 * after 30 seconds without one.
 */
export class DefinitionThread {
	readonly #worker: string;
	readonly #mostWaiting: number;
	#thread: Worker | undefined;
	readonly #queue: Waiting[] = [];
	#running: Waiting | undefined;
	#timer: NodeJS.Timeout | undefined;

	/**
	 * @param worker URL of the module that calls `serveDefinitions`, without extension; the extension depends on the running code
	 * @param mostWaiting maximum number of waiting definitions; more are refused with `SVC_UNAVAILABLE`
	 */
	constructor(worker: string, mostWaiting = Number.POSITIVE_INFINITY) {
		this.#worker = worker;
		this.#mostWaiting = mostWaiting;
	}

	/** Creates two threads, so that definitions of requests do not delay those of runs. Definitions of runs are never refused. */
	static createPair(worker: string): { readonly forRequests: DefinitionThread; readonly forRuns: DefinitionThread } {
		return { forRequests: new DefinitionThread(worker, maxWaitingRequests), forRuns: new DefinitionThread(worker) };
	}

	/** Returns true if a definition is so large that it must be read in the thread. */
	static isLarge(text: string): boolean {
		return text.length > maxInlineLength;
	}

	inspect(text: string, tools: DefinitionServices, task: "inspect" | "inspectForRun" = "inspect"): Promise<readonly DefinitionFinding[]> {
		return this.#ask(task, text, tools) as Promise<readonly DefinitionFinding[]>;
	}

	/** Returns the definition, or its graph for the task `graph`. `T` must be plain data, which is copied between threads. */
	read<T>(task: "read" | "graph", text: string): Promise<T> {
		return this.#ask(task, text) as Promise<T>;
	}

	async #ask(task: DefinitionTask, text: string, tools?: DefinitionServices): Promise<unknown> {
		const [uses, actions] = [new Map<string, readonly FoundExpression[]>(), new Map<string, ActionSignature | undefined>()];
		for (let round = 0; round < maxRounds; round += 1) {
			const reply = await this.#send({ task, text, known: { uses, actions, findsActions: tools?.findAction !== undefined } });
			if (reply.kind === "result") return reply.result;
			if (reply.kind === "error") throw toError(reply);
			if (tools !== undefined) await findMissing(reply.missing, tools, { uses, actions });
		}
		throw new SvcError("SVC_INVALID", "the definition cannot be read: its expressions change on each evaluation");
	}

	#send(request: DefinitionRequest): Promise<DefinitionReply> {
		if (this.#queue.length >= this.#mostWaiting) {
			const message = `${this.#mostWaiting} large definitions are already waiting; try again later`;
			return Promise.reject(new SvcError("SVC_UNAVAILABLE", message));
		}
		return new Promise((resolve, reject) => {
			const settle = (outcome: DefinitionReply | Error) => (outcome instanceof Error ? reject(outcome) : resolve(outcome));
			this.#queue.push({ request, settle });
			this.#next();
		});
	}

	#next(): void {
		if (this.#running !== undefined) return;
		clearTimeout(this.#timer);
		this.#running = this.#queue.shift();
		if (this.#running === undefined) {
			this.#thread?.unref();
			this.#timer = setTimeout(() => this.#endThread(), idleMilliseconds).unref();
			return;
		}
		const thread = this.#thread ?? this.#startThread();
		// The process must not exit while a caller waits.
		thread.ref();
		this.#timer = setTimeout(() => {
			this.#endThread();
			this.#settle(new SvcError("SVC_INVALID", `the definition cannot be read: it takes more than ${maxMilliseconds / 1_000} s`));
		}, maxMilliseconds);
		thread.postMessage(this.#running.request);
	}

	#startThread(): Worker {
		const thread = new Worker(threadSource, { eval: true, execArgv: [], workerData: this.#findWorker() });
		thread.on("message", (reply: DefinitionReply) => this.#settle(reply));
		thread.on("error", (cause) => {
			if (this.#thread !== thread) return;
			this.#thread = undefined;
			this.#settle(new SvcError("SVC_UNAVAILABLE", "the definition could not be read: the thread that reads it failed", { cause }));
		});
		this.#thread = thread;
		return thread;
	}

	#settle(outcome: DefinitionReply | Error): void {
		const settled = this.#running;
		this.#running = undefined;
		settled?.settle(outcome);
		this.#next();
	}

	#endThread(): void {
		const thread = this.#thread;
		this.#thread = undefined;
		void thread?.terminate();
	}

	#findWorker(): { readonly worker: string; readonly loader?: string } {
		const isSource = import.meta.url.endsWith(".ts");
		const worker = `${this.#worker}.${isSource ? "ts" : "js"}`;
		return isSource ? { worker, loader: import.meta.resolve("tsx/esm/api") } : { worker };
	}
}

interface FoundAnswers {
	readonly uses: Map<string, readonly FoundExpression[]>;
	readonly actions: Map<string, ActionSignature | undefined>;
}

async function findMissing(
	{ finds, refs }: MissingAnswers,
	{ expressions, findAction }: DefinitionServices,
	found: FoundAnswers,
): Promise<void> {
	let began = performance.now();
	for (const call of finds) {
		found.uses.set(keyOfCall(call), expressions.find(call.value, call.language, call.functions));
		if (performance.now() - began < turnMilliseconds) continue;
		await nextTurn();
		began = performance.now();
	}
	for (const ref of refs) found.actions.set(ref, await findAction?.(ref));
}

function toError({ code, message, facts }: Extract<DefinitionReply, { kind: "error" }>): Error {
	return code === undefined ? new Error(message) : new SvcError(code, message, { facts });
}
