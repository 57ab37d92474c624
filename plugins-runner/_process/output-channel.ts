import { isAscii } from "node:buffer";
import { StringDecoder } from "node:string_decoder";
import { ByteQueue } from "./byte-queue.ts";
import { creditWindowBytes } from "./protocol.ts";

/** How long a line without its end is held back, in milliseconds: long enough for a line, short enough for a prompt. */
const holdTime = 50;
/** Bytes from which text is handed on without waiting for the end of its line. */
const holdLength = 64 * 1024;
/** Bytes that have arrived and are dealt with together, at most: about what one read of a pipe brings, and four such texts fit a page of the heap. */
const takenTogether = 60 * 1024;
/** The same of what is handed on as bytes, which no heap has to hold. */
const bytesTogether = 240 * 1024;
/** Where so many bytes come within so many milliseconds, more is waited for as long as this, until there is as much as is dealt with together. */
const flood = { bytes: 64 * 1024, time: 50, wait: 4 };
/** Bytes of a line that is handed on as it comes, where it comes by itself. */
const shortLine = 4 * 1024;
/** Above either of these, what arrived together is handed on together. */
const manyLines = 16;
const muchText = 16 * 1024;

const newline = 10;

interface OutputChannelOptions {
	/** Takes the text; nothing more is handed on until it has resolved. */
	deliver(text: string): Promise<void> | void;
	/** The same for much text of ASCII, as bytes that are there until it returns its promise. */
	deliverBytes?(bytes: Buffer): Promise<void>;
	/** So many bytes have been dealt with. */
	onConsumed(bytes: number): void;
	/** `deliver` failed; what still arrives is thrown away. */
	onFailure(error: unknown): void;
}

/** Turns the bytes of one channel into text, by lines where they come slowly and in larger pieces where they come fast. */
export class OutputChannel {
	readonly #options: OutputChannelOptions;
	#decoder: StringDecoder | undefined;
	/** Until all was delivered, once something has come that is no line by itself. */
	#pumping: Promise<void> | undefined;
	/** Until a line by itself was delivered. */
	#passing: Promise<void> | undefined;
	/** In bytes, so that what comes fast becomes text in one go, with no copies in between. */
	readonly #waiting = new ByteQueue();
	/** Whether the decoder may hold the beginning of a character. */
	#isCharacterOpen = false;
	/** Whether what was dealt with last was much of ASCII. */
	#wasAscii = false;
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
	}

	/** Resolves when the channel has ended and all was delivered. */
	get whenDone(): Promise<void> {
		if (this.#pumping === undefined && this.#ended) return this.#passing ?? Promise.resolve();
		return this.#startPump();
	}

	/** Memory that bytes may be read to, as many as are on their way at most, before they are pushed: then they need not be copied. */
	nextBuffer(): Buffer {
		return this.#waiting.nextBuffer();
	}

	/** Copies the bytes, unless they are the first of the `place`, which is another one afterwards. */
	push(bytes: Uint8Array): void {
		if (this.#isLine(bytes)) {
			this.#passing = this.#passLine(bytes);
			return;
		}
		this.#waiting.add(bytes);
		void this.#startPump();
		if (this.#arrived >= this.#wanted) this.#wake?.();
	}

	end(): void {
		this.#ended = true;
		this.#wake?.();
	}

	/** Whether it can be handed on by itself: nothing is under way, and there is no flood. */
	#isLine(bytes: Uint8Array): boolean {
		if (this.#pumping !== undefined || this.#passing !== undefined || bytes.length > shortLine) return false;
		return bytes.indexOf(newline) === bytes.length - 1 && this.#paceAt(performance.now()) < flood.bytes;
	}

	async #passLine(bytes: Uint8Array): Promise<void> {
		const { length } = bytes;
		const text = Buffer.from(bytes.buffer, bytes.byteOffset, length).toString();
		this.#measure(length);
		await this.#deliver(text);
		this.#passing = undefined;
		this.#report(length);
	}

	#startPump(): Promise<void> {
		this.#pumping ??= this.#pump();
		return this.#pumping;
	}

	async #pump(): Promise<void> {
		await this.#passing;
		for (;;) {
			if (this.#arrived > 0) {
				if (this.#paceAt(performance.now()) >= flood.bytes) await this.#gather();
				await this.#take();
			} else if (this.#ended) break;
			else await this.#wait();
		}
		await this.#passHeld();
		await this.#deliver(this.#decoder?.end() ?? "");
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
			const wake = () => {
				clearTimeout(timer);
				resolve();
			};
			this.#wake = wake;
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
		const length = this.#chooseLength(held);
		const end = this.#waiting.peek(length).lastIndexOf(newline) + 1;
		this.#held = length - end;
		this.#measure(length - held);
		if (held === 0 || end > 0) this.#heldSince = performance.now();
		await this.#pass(end, this.#wasAscii);
		if (this.#held >= holdLength) await this.#passHeld();
		this.#report(length - held);
	}

	/** How many of the waiting bytes are dealt with now. */
	#chooseLength(held: number): number {
		const most = Math.min(this.#waiting.length, held + (this.#wasAscii ? bytesTogether : takenTogether));
		this.#wasAscii = this.#areBytes(most);
		return this.#wasAscii ? most : Math.min(most, held + takenTogether);
	}

	#passHeld(): Promise<void> {
		const held = this.#held;
		this.#held = 0;
		return this.#pass(held, this.#areBytes(held));
	}

	/** Whether the first waiting bytes are much, each of them a character. */
	#areBytes(length: number): boolean {
		return this.#options.deliverBytes !== undefined && length > muchText && !this.#isCharacterOpen && isAscii(this.#waiting.peek(length));
	}

	/** Hand on the first waiting bytes, which wait no longer: much of ASCII as it is, all else as text. */
	async #pass(length: number, areAscii: boolean): Promise<void> {
		const bytes = this.#waiting.peek(length);
		if (areAscii && length > muchText) {
			const delivered = this.#failed ? undefined : this.#options.deliverBytes?.(bytes);
			this.#waiting.drop(length);
			return this.#settle(delivered);
		}
		this.#decoder ??= new StringDecoder("utf8");
		const text = this.#decoder.write(bytes);
		if (length > 0) this.#isCharacterOpen = (bytes[length - 1] as number) >= 0x80;
		this.#waiting.drop(length);
		for (const piece of toPieces(text)) await this.#deliver(piece);
	}

	/** Until more arrives, or what is held back has been for long enough. */
	async #wait(): Promise<void> {
		let timer: NodeJS.Timeout | undefined;
		const more = new Promise<boolean>((resolve) => {
			const wake = () => resolve(true);
			this.#wake = wake;
			if (this.#held > 0) timer = setTimeout(() => resolve(false), Math.max(0, this.#heldSince + holdTime - performance.now()));
		});
		const arrived = await more;
		clearTimeout(timer);
		this.#wake = undefined;
		if (!arrived) await this.#passHeld();
	}

	async #deliver(text: string): Promise<void> {
		if (text === "" || this.#failed) return;
		try {
			await this.#options.deliver(text);
		} catch (error) {
			this.#fail(error);
		}
	}

	async #settle(delivered: Promise<void> | undefined): Promise<void> {
		try {
			await delivered;
		} catch (error) {
			this.#fail(error);
		}
	}

	#fail(error: unknown): void {
		this.#failed = true;
		this.#options.onFailure(error);
	}

	#report(bytes: number): void {
		this.#unreported += bytes;
		if (this.#unreported < creditWindowBytes / 4) return;
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
