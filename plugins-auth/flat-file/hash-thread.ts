import { Worker } from "node:worker_threads";
import { SvcError } from "../../core/contract/index.ts";
import type { Comparison } from "./hash-worker.ts";
import type { Verdict } from "./password-schemes.ts";

/** Maximum number of waiting comparisons. Each takes about 70 ms, so the last one waits less than 5 s. */
const maxQueueLength = 64;
const idleMilliseconds = 30_000;

// A worker thread cannot be started directly from a TypeScript file. When running from source, register the loader first.
const threadSource = `
const { workerData } = require("node:worker_threads");
const { loader, worker } = workerData;
const loaded = loader === undefined ? Promise.resolve() : import(loader).then(({ register }) => register());
loaded.then(() => import(worker));
`;

interface Task {
	readonly comparison: Comparison;
	settle(outcome: Verdict | Error): void;
}

/**
 * Compares passwords with stored hashes, one at a time in a worker thread. Hashing is slow by design and would block the main thread. The
 * thread starts with the first comparison and ends after 30 s without one.
 */
export class HashThread {
	#worker: Worker | undefined;
	#queue: Task[] = [];
	#running: Task | undefined;
	#idle: NodeJS.Timeout | undefined;
	#stopped = false;

	/**
	 * Compares a password with a stored hash. Rejects with the signal's reason on abort, and with `SVC_UNAVAILABLE` if too many comparisons
	 * are waiting.
	 */
	async compare(comparison: Comparison, signal: AbortSignal): Promise<Verdict> {
		signal.throwIfAborted();
		if (this.#stopped) throw new SvcError("SVC_UNAVAILABLE", "the auth backend has been stopped");
		if (this.#queue.length >= maxQueueLength)
			throw new SvcError("SVC_UNAVAILABLE", "too many concurrent sign-ins", { facts: { retry_after: 5 } });
		return new Promise((resolve, reject) => {
			const abort = () => {
				this.#queue = this.#queue.filter((waiting) => waiting !== task);
				reject(signal.reason);
			};
			const settle = (outcome: Verdict | Error) => {
				signal.removeEventListener("abort", abort);
				if (outcome instanceof Error) reject(outcome);
				else resolve(outcome);
			};
			const task: Task = { comparison, settle };
			signal.addEventListener("abort", abort, { once: true });
			this.#queue.push(task);
			this.#next();
		});
	}

	async stop(): Promise<void> {
		this.#stopped = true;
		this.#fail(new SvcError("SVC_UNAVAILABLE", "the auth backend has been stopped"));
		await this.#endWorker();
	}

	#next(): void {
		if (this.#running !== undefined) return;
		this.#running = this.#queue.shift();
		if (this.#running === undefined) {
			this.#worker?.unref();
			this.#idle = setTimeout(() => void this.#endWorker(), idleMilliseconds).unref();
			return;
		}
		clearTimeout(this.#idle);
		this.#worker ??= this.#startWorker();
		// Keep the process alive while a caller waits for the result.
		this.#worker.ref();
		this.#worker.postMessage(this.#running.comparison);
	}

	#startWorker(): Worker {
		const worker = new Worker(threadSource, { eval: true, execArgv: [], workerData: findWorker() });
		worker.on("message", (verdict: Verdict) => {
			const task = this.#running;
			this.#running = undefined;
			task?.settle(verdict);
			this.#next();
		});
		worker.on("error", (cause) => {
			this.#worker = undefined;
			this.#fail(new SvcError("SVC_UNAVAILABLE", "the password could not be verified", { cause }));
		});
		return worker;
	}

	#fail(error: SvcError): void {
		const tasks = this.#running === undefined ? this.#queue : [this.#running, ...this.#queue];
		this.#running = undefined;
		this.#queue = [];
		for (const task of tasks) task.settle(error);
	}

	async #endWorker(): Promise<void> {
		clearTimeout(this.#idle);
		const worker = this.#worker;
		this.#worker = undefined;
		await worker?.terminate();
	}
}

function findWorker(): { readonly worker: string; readonly loader?: string } {
	const isFromSource = import.meta.url.endsWith(".ts");
	const worker = new URL(`./hash-worker.${isFromSource ? "ts" : "js"}`, import.meta.url).href;
	return isFromSource ? { worker, loader: import.meta.resolve("tsx/esm/api") } : { worker };
}
