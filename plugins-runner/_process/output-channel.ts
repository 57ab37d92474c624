import { StringDecoder } from "node:string_decoder";
import { windowSize } from "./protocol.ts";
import { WaitingBytes } from "./waiting-bytes.ts";

/** How long a line without its end is held back, in milliseconds: long enough for a line, short enough for a prompt. */
const holdTime = 50;
/** Bytes from which text is handed on without waiting for the end of its line. */
const holdLength = 64 * 1024;
/** Bytes that have arrived and are dealt with together, at most: about what one read of a pipe brings, and four such texts fit a page of the heap. */
const takenTogether = 60 * 1024;
/** Where so many bytes come within so many milliseconds, more is waited for as long as this, until there is as much as is dealt with together. */
const flood = { bytes: 64 * 1024, time: 50, wait: 4 };
/** Above either of these, what arrived together is handed on together. */
const manyLines = 16;
const muchText = 16 * 1024;

const newline = 10;

interface OutputChannelOptions {
	/** Takes the text; nothing more is handed on until it has resolved. */
	deliver(text: string): Promise<void> | void;
	/** So many bytes have been dealt with. */
	onConsumed(bytes: number): void;
	/** `deliver` failed; what still arrives is thrown away. */
	onFailure(error: unknown): void;
}

/** Turns the bytes of one channel into text, by lines where they come slowly and in larger pieces where they come fast. */
export class OutputChannel {
	/** Resolves when the channel has ended and all was delivered. */
	readonly done: Promise<void>;
	readonly #options: OutputChannelOptions;
	readonly #decoder = new StringDecoder("utf8");
	/** In bytes, so that what comes fast becomes text in one go, with no copies in between. */
	readonly #waiting = new WaitingBytes();
	#ended = false;
	#failed = false;
	#wake: (() => void) | undefined;
	/** How many bytes must have arrived for the next step. */
	#wanted = 1;
	/** Bytes of late, the longer ago the fewer, as of a time. */
	#pace = 0;
	#pacedAt = 0;
	#unreported = 0;
	/** How many of the first waiting bytes are a line that is waited for the end of. */
	#held = 0;
	#heldSince = 0;

	constructor(options: OutputChannelOptions) {
		this.#options = options;
		this.done = this.#pump();
	}

	/** Copies the bytes. */
	push(bytes: Uint8Array): void {
		this.#waiting.add(bytes);
		if (this.#arrived >= this.#wanted) this.#wake?.();
	}

	end(): void {
		this.#ended = true;
		this.#wake?.();
	}

	async #pump(): Promise<void> {
		for (;;) {
			if (this.#arrived > 0) {
				if (this.#paceAt(performance.now()) >= flood.bytes) await this.#gather();
				await this.#take();
			} else if (this.#ended) break;
			else await this.#wait();
		}
		await this.#deliver(this.#decodeHeld() + this.#decoder.end());
	}

	get #arrived(): number {
		return this.#waiting.length - this.#held;
	}

	/** In a flood small pieces would cost as much as large ones, each of them. */
	async #gather(): Promise<void> {
		if (this.#ended || this.#arrived >= takenTogether) return;
		this.#wanted = takenTogether;
		await new Promise<void>((resolve) => {
			const timer = setTimeout(resolve, flood.wait);
			this.#wake = () => {
				clearTimeout(timer);
				resolve();
			};
		});
		this.#wake = undefined;
		this.#wanted = 1;
	}

	#measure(bytes: number): void {
		const now = performance.now();
		this.#pace = this.#paceAt(now) + bytes;
		this.#pacedAt = now;
	}

	#paceAt(now: number): number {
		return this.#pace * Math.max(0, 1 - (now - this.#pacedAt) / flood.time);
	}

	async #take(): Promise<void> {
		const held = this.#held;
		const length = Math.min(this.#waiting.length, held + takenTogether);
		const bytes = this.#waiting.first(length);
		const end = bytes.lastIndexOf(newline) + 1;
		const lines = this.#decoder.write(bytes.subarray(0, end));
		this.#waiting.drop(end);
		this.#held = length - end;
		this.#measure(length - held);
		if (held === 0 || end > 0) this.#heldSince = performance.now();
		for (const piece of toPieces(lines)) await this.#deliver(piece);
		if (this.#held >= holdLength) await this.#deliver(this.#decodeHeld());
		this.#report(length - held);
	}

	/** Until more arrives, or what is held back has been for long enough. */
	async #wait(): Promise<void> {
		let timer: NodeJS.Timeout | undefined;
		const more = new Promise<boolean>((resolve) => {
			this.#wake = () => resolve(true);
			if (this.#held > 0) timer = setTimeout(() => resolve(false), Math.max(0, this.#heldSince + holdTime - performance.now()));
		});
		const arrived = await more;
		clearTimeout(timer);
		this.#wake = undefined;
		if (!arrived) await this.#deliver(this.#decodeHeld());
	}

	/** The beginning of a character stays in the decoder. */
	#decodeHeld(): string {
		const text = this.#decoder.write(this.#waiting.first(this.#held));
		this.#waiting.drop(this.#held);
		this.#held = 0;
		return text;
	}

	async #deliver(text: string): Promise<void> {
		if (text === "" || this.#failed) return;
		try {
			await this.#options.deliver(text);
		} catch (error) {
			this.#failed = true;
			this.#options.onFailure(error);
		}
	}

	#report(bytes: number): void {
		this.#unreported += bytes;
		if (this.#unreported < windowSize / 4) return;
		this.#options.onConsumed(this.#unreported);
		this.#unreported = 0;
	}
}

/** One piece a line, unless there is a lot. */
function toPieces(lines: string): readonly string[] {
	if (lines === "") return [];
	if (lines.length > muchText) return [lines];
	const pieces = lines.split(/(?<=\n)/);
	return pieces.length > manyLines ? [lines] : pieces;
}
