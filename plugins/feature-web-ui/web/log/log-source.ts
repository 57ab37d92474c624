import { type ReadonlySignal, signal } from "@preact/signals";
import { isSvcError, type OutputType } from "../../../../core/contract/index.ts";
import { delay, type OutputChunkRecord, type OutputLineRecord, type OutputLinesRecord } from "../../../_shipped/client.ts";
import { client, session } from "../kit/service.ts";
import { LineCache, pageSize, toPageOf } from "./line-cache.ts";
import { OutputSplitter } from "./output-splitter.ts";

const quickest = 400;
const slowest = 2_000;
const retryAfter = 1_000;

/**
 * Lines of an output by their numbers. Lines are read when they are displayed, dropped from the cache later, and added while the execution
 * prints. The service numbers the lines. Therefore no line is shown twice or missing, even if connections break.
 */
export class LogSource {
	readonly #id: string;
	readonly #only: { readonly type?: OutputType };
	readonly #pages = new LineCache();
	readonly #reading = new Map<number, Promise<void>>();
	readonly #stop = new AbortController();
	readonly #total = signal<number | undefined>(undefined);
	readonly #version = signal(0);
	readonly #problem = signal("");
	#end: OutputSplitter | undefined;
	#isShown = true;
	#isEnded = false;

	constructor(id: string, type: OutputType | undefined) {
		this.#id = id;
		this.#only = type === undefined ? {} : { type };
	}

	/** Number of lines so far; undefined until the first response. */
	get total(): ReadonlySignal<number | undefined> {
		return this.#total;
	}

	/** Counter that increases whenever cached lines change. */
	get version(): ReadonlySignal<number> {
		return this.#version;
	}

	/** Error message while the output cannot be read; empty otherwise. */
	get problem(): ReadonlySignal<string> {
		return this.#problem;
	}

	/** Returns a line, or undefined if it is not cached. */
	line(number: number): OutputLineRecord | undefined {
		return this.#pages.line(number);
	}

	/** Reads the lines from `first` to `last` that are not cached. */
	want(first: number, last: number): void {
		const total = this.#total.peek() ?? 0;
		for (let page = toPageOf(Math.max(1, first)); page <= toPageOf(Math.min(last, total)); page += 1) {
			if (this.#pages.count(page) < Math.min(pageSize, total - page * pageSize)) void this.#readPage(page);
		}
	}

	/** Follows the output until all of it has been read or `stop` is called. If no stream is available, polls instead. */
	async run(): Promise<void> {
		const { signal } = this.#stop;
		for (let wait = quickest; !signal.aborted; wait = Math.min(wait * 1.5, slowest)) {
			await untilSeen(signal);
			// Check the flag before reading. An execution stores all of its output before it ends, so a read that starts afterwards is complete.
			const isEnded = this.#isEnded;
			const before = this.#total.peek();
			const isRead = await this.#readEnd();
			if (isRead && (isEnded || (await this.#follow()))) return;
			if (this.#total.peek() !== before) wait = quickest;
			await delay(wait, signal);
		}
	}

	/** Marks the execution as ended: every read from now on returns the complete output. */
	setEnded(): void {
		this.#isEnded = true;
	}

	stop(): void {
		this.#stop.abort();
	}

	/**
	 * Adds lines from the output stream as they are printed. Returns true if the stream ended because the output is complete. Returns false
	 * if it was interrupted.
	 */
	async #follow(): Promise<boolean> {
		const shown = new AbortController();
		const signal = AbortSignal.any([this.#stop.signal, shown.signal]);
		const opening = new AbortController();
		// Hidden pages disconnect: browsers limit the connections to one server, and all tabs share them.
		const hide = () => document.visibilityState === "hidden" && shown.abort();
		document.addEventListener("visibilitychange", hide);
		void this.#readUntil(AbortSignal.any([signal, opening.signal]));
		try {
			const onOpen = () => {
				opening.abort();
				this.#problem.value = "";
			};
			const onReconnect = (error: Error) => (this.#problem.value = error.message);
			const after = String(this.#end?.last ?? 0);
			for await (const chunk of client.followOutput(this.#id, { ...this.#only, after, signal, onOpen, onReconnect })) this.#take(chunk);
			return !signal.aborted;
		} catch (error) {
			// The service or the user has reached the limit of open streams: poll instead.
			if (!isSvcError(error, "SVC_TOO_MANY")) this.#refuse(error);
			return false;
		} finally {
			opening.abort();
			document.removeEventListener("visibilitychange", hide);
		}
	}

	/** Polls until the signal aborts. Needed if the stream does not open, because some proxies do not forward streams. */
	async #readUntil(signal: AbortSignal): Promise<void> {
		for (;;) {
			await delay(slowest, signal);
			if (signal.aborted) return;
			await this.#readEnd();
		}
	}

	#take(chunk: OutputChunkRecord): void {
		for (const line of this.#end?.take(chunk) ?? []) this.#pages.add(line);
		this.#show();
	}

	/** Reads from the last cached page to the end of the output. Returns true if all reads succeeded. */
	async #readEnd(): Promise<boolean> {
		for (let page = toPageOf(this.#end?.total || 1); ; ) {
			const answer = await this.#read(page);
			if (answer === undefined) return false;
			if (answer.event_id !== null) {
				const end = new OutputSplitter(answer, page * pageSize);
				if (this.#end === undefined || end.last > this.#end.last) this.#end = end;
				return true;
			}
			page = Math.max(page + 1, toPageOf(answer.total));
		}
	}

	#readPage(page: number): Promise<void> {
		const known = this.#reading.get(page);
		if (known !== undefined) return known;
		const reading = this.#read(page).then((answer) => {
			this.#reading.delete(page);
			if (answer === undefined && !this.#stop.signal.aborted) setTimeout(() => this.#readPage(page), retryAfter);
		});
		this.#reading.set(page, reading);
		return reading;
	}

	async #read(page: number): Promise<OutputLinesRecord | undefined> {
		const { signal } = this.#stop;
		try {
			const fromLine = page * pageSize + 1;
			const answer = await client.executions.outputLines(this.#id, { ...this.#only, fromLine, lines: pageSize, signal });
			if (signal.aborted) return undefined;
			this.#pages.keep(page, answer, this.#end?.last ?? 0);
			this.#total.value = Math.max(answer.total, this.#total.peek() ?? 0);
			this.#version.value += 1;
			this.#problem.value = "";
			return answer;
		} catch (error) {
			this.#refuse(error);
			return undefined;
		}
	}

	#refuse(error: unknown): void {
		if (this.#stop.signal.aborted) return;
		if (isSvcError(error, "SVC_UNAUTHORIZED")) session.end();
		this.#problem.value = error instanceof Error ? error.message : String(error);
	}

	/** Updates the signals at most once per animation frame, however many chunks arrive. */
	#show(): void {
		if (!this.#isShown) return;
		this.#isShown = false;
		requestAnimationFrame(() => {
			this.#isShown = true;
			this.#total.value = Math.max(this.#end?.total ?? 0, this.#total.peek() ?? 0);
			this.#version.value += 1;
		});
	}
}

/** Resolves when the page is visible or the signal aborts. */
function untilSeen(signal: AbortSignal): Promise<void> {
	if (document.visibilityState === "visible") return Promise.resolve();
	const seen = new AbortController();
	document.addEventListener("visibilitychange", () => seen.abort(), { once: true, signal });
	return new Promise((resolve) => AbortSignal.any([signal, seen.signal]).addEventListener("abort", () => resolve(), { once: true }));
}
