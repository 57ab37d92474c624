import type { Logger } from "../../../core/contract/index.ts";

/** Maximum length of a log entry in characters. */
const maxEntryLength = 8_000;
/** Maximum number of lines in one write that become separate log entries; more lines are joined into longer entries. */
const manyLines = 16;
/** Maximum number of log entries a second. Further output waits for the next second, so that it can be joined into longer entries. */
const maxEntries = 100;
/** Characters that may wait before the sensor is blocked. */
const maxWaiting = 64 * 1024;
/** Characters kept from the end of the output, for the error message if the sensor fails. */
const keptTail = 8_000;

/** Writes the output of a sensor on one channel to the log: one entry a line, or joined lines if there are many. */
export class PrintedLines {
	readonly #logger: Logger;
	readonly #channel: "stdout" | "stderr";
	#waiting = "";
	#tail = "";
	/** Log entries written in the current second. */
	#entries = 0;
	#second = 0;
	#isHurried = false;
	/** Pause of one second; undefined if no output waits. */
	#pause: { readonly over: Promise<void>; end(): void } | undefined;

	constructor(logger: Logger, channel: "stdout" | "stderr") {
		this.#logger = logger;
		this.#channel = channel;
	}

	/** The last 8,000 characters that the sensor printed. */
	get tail(): string {
		return this.#tail;
	}

	/** Logs a part of the output. The caller must await it: the returned promise applies back-pressure to the sensor. */
	async take(text: string): Promise<void> {
		this.#tail = (this.#tail + text).slice(-keptTail);
		this.#waiting += text;
		if (this.#isHurried) return this.#waiting.length > maxWaiting ? this.#write() : undefined;
		if (this.#pause === undefined && this.#mayWrite()) return this.#write();
		const { over } = (this.#pause ??= this.#beginPause());
		if (this.#waiting.length > maxWaiting) await over;
	}

	/** Removes the rate limit because the sensor must end. Only a little output can still follow. */
	hurry(): void {
		this.#isHurried = true;
		this.#pause?.end();
	}

	/** Writes the waiting output, even if its last line is incomplete. */
	end(): void {
		this.#pause?.end();
		if (this.#waiting !== "") this.#write(`${this.#waiting}\n`);
	}

	#mayWrite(): boolean {
		const second = Math.floor(performance.now() / 1_000);
		if (second !== this.#second) [this.#second, this.#entries] = [second, 0];
		return this.#entries < maxEntries;
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

	/** Writes all complete lines, or the whole output if the incomplete line exceeds the length of an entry. */
	#write(text = this.#waiting): void {
		const whole = text.lastIndexOf("\n") + 1;
		const end = text.length - whole > maxEntryLength ? text.length : whole;
		this.#waiting = text.slice(end);
		for (const entry of toEntries(text.slice(0, end))) {
			this.#entries += 1;
			this.#logger[this.#channel === "stderr" ? "warn" : "info"]("sensor prints", { channel: this.#channel, text: entry });
		}
	}
}

function toEntries(text: string): readonly string[] {
	const lines = text.split("\n").filter((line) => line.trim() !== "");
	if (lines.length <= manyLines && lines.every((line) => line.length <= maxEntryLength)) return lines;
	const joined = lines.join("\n");
	const count = Math.ceil(joined.length / maxEntryLength);
	return Array.from({ length: count }, (_, index) => joined.slice(index * maxEntryLength, (index + 1) * maxEntryLength));
}
