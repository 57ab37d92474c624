import { type Logger, SvcError } from "../../core/contract/index.ts";
import { ConversationProcess } from "./conversation-process.ts";
import type { PamAnswer, PamRequest } from "./messages.ts";

/** Number of processes. With more than one, a hanging PAM module does not block all sign-ins. */
const processCount = 2;
const maxQueueLength = 64;

interface Task {
	run(process: ConversationProcess): Promise<void>;
}

export interface ConversationPoolOptions {
	readonly logger: Logger;
	/** Maximum milliseconds of a conversation. */
	readonly timeout: number;
}

/** Runs PAM conversations in two processes, one at a time in each. The second starts when it is first needed; both then keep running. */
export class ConversationPool {
	readonly #processes: readonly ConversationProcess[];
	readonly #busy = new Set<ConversationProcess>();
	#queue: Task[] = [];

	constructor(options: ConversationPoolOptions) {
		this.#processes = Array.from({ length: processCount }, () => new ConversationProcess(options));
	}

	/** Starts the first process. Throws `SVC_CONFIG` if a requirement of PAM is missing. */
	async start(): Promise<void> {
		await this.#processes[0]?.start();
	}

	/** Carries out a conversation. Rejects with the signal's reason on abort, and with `SVC_UNAVAILABLE` on a timeout or a full queue. */
	async converse(request: PamRequest, signal: AbortSignal): Promise<PamAnswer> {
		signal.throwIfAborted();
		if (this.#queue.length >= maxQueueLength)
			throw new SvcError("SVC_UNAVAILABLE", "too many concurrent sign-ins", { facts: { retry_after: 5 } });
		return new Promise((resolve, reject) => {
			// A started conversation cannot be interrupted, but its caller stops waiting.
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

	/** Stops all processes. Waiting callers get `SVC_UNAVAILABLE`. */
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
