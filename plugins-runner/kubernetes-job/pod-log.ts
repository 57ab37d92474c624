import { StringDecoder } from "node:string_decoder";
import { setTimeout as delay } from "node:timers/promises";
import { type KubeClient, KubeRefusal, KubeUnreachable } from "./kube-client.ts";

interface PodLogOptions {
	readonly client: KubeClient;
	/** Of the log, with the container. */
	readonly path: string;
	/** Bytes of the text that have been delivered before. */
	readonly delivered: number;
	/** Whether the container is known to have ended. */
	isTerminated(): boolean;
	deliver(text: string): Promise<void>;
	onFailure(error: unknown): void;
}

/** Milliseconds before a log is asked for again. */
const tryAgain = 500;

/**
 * Follows what a pod prints. The API has no place in a log to go on from that would be exact, so whoever goes on with it reads from the
 * beginning, and leaves out as many bytes of text as are recorded.
 */
export class PodLog {
	/** Resolves when all was delivered, or when it was stopped. */
	readonly done: Promise<void>;
	readonly #options: PodLogOptions;
	readonly #stopped = new AbortController();
	#delivered: number;

	constructor(options: PodLogOptions) {
		this.#options = options;
		this.#delivered = options.delivered;
		this.done = this.#follow();
	}

	async stop(): Promise<void> {
		this.#stopped.abort();
		await this.done;
	}

	async #follow(): Promise<void> {
		while (!this.#stopped.signal.aborted) {
			// Asked before: what was written until the end is in the answer that begins after it.
			const isLast = this.#options.isTerminated();
			try {
				await this.#read(isLast);
				if (isLast) return;
			} catch (error) {
				if (this.#stopped.signal.aborted) return;
				// Of a pod that is gone nothing more is to be had.
				if (error instanceof KubeRefusal && error.status === 404) return;
				if (!(error instanceof KubeRefusal || error instanceof KubeUnreachable)) return this.#options.onFailure(error);
			}
			await delay(tryAgain, undefined, { signal: this.#stopped.signal }).catch(() => {});
		}
	}

	async #read(isLast: boolean): Promise<void> {
		const { client, path } = this.#options;
		const decoder = new StringDecoder("utf8");
		let seen = 0;
		const take = async (text: string) => {
			const bytes = Buffer.from(text);
			const rest = bytes.subarray(Math.max(0, this.#delivered - seen)).toString();
			seen += bytes.length;
			if (rest === "" || this.#stopped.signal.aborted) return;
			this.#delivered = seen;
			await this.#options.deliver(rest);
		};
		for await (const piece of client.follow({ path: `${path}&follow=true`, signal: this.#stopped.signal }))
			await take(decoder.write(piece));
		// Half a character may be completed by what the next answer brings.
		if (isLast) await take(decoder.end());
	}
}
