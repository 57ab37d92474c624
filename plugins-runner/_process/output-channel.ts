import { isAscii } from "node:buffer";
import { StringDecoder } from "node:string_decoder";
import { ByteQueue } from "./byte-queue.ts";
import { creditWindowBytes } from "./protocol.ts";

/** Milliseconds that an incomplete line is held back: long enough for a line to be completed, short enough for a prompt. */
const maxHoldMs = 50;
/** Bytes from which an incomplete line is delivered without waiting for its end. */
const maxHeldBytes = 64 * 1024;
/** Maximum size of a batch that is delivered as a string: about one read of a pipe. Four such strings fit a page of the V8 heap. */
const maxTextBatchBytes = 60 * 1024;
/** Maximum size of a batch that is delivered as bytes. Bytes are outside the V8 heap, so the batch may be larger than one of text. */
const maxByteBatchBytes = 240 * 1024;
/** Bulk output: at least `bytes` within about `windowMs`. Delivery then waits up to `waitMs` for a full batch. */
const bulkOutput = { bytes: 64 * 1024, windowMs: 50, waitMs: 4 };
/** Maximum number of bytes of a single line that is delivered at once, without the pump. */
const maxSingleLineBytes = 4 * 1024;
/** Bounds above which output that arrived together is delivered as a whole, not by line. */
const maxSeparateLines = 16;
const maxSeparateLength = 16 * 1024;

const newline = 10;

interface OutputChannelOptions {
	/** Takes a string of output. The next one is delivered only after the returned promise has resolved. */
	deliver(text: string): Promise<void> | void;
	/** Takes bulk output that is pure ASCII, as bytes. They are valid until the function returns its promise. */
	deliverBytes?(bytes: Buffer): Promise<void>;
	/** Called with the number of bytes that were consumed. */
	onConsumed(bytes: number): void;
	/** Called when a delivery has failed; later bytes are discarded. */
	onFailure(error: unknown): void;
}

/** Converts the bytes of one channel to strings: line by line at a low rate, in larger chunks at a high rate. */
export class OutputChannel {
	readonly #options: OutputChannelOptions;
	#decoder: StringDecoder | undefined;
	/**
	 * Resolves when the channel has ended and everything was delivered. Started by the first bytes that are not delivered as a single line.
	 */
	#pumpDone: Promise<void> | undefined;
	/** Resolves when a line that was delivered without the pump has been consumed. */
	#singleLineDone: Promise<void> | undefined;
	/**
	 * Bytes that are not delivered yet. They are decoded only on delivery, so that bulk output becomes a string in one step, without
	 * copies.
	 */
	readonly #waitingBytes = new ByteQueue();
	/** True if the decoder may hold the beginning of a character. */
	#isCharacterOpen = false;
	/** True if the last batch was delivered as bytes. */
	#wasDeliveredAsBytes = false;
	#isEnded = false;
	#hasFailed = false;
	#wake: (() => void) | undefined;
	/** Bytes that must have arrived before the pump continues. */
	#wantedBytes = 1;
	/** Recent bytes, which decay to zero within `bulkOutput.windowMs`, and the time to which they refer. */
	#recentBytes = 0;
	#recentBytesAt = 0;
	#unreportedBytes = 0;
	/** Number of bytes at the head of `#waitingBytes` that are an incomplete line. */
	#heldBytes = 0;
	#heldSince = 0;

	constructor(options: OutputChannelOptions) {
		this.#options = options;
	}

	/** Resolves when the channel has ended and everything was delivered. */
	get whenDone(): Promise<void> {
		if (this.#pumpDone === undefined && this.#isEnded) return this.#singleLineDone ?? Promise.resolve();
		return this.#startPump();
	}

	/** Returns memory for the next read. Bytes that are read into it and then pushed need not be copied. */
	nextBuffer(): Buffer {
		return this.#waitingBytes.nextBuffer();
	}

	/** Appends bytes. Copies them, unless they were read into the memory for the next read, which is then replaced. */
	push(bytes: Uint8Array): void {
		if (this.#isSingleLine(bytes)) {
			this.#singleLineDone = this.#deliverLine(bytes);
			return;
		}
		this.#waitingBytes.add(bytes);
		void this.#startPump();
		if (this.#arrivedBytes >= this.#wantedBytes) this.#wake?.();
	}

	end(): void {
		this.#isEnded = true;
		this.#wake?.();
	}

	/** Returns true if the bytes are one line that can be delivered at once: no delivery is under way, and there is no bulk output. */
	#isSingleLine(bytes: Uint8Array): boolean {
		if (this.#pumpDone !== undefined || this.#singleLineDone !== undefined || bytes.length > maxSingleLineBytes) return false;
		return bytes.indexOf(newline) === bytes.length - 1 && this.#decayRecentBytes(performance.now()) < bulkOutput.bytes;
	}

	async #deliverLine(bytes: Uint8Array): Promise<void> {
		const { length } = bytes;
		const text = Buffer.from(bytes.buffer, bytes.byteOffset, length).toString();
		this.#addRecentBytes(length);
		await this.#deliver(text);
		this.#singleLineDone = undefined;
		this.#reportConsumed(length);
	}

	#startPump(): Promise<void> {
		this.#pumpDone ??= this.#pump();
		return this.#pumpDone;
	}

	async #pump(): Promise<void> {
		await this.#singleLineDone;
		for (;;) {
			if (this.#arrivedBytes > 0) {
				if (this.#decayRecentBytes(performance.now()) >= bulkOutput.bytes) await this.#waitForBatch();
				await this.#deliverBatch();
			} else if (this.#isEnded) break;
			else await this.#wait();
		}
		await this.#deliverHeld();
		await this.#deliver(this.#decoder?.end() ?? "");
	}

	get #arrivedBytes(): number {
		return this.#waitingBytes.length - this.#heldBytes;
	}

	/** Waits for a full batch, because in bulk output a small chunk costs as much to deliver as a large one. */
	async #waitForBatch(): Promise<void> {
		if (this.#isEnded || this.#arrivedBytes >= maxTextBatchBytes) return;
		this.#wantedBytes = maxTextBatchBytes;
		await new Promise<void>((resolve) => {
			const timer = setTimeout(resolve, bulkOutput.waitMs);
			const wake = () => {
				clearTimeout(timer);
				resolve();
			};
			this.#wake = wake;
		});
		this.#wake = undefined;
		this.#wantedBytes = 1;
	}

	#addRecentBytes(bytes: number): void {
		const now = performance.now();
		this.#recentBytes = this.#decayRecentBytes(now) + bytes;
		this.#recentBytesAt = now;
	}

	#decayRecentBytes(now: number): number {
		return this.#recentBytes * Math.max(0, 1 - (now - this.#recentBytesAt) / bulkOutput.windowMs);
	}

	async #deliverBatch(): Promise<void> {
		const heldBytes = this.#heldBytes;
		const length = this.#chooseLength(heldBytes);
		const end = this.#waitingBytes.peek(length).lastIndexOf(newline) + 1;
		this.#heldBytes = length - end;
		this.#addRecentBytes(length - heldBytes);
		if (heldBytes === 0 || end > 0) this.#heldSince = performance.now();
		await this.#deliverFirst(end, this.#wasDeliveredAsBytes);
		if (this.#heldBytes >= maxHeldBytes) await this.#deliverHeld();
		this.#reportConsumed(length - heldBytes);
	}

	/** Returns how many of the waiting bytes to deliver now. */
	#chooseLength(heldBytes: number): number {
		const maxBytes = Math.min(this.#waitingBytes.length, heldBytes + (this.#wasDeliveredAsBytes ? maxByteBatchBytes : maxTextBatchBytes));
		this.#wasDeliveredAsBytes = this.#isBulkAscii(maxBytes);
		return this.#wasDeliveredAsBytes ? maxBytes : Math.min(maxBytes, heldBytes + maxTextBatchBytes);
	}

	#deliverHeld(): Promise<void> {
		const heldBytes = this.#heldBytes;
		this.#heldBytes = 0;
		return this.#deliverFirst(heldBytes, this.#isBulkAscii(heldBytes));
	}

	/** Returns true if the first waiting bytes are bulk ASCII and can be delivered as bytes. */
	#isBulkAscii(length: number): boolean {
		return (
			this.#options.deliverBytes !== undefined &&
			length > maxSeparateLength &&
			!this.#isCharacterOpen &&
			isAscii(this.#waitingBytes.peek(length))
		);
	}

	/** Delivers and removes the first waiting bytes: bulk ASCII as bytes, everything else as a string. */
	async #deliverFirst(length: number, asBytes: boolean): Promise<void> {
		const bytes = this.#waitingBytes.peek(length);
		if (asBytes && length > maxSeparateLength) {
			const delivered = this.#hasFailed ? undefined : this.#options.deliverBytes?.(bytes);
			this.#waitingBytes.drop(length);
			return this.#awaitDelivery(delivered);
		}
		this.#decoder ??= new StringDecoder("utf8");
		const text = this.#decoder.write(bytes);
		if (length > 0) this.#isCharacterOpen = (bytes[length - 1] as number) >= 0x80;
		this.#waitingBytes.drop(length);
		for (const piece of toPieces(text)) await this.#deliver(piece);
	}

	/** Waits until more bytes arrive, or until the incomplete line has been held back long enough. */
	async #wait(): Promise<void> {
		let timer: NodeJS.Timeout | undefined;
		const more = new Promise<boolean>((resolve) => {
			const wake = () => resolve(true);
			this.#wake = wake;
			if (this.#heldBytes > 0) timer = setTimeout(() => resolve(false), Math.max(0, this.#heldSince + maxHoldMs - performance.now()));
		});
		const hasArrived = await more;
		clearTimeout(timer);
		this.#wake = undefined;
		if (!hasArrived) await this.#deliverHeld();
	}

	async #deliver(text: string): Promise<void> {
		if (text === "" || this.#hasFailed) return;
		try {
			await this.#options.deliver(text);
		} catch (error) {
			this.#fail(error);
		}
	}

	async #awaitDelivery(delivered: Promise<void> | undefined): Promise<void> {
		try {
			await delivered;
		} catch (error) {
			this.#fail(error);
		}
	}

	#fail(error: unknown): void {
		this.#hasFailed = true;
		this.#options.onFailure(error);
	}

	#reportConsumed(bytes: number): void {
		this.#unreportedBytes += bytes;
		if (this.#unreportedBytes < creditWindowBytes / 4) return;
		this.#options.onConsumed(this.#unreportedBytes);
		this.#unreportedBytes = 0;
	}
}

/** Splits output into lines, unless it is long or has many lines. */
function toPieces(lines: string): readonly string[] {
	if (lines === "") return [];
	if (lines.length > maxSeparateLength) return [lines];
	const pieces = lines.split(/(?<=\n)/);
	return pieces.length > maxSeparateLines ? [lines] : pieces;
}
