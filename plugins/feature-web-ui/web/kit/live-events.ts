import { type ReadonlySignal, signal } from "@preact/signals";
import { isSvcError } from "../../../../core/contract/index.ts";
import type { Client, StreamEventRecord } from "../../../_shipped/client.ts";

/** State of the event stream. `polled`: the user may not read the stream, so the page reloads its data every 5 s. */
export type LiveState = "off" | "connecting" | "live" | "lost" | "polled";

/** Receives an event. Undefined means that events may have been missed and the displayed data must be read again. */
export type LiveListener = (event: StreamEventRecord | undefined) => void;

/** Events that the page subscribes to. */
const events = "svc.execution__*,svc.task__update";
const firstWait = 500;
const maxWait = 15_000;
const pollEvery = 5_000;
/** Milliseconds after which a hidden page closes its connection. Browsers limit the connections to one server, and all tabs share them. */
const hiddenGrace = 30_000;

/**
 * Receives the events of the service over one connection for the whole page, and reconnects if it is lost. After each new connection, all
 * listeners are notified that they may have missed events, for example while the page was hidden.
 */
export class LiveEvents {
	readonly #client: Pick<Client, "stream">;
	readonly #onRefused: () => void;
	readonly #listeners = new Set<LiveListener>();
	readonly #state = signal<LiveState>("off");
	#connection: AbortController | undefined;
	#hiding: ReturnType<typeof setTimeout> | undefined;

	/** @param onRefused called when the service reports that the session has ended */
	constructor(client: Pick<Client, "stream">, onRefused: () => void) {
		this.#client = client;
		this.#onRefused = onRefused;
	}

	get state(): ReadonlySignal<LiveState> {
		return this.#state;
	}

	/** Adds a listener. The returned function removes it. */
	listen(listener: LiveListener): () => void {
		this.#listeners.add(listener);
		return () => void this.#listeners.delete(listener);
	}

	/** Connects to the event stream, or polls if `isPolled` is true because the user may not read the stream. */
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

	/** Handles a change of the page's visibility: disconnects 30 s after the page was hidden, and reconnects when it is visible again. */
	setVisible(isVisible: boolean, options: { readonly isPolled: boolean }): void {
		clearTimeout(this.#hiding);
		if (!isVisible) this.#hiding = setTimeout(() => this.stop(), hiddenGrace);
		else if (this.#connection === undefined) this.start(options);
	}

	async #follow(signal: AbortSignal): Promise<void> {
		this.#state.value = "connecting";
		for (let wait = firstWait; !signal.aborted; wait = Math.min(wait * 2, maxWait)) {
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

/** Resolves after this many milliseconds, or earlier when the signal aborts or the browser is online again. */
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
