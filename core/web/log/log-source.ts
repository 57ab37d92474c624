import { type ReadonlySignal, signal } from "@preact/signals";
import { isSvcError } from "../../contract/errors.ts";
import type { OutputType } from "../../contract/runner.ts";
import type { OutputLineRecord } from "../../features/clients.ts";
import { client, session } from "../kit/service.ts";

/** Lines that are asked for together. */
const pageSize = 200;
/** Pages that are kept; those that were looked at longest ago go first. */
const mostPages = 40;
const quickest = 400;
const slowest = 2_000;
const retryAfter = 1_000;

/**
 * The lines of an output, by their numbers: read when they are looked at, and forgotten when others are. The service counts the lines, so
 * whatever happens to connections meanwhile, none is shown twice and none is missing.
 */
export class LogSource {
	readonly #id: string;
	readonly #type: OutputType | undefined;
	readonly #pages = new Map<number, readonly OutputLineRecord[]>();
	readonly #reading = new Map<number, Promise<void>>();
	readonly #stop = new AbortController();
	readonly #total = signal<number | undefined>(undefined);
	readonly #version = signal(0);
	readonly #problem = signal("");
	#isEnded = false;
	#wake = () => {};

	constructor(id: string, type: OutputType | undefined) {
		this.#id = id;
		this.#type = type;
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

	/** A line that has been read; undefined while it has not. */
	line(number: number): OutputLineRecord | undefined {
		return this.#pages.get(toPageOf(number))?.[(number - 1) % pageSize];
	}

	/** Read what of these lines is not there yet. */
	want(first: number, last: number): void {
		const total = this.#total.peek() ?? 0;
		for (let page = toPageOf(Math.max(1, first)); page <= toPageOf(Math.min(last, total)); page += 1) {
			if (this.#isMissing(page, total)) void this.#readPage(page);
		}
	}

	/** Look for new lines until the execution has ended, more seldom while there are none. */
	async run(): Promise<void> {
		let wait = quickest;
		while (!this.#stop.signal.aborted) {
			// Asked before: whatever an execution has printed is there when it has ended.
			const isEnded = this.#isEnded;
			const before = this.#total.peek();
			const isRead = await this.#readEnd();
			if (isRead && isEnded) return;
			wait = this.#total.peek() === before ? Math.min(wait * 1.5, slowest) : quickest;
			await this.#waited(wait);
		}
	}

	/** The execution has ended: look once more. */
	setEnded(): void {
		this.#isEnded = true;
		this.#wake();
	}

	stop(): void {
		this.#stop.abort();
		this.#wake();
	}

	/** Whether lines of the page are not there that could be. The last line may go on: only a later one says that it has ended. */
	#isMissing(page: number, total: number): boolean {
		const known = this.#pages.get(page)?.length ?? 0;
		return known < Math.min(pageSize, total - page * pageSize);
	}

	/** The last lines that are known, and how many there are now. */
	async #readEnd(): Promise<boolean> {
		const page = toPageOf(Math.max(1, this.#total.peek() ?? 1));
		await this.#reading.get(page);
		return this.#read(page);
	}

	#readPage(page: number): Promise<void> {
		const known = this.#reading.get(page);
		if (known !== undefined) return known;
		const reading = this.#read(page).then((isRead) => {
			this.#reading.delete(page);
			if (!isRead && !this.#stop.signal.aborted) setTimeout(() => this.#readPage(page), retryAfter);
		});
		this.#reading.set(page, reading);
		return reading;
	}

	async #read(page: number): Promise<boolean> {
		const { signal } = this.#stop;
		const type = this.#type === undefined ? {} : { type: this.#type };
		try {
			const fromLine = page * pageSize + 1;
			const { total, lines } = await client.executions.outputLines(this.#id, { ...type, fromLine, lines: pageSize, signal });
			if (signal.aborted) return false;
			this.#keep(page, lines);
			this.#total.value = Math.max(total, this.#total.peek() ?? 0);
			this.#version.value += 1;
			this.#problem.value = "";
			return true;
		} catch (error) {
			if (signal.aborted) return false;
			if (isSvcError(error, "SVC_UNAUTHORIZED")) session.end();
			this.#problem.value = error instanceof Error ? error.message : String(error);
			return false;
		}
	}

	#keep(page: number, lines: readonly OutputLineRecord[]): void {
		this.#pages.delete(page);
		this.#pages.set(page, lines);
		const [oldest] = this.#pages.keys();
		if (this.#pages.size > mostPages && oldest !== undefined) this.#pages.delete(oldest);
	}

	#waited(milliseconds: number): Promise<void> {
		return new Promise((resolve) => {
			const timer = setTimeout(resolve, milliseconds);
			this.#wake = () => {
				clearTimeout(timer);
				resolve();
			};
		});
	}
}

function toPageOf(line: number): number {
	return Math.floor((line - 1) / pageSize);
}
