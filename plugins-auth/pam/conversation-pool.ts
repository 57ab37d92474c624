import { type Logger, SvcError } from "../../core/contract/index.ts";
import { ConversationProcess } from "./conversation-process.ts";
import type { PamAnswer, PamRequest } from "./messages.ts";

/** One module that hangs must not hold up everybody. */
const processCount = 2;
const longestQueue = 64;

interface Task {
	run(process: ConversationProcess): Promise<void>;
}

export interface ConversationPoolOptions {
	readonly logger: Logger;
	/** Milliseconds that a conversation may take. */
	readonly timeout: number;
}

/** Holds at most two conversations at a time. The second process starts when it is needed first; both then stay. */
export class ConversationPool {
	readonly #processes: readonly ConversationProcess[];
	readonly #busy = new Set<ConversationProcess>();
	#queue: Task[] = [];

	constructor(options: ConversationPoolOptions) {
		this.#processes = Array.from({ length: processCount }, () => new ConversationProcess(options));
	}

	/** `SVC_CONFIG` when something is missing that PAM needs. */
	async start(): Promise<void> {
		await this.#processes[0]?.start();
	}

	/** Rejects with the signal's reason on abort, and with `SVC_UNAVAILABLE` when there is no answer or too many wait for one. */
	async converse(request: PamRequest, signal: AbortSignal): Promise<PamAnswer> {
		signal.throwIfAborted();
		if (this.#queue.length >= longestQueue)
			throw new SvcError("SVC_UNAVAILABLE", "too many sign-ins at once", { facts: { retry_after: 5 } });
		return new Promise((resolve, reject) => {
			// A conversation that has begun cannot be broken off, but nobody waits for it any more.
			const abort = () => {
				this.#queue = this.#queue.filter((waiting) => waiting !== task);
				reject(signal.reason);
			};
			const task: Task = {
				run: (process) =>
					process
						.converse(request)
						.then(resolve, reject)
						.finally(() => signal.removeEventListener("abort", abort)),
			};
			signal.addEventListener("abort", abort, { once: true });
			this.#queue.push(task);
			this.#next();
		});
	}

	/** Whoever waits gets `SVC_UNAVAILABLE`. */
	async stop(): Promise<void> {
		await Promise.all(this.#processes.map((process) => process.stop()));
	}

	#next(): void {
		const free = this.#processes.find((process) => !this.#busy.has(process));
		if (free === undefined) return;
		const task = this.#queue.shift();
		if (task === undefined) return;
		this.#busy.add(free);
		void task.run(free).then(() => {
			this.#busy.delete(free);
			this.#next();
		});
	}
}
