import { StringDecoder } from "node:string_decoder";
import { windowSize } from "./protocol.ts";

/** How long a line without its end is held back, in milliseconds: long enough for a line, short enough for a prompt. */
const holdTime = 50;
/** Length from which text is handed on without waiting for the end of its line. */
const holdLength = 64 * 1024;
/** Above either of these, what arrived together is handed on together. */
const manyLines = 16;
const muchText = 16 * 1024;

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
	readonly #queue: Buffer[] = [];
	#ended = false;
	#failed = false;
	#wake: (() => void) | undefined;
	#unreported = 0;
	#held = "";
	#heldSince = 0;

	constructor(options: OutputChannelOptions) {
		this.#options = options;
		this.done = this.#pump();
	}

	push(bytes: Buffer): void {
		this.#queue.push(bytes);
		this.#wake?.();
	}

	end(): void {
		this.#ended = true;
		this.#wake?.();
	}

	async #pump(): Promise<void> {
		for (;;) {
			const bytes = this.#queue.shift();
			if (bytes !== undefined) {
				await this.#take(this.#decoder.write(bytes));
				this.#report(bytes.length);
			} else if (this.#ended) break;
			else await this.#wait();
		}
		await this.#deliver(this.#held + this.#decoder.end());
	}

	async #take(text: string): Promise<void> {
		const started = this.#held === "";
		this.#held += text;
		const end = this.#held.lastIndexOf("\n") + 1;
		const lines = this.#held.slice(0, end);
		this.#held = this.#held.slice(end);
		if (started || end > 0) this.#heldSince = performance.now();
		for (const piece of toPieces(lines)) await this.#deliver(piece);
		if (this.#held.length >= holdLength) await this.#deliverHeld();
	}

	/** Until more arrives, or what is held back has been for long enough. */
	async #wait(): Promise<void> {
		let timer: NodeJS.Timeout | undefined;
		const more = new Promise<boolean>((resolve) => {
			this.#wake = () => resolve(true);
			if (this.#held !== "") timer = setTimeout(() => resolve(false), Math.max(0, this.#heldSince + holdTime - performance.now()));
		});
		const arrived = await more;
		clearTimeout(timer);
		this.#wake = undefined;
		if (!arrived) await this.#deliverHeld();
	}

	async #deliverHeld(): Promise<void> {
		const text = this.#held;
		this.#held = "";
		await this.#deliver(text);
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
