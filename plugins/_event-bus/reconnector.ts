import { type Logger, toErrorMessage } from "../../core/contract/index.ts";
import { pause } from "./timeout.ts";
import type { Connection, Receiver, Transport } from "./transport.ts";

export interface LinkOptions {
	readonly transport: Transport;
	readonly receiver: Omit<Receiver, "onLost">;
	readonly logger: Logger;
	/**
	 * Uses a new connection until it is lost. Must call `onReady` once the connection works, and settle soon after `lost` aborts. `Link` then
	 * connects again.
	 */
	readonly use: (connection: Connection, lost: AbortSignal, onReady: () => void) => Promise<void>;
}

/** Milliseconds: the minimum and maximum pause between attempts, and the minimum duration of a connection that resets the pause. */
const minPause = 100;
const maxPause = 2_000;
const lasting = 5_000;

/** Keeps a transport connected: reconnects without limit, with increasing pauses. */
export class Reconnector {
	readonly #options: LinkOptions;
	readonly #stopping = new AbortController();
	#running: Promise<void> | undefined;
	#reported: string | undefined;

	constructor(options: LinkOptions) {
		this.#options = options;
	}

	/** Starts connecting. Resolves when the first attempt has succeeded or failed. */
	start(): Promise<void> {
		return new Promise((resolve) => {
			this.#running = this.#run(resolve);
		});
	}

	async stop(): Promise<void> {
		this.#stopping.abort();
		await this.#running;
	}

	async #run(onAttempt: () => void): Promise<void> {
		for (let failures = 0; !this.#stopping.signal.aborted; failures += 1) {
			const began = performance.now();
			try {
				await this.#connectOnce(onAttempt);
			} catch (error) {
				this.#report(error);
			}
			onAttempt();
			if (performance.now() - began > lasting) failures = 0;
			await pause(Math.min(maxPause, minPause * 2 ** Math.min(failures, 10)) * (0.5 + Math.random() / 2), this.#stopping.signal);
		}
	}

	async #connectOnce(onConnected: () => void): Promise<void> {
		const { transport, receiver, logger, use } = this.#options;
		const lost = new AbortController();
		const connection = await transport.connect({
			...receiver,
			// Discard packets that still arrive from a lost connection, because they would mix with those of the next one.
			receive: (packet) => {
				if (!lost.signal.aborted) receiver.receive(packet);
			},
			onLost: (reason) => lost.abort(reason ?? new Error("the connection was closed")),
		});
		const stop = () => lost.abort();
		this.#stopping.signal.addEventListener("abort", stop, { once: true });
		if (this.#stopping.signal.aborted) stop();
		try {
			await use(connection, lost.signal, () => {
				logger.info(`event bus connected to ${transport.title}`);
				this.#reported = undefined;
				onConnected();
			});
			if (!this.#stopping.signal.aborted) this.#report(lost.signal.reason);
		} finally {
			this.#stopping.signal.removeEventListener("abort", stop);
			await connection.close();
		}
	}

	/** Logs a failure, unless the previous one had the same reason. */
	#report(error: unknown): void {
		const reason = toReason(error);
		if (reason === this.#reported || this.#stopping.signal.aborted) return;
		this.#reported = reason;
		this.#options.logger.warn(`event bus has no connection to ${this.#options.transport.title}; events of other nodes are delayed`, {
			reason,
		});
	}
}

/** Returns the message of an error. An error for several addresses has no message of its own. */
function toReason(error: unknown): string {
	if (error instanceof AggregateError && error.message === "") return error.errors.map(toErrorMessage).join(", ");
	return toErrorMessage(error);
}
