import { type ReadonlySignal, signal } from "@preact/signals";
import { isSvcError } from "../../contract/errors.ts";
import type { Client, StreamEventRecord } from "../../features/clients.ts";

/** `polled`: the stream may not be read, so what is shown is read again now and then. */
export type LiveState = "off" | "connecting" | "live" | "lost" | "polled";

/** Told of an event; of none when some may have been missed, and what is shown must be read again. */
export type LiveListener = (event: StreamEventRecord | undefined) => void;

/** Events that pages show something of. */
const events = "svc.execution__*,svc.task__update";
const firstWait = 500;
const longestWait = 15_000;
const pollEvery = 5_000;
/** A page that nobody sees lets go of its connection after so long: a browser has few for one service, all tabs together. */
const hiddenGrace = 30_000;

/**
 * What happens in the service, over one connection for the whole page. A connection that is lost is made again; then everybody is told that
 * something may have been missed, also while the page was in the background.
 */
export class LiveEvents {
	readonly #client: Pick<Client, "stream">;
	readonly #onRefused: () => void;
	readonly #listeners = new Set<LiveListener>();
	readonly #state = signal<LiveState>("off");
	#connection: AbortController | undefined;
	#hiding: ReturnType<typeof setTimeout> | undefined;

	/** @param onRefused called when the service says that the session is over */
	constructor(client: Pick<Client, "stream">, onRefused: () => void) {
		this.#client = client;
		this.#onRefused = onRefused;
	}

	get state(): ReadonlySignal<LiveState> {
		return this.#state;
	}

	/** Be told of events until the returned function is called. */
	listen(listener: LiveListener): () => void {
		this.#listeners.add(listener);
		return () => void this.#listeners.delete(listener);
	}

	/** Begin; `isPolled` where the stream may not be read. */
	start({ isPolled }: { readonly isPolled: boolean }): void {
		this.stop();
		const connection = new AbortController();
		this.#connection = connection;
		void (isPolled ? this.#poll(connection.signal) : this.#follow(connection.signal));
	}

	stop(): void {
		this.#connection?.abort();
		this.#connection = undefined;
		this.#state.value = "off";
	}

	/** The page has been hidden, or is seen again. */
	setVisible(isVisible: boolean, options: { readonly isPolled: boolean }): void {
		clearTimeout(this.#hiding);
		if (!isVisible) this.#hiding = setTimeout(() => this.stop(), hiddenGrace);
		else if (this.#connection === undefined) this.start(options);
	}

	async #follow(signal: AbortSignal): Promise<void> {
		this.#state.value = "connecting";
		for (let wait = firstWait; !signal.aborted; wait = Math.min(wait * 2, longestWait)) {
			try {
				const onOpen = () => {
					wait = firstWait;
					this.#state.value = "live";
					this.#tell(undefined);
				};
				for await (const event of this.#client.stream({ events }, { signal, onOpen })) this.#tell(event);
			} catch (error) {
				if (isSvcError(error, "SVC_UNAUTHORIZED")) return this.#onRefused();
				if (isSvcError(error, "SVC_FORBIDDEN")) return this.#poll(signal);
			}
			if (signal.aborted) return;
			this.#state.value = "lost";
			await passed(wait, signal);
		}
	}

	async #poll(signal: AbortSignal): Promise<void> {
		this.#state.value = "polled";
		while (!signal.aborted) {
			await passed(pollEvery, signal);
			if (!signal.aborted) this.#tell(undefined);
		}
	}

	#tell(event: StreamEventRecord | undefined): void {
		for (const listener of [...this.#listeners]) listener(event);
	}
}

/** Resolves after so many milliseconds, or when the signal aborts; sooner when the browser has got its network back. */
function passed(milliseconds: number, signal: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		const done = () => {
			clearTimeout(timer);
			removeEventListener("online", done);
			signal.removeEventListener("abort", done);
			resolve();
		};
		const timer = setTimeout(done, milliseconds);
		addEventListener("online", done);
		signal.addEventListener("abort", done);
	});
}
