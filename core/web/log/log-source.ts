import { type ReadonlySignal, signal } from "@preact/signals";
import { delay } from "../../client/delay.ts";
import { isSvcError } from "../../contract/errors.ts";
import type { OutputType } from "../../contract/runner.ts";
import type { OutputChunkRecord, OutputLineRecord, OutputLinesRecord } from "../../features/clients.ts";
import { client, session } from "../kit/service.ts";
import { LogPages, pageSize, toPageOf } from "./log-pages.ts";
import { PrintedLines } from "./printed-lines.ts";

const quickest = 400;
const slowest = 2_000;
const retryAfter = 1_000;

/**
 * The lines of an output, by their numbers: read when they are looked at, forgotten when others are, and followed as they are printed. The
 * service counts the lines, so whatever happens to connections meanwhile, none is shown twice and none is missing.
 */
export class LogSource {
	readonly #id: string;
	readonly #only: { readonly type?: OutputType };
	readonly #pages = new LogPages();
	readonly #reading = new Map<number, Promise<void>>();
	readonly #stop = new AbortController();
	readonly #total = signal<number | undefined>(undefined);
	readonly #version = signal(0);
	readonly #problem = signal("");
	#end: PrintedLines | undefined;
	#isShown = true;
	#isEnded = false;

	constructor(id: string, type: OutputType | undefined) {
		this.#id = id;
		this.#only = type === undefined ? {} : { type };
	}

	/** How many lines there are so far; undefined until that is known. */
	get total(): ReadonlySignal<number | undefined> {
		return this.#total;
	}

	/** Grows with every line that has become known. */
	get version(): ReadonlySignal<number> {
		return this.#version;
	}

	/** Why nothing can be read at the moment; empty while all is well. */
	get problem(): ReadonlySignal<string> {
		return this.#problem;
	}

	/** A line that is known; undefined while it is not. */
	line(number: number): OutputLineRecord | undefined {
		return this.#pages.line(number);
	}

	/** Read what of these lines is not there yet. */
	want(first: number, last: number): void {
		const total = this.#total.peek() ?? 0;
		for (let page = toPageOf(Math.max(1, first)); page <= toPageOf(Math.min(last, total)); page += 1) {
			if (this.#pages.count(page) < Math.min(pageSize, total - page * pageSize)) void this.#readPage(page);
		}
	}

	/** Follow the output until all of it is there; where there is no stream to be had, by looking again and again. */
	async run(): Promise<void> {
		const { signal } = this.#stop;
		for (let wait = quickest; !signal.aborted; wait = Math.min(wait * 1.5, slowest)) {
			await untilSeen(signal);
			// Asked before: whatever an execution has printed is there when it has ended.
			const isEnded = this.#isEnded;
			const before = this.#total.peek();
			const isRead = await this.#readEnd();
			if (isRead && (isEnded || (await this.#follow()))) return;
			if (this.#total.peek() !== before) wait = quickest;
			await delay(wait, signal);
		}
	}

	/** The execution has ended: what is read from now on is all of it. */
	setEnded(): void {
		this.#isEnded = true;
	}

	stop(): void {
		this.#stop.abort();
	}

	/** Take what is printed as it comes. Whether that was all of it, and not the stream that has ended. */
	async #follow(): Promise<boolean> {
		const shown = new AbortController();
		const signal = AbortSignal.any([this.#stop.signal, shown.signal]);
		const opening = new AbortController();
		// A page that nobody sees needs no connection: a browser has few for one service, all tabs together.
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
			// So many streams, or so many of this user: looking again and again will do.
			if (!isSvcError(error, "SVC_TOO_MANY")) this.#refuse(error);
			return false;
		} finally {
			opening.abort();
			document.removeEventListener("visibilitychange", hide);
		}
	}

	/** Look again and again, until the signal: some proxies let no stream through. */
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

	/** From the last lines that are known on, to the end. Whether it went well. */
	async #readEnd(): Promise<boolean> {
		for (let page = toPageOf(this.#end?.total || 1); ; ) {
			const answer = await this.#read(page);
			if (answer === undefined) return false;
			if (answer.event_id !== null) {
				const end = new PrintedLines(answer, page * pageSize);
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

	/** Once for all that comes before the browser draws again. */
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

/** Resolves when somebody sees the page, or the signal aborts. */
function untilSeen(signal: AbortSignal): Promise<void> {
	if (document.visibilityState === "visible") return Promise.resolve();
	const seen = new AbortController();
	document.addEventListener("visibilitychange", () => seen.abort(), { once: true, signal });
	return new Promise((resolve) => AbortSignal.any([signal, seen.signal]).addEventListener("abort", () => resolve(), { once: true }));
}
