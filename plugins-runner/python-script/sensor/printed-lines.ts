import type { Logger } from "../../../core/contract/index.ts";

/** Most characters of an entry of the log. */
const longestEntry = 8_000;
/** Lines that arrive together above which they make entries together. */
const manyLines = 16;
/** Entries in a second; what comes after them waits for the next one, and makes entries together then. */
const mostEntries = 100;
/** Characters that may wait before the sensor has to. */
const mostWaiting = 64 * 1024;
/** Characters of the end that are kept, for the message of a failure. */
const keptTail = 8_000;

/** What a sensor prints on one channel, as entries of the log: one a line, unless there is a lot. */
export class PrintedLines {
	readonly #logger: Logger;
	readonly #channel: "stdout" | "stderr";
	#waiting = "";
	#tail = "";
	/** Entries in the second. */
	#entries = 0;
	#second = 0;
	#isHurried = false;
	/** Until the next second. */
	#pause: { readonly over: Promise<void>; end(): void } | undefined;

	constructor(logger: Logger, channel: "stdout" | "stderr") {
		this.#logger = logger;
		this.#channel = channel;
	}

	/** The last that was printed. */
	get tail(): string {
		return this.#tail;
	}

	/** Take a piece. Await it: it is the back-pressure. */
	async take(text: string): Promise<void> {
		this.#tail = (this.#tail + text).slice(-keptTail);
		this.#waiting += text;
		if (this.#isHurried) return this.#waiting.length > mostWaiting ? this.#write() : undefined;
		if (this.#pause === undefined && this.#mayWrite()) return this.#write();
		const { over } = (this.#pause ??= this.#beginPause());
		if (this.#waiting.length > mostWaiting) await over;
	}

	/** Let the sensor wait no more, as it is to end: there is little left that it could print. */
	hurry(): void {
		this.#isHurried = true;
		this.#pause?.end();
	}

	/** Write what waits, a line without its end too. */
	end(): void {
		this.#pause?.end();
		if (this.#waiting !== "") this.#write(`${this.#waiting}\n`);
	}

	#mayWrite(): boolean {
		const second = Math.floor(performance.now() / 1_000);
		if (second !== this.#second) [this.#second, this.#entries] = [second, 0];
		return this.#entries < mostEntries;
	}

	#beginPause() {
		let resolve = () => {};
		const over = new Promise<void>((done) => {
			resolve = done;
		});
		const end = () => {
			clearTimeout(timer);
			this.#pause = undefined;
			resolve();
		};
		const timer = setTimeout(() => {
			end();
			this.#write();
		}, 1_000);
		return { over, end };
	}

	/** Whole lines, or everything where a line is too long to wait for its end. */
	#write(text = this.#waiting): void {
		const whole = text.lastIndexOf("\n") + 1;
		const end = text.length - whole > longestEntry ? text.length : whole;
		this.#waiting = text.slice(end);
		for (const entry of toEntries(text.slice(0, end))) {
			this.#entries += 1;
			this.#logger[this.#channel === "stderr" ? "warn" : "info"]("sensor prints", { channel: this.#channel, text: entry });
		}
	}
}

function toEntries(text: string): readonly string[] {
	const lines = text.split("\n").filter((line) => line.trim() !== "");
	if (lines.length <= manyLines && lines.every((line) => line.length <= longestEntry)) return lines;
	const joined = lines.join("\n");
	const count = Math.ceil(joined.length / longestEntry);
	return Array.from({ length: count }, (_, index) => joined.slice(index * longestEntry, (index + 1) * longestEntry));
}
