import type { CapturedOutput, OutputChunkEntity, OutputType } from "../../contract/index.ts";
import { findBlankRanges, sliceRanges } from "../../lib/text-search/text-ranges.ts";
import { maskRanges, type Redactor } from "../../secrets/redactor.ts";
import { type ReleasedText, StreamRedactor } from "../../secrets/stream-redactor.ts";

const noOutput: CapturedOutput = { text: "", truncated: false, bytes: 0 };

/** State of the output of one type. */
interface Channel {
	/** Holds back text that may be the beginning of a secret. */
	stream: StreamRedactor;
	readonly capture: OutputCapture;
}

/** Finds secrets in the output of one run, and captures the output for the result, for each output type. */
export class OutputChannels {
	/** Channels by output type. Each is created when its first output arrives, because most runs use only one. */
	readonly #channels = new Map<OutputType, Channel>();
	readonly #maxResultOutput: number;
	/** Secrets that are searched for in all channels. */
	#secrets: Redactor;

	/** @param maxResultOutput maximum number of bytes to capture for each output type */
	constructor(secrets: Redactor, maxResultOutput: number) {
		this.#secrets = secrets;
		this.#maxResultOutput = maxResultOutput;
	}

	/** Adds output. Returns the part that can be stored; text that may begin a secret is held back. */
	add(type: OutputType, data: string): ReleasedText {
		const channel = this.#channelOf(type);
		return toCaptured(channel, channel.stream.push(data));
	}

	/** Adds output as bytes, each of which is one character. Returns false, and adds nothing, if the output may contain a secret. */
	addBytes(type: OutputType, bytes: Buffer): boolean {
		const { stream, capture } = this.#channelOf(type);
		if (!stream.mayPassUnchanged(bytes)) return false;
		capture.addBytes(bytes);
		return true;
	}

	/** Returns the output of a type that was captured for the result. */
	captured(type: OutputType): CapturedOutput {
		const channel = this.#channels.get(type);
		return channel === undefined ? noOutput : channel.capture.read(channel.stream.heldBack);
	}

	/** Adds a chunk that an earlier process has stored, so that the output continues after it. */
	restore({ output_type, data, secret_spans }: Pick<OutputChunkEntity, "output_type" | "data" | "secret_spans">): void {
		const ranges = secret_spans ?? [];
		const { stream, capture } = this.#channelOf(output_type);
		stream.restore(data);
		capture.add({ data, secretRanges: ranges, tokenRanges: findBlankRanges(data, ranges) });
	}

	/** Ends all channels. Returns the output that was held back. `willContinue`: true if another process will continue the output. */
	end({ willContinue }: { readonly willContinue: boolean }): readonly (readonly [OutputType, ReleasedText])[] {
		return [...this.#channels].map(([type, channel]) => [type, toCaptured(channel, channel.stream.end({ willContinue }))] as const);
	}

	/** Replaces the secrets for later output. Must be called after `end`; otherwise output that is held back is lost. */
	setSecrets(secrets: Redactor): void {
		this.#secrets = secrets;
		for (const channel of this.#channels.values()) channel.stream = new StreamRedactor(secrets);
	}

	#channelOf(type: OutputType): Channel {
		const existing = this.#channels.get(type);
		if (existing !== undefined) return existing;
		const channel = { stream: new StreamRedactor(this.#secrets), capture: new OutputCapture(this.#maxResultOutput) };
		this.#channels.set(type, channel);
		return channel;
	}
}

function toCaptured({ capture }: Channel, released: ReleasedText): ReleasedText {
	if (released.data !== "") capture.add(released);
	return released;
}

/** Captures the first bytes of an output, up to a limit, and counts all of its bytes. */
export class OutputCapture {
	readonly #maxBytes: number;
	readonly #pieces: string[] = [];
	#keptBytes = 0;
	#totalBytes = 0;

	constructor(maxBytes: number) {
		this.#maxBytes = maxBytes;
	}

	add(released: ReleasedText): void {
		const length = Buffer.byteLength(released.data);
		this.#totalBytes += length;
		if (this.#keptBytes >= this.#maxBytes) return;
		const fits = this.#keptBytes + length <= this.#maxBytes;
		this.#pieces.push(fits ? toText(released) : cutToBytes(released, this.#maxBytes - this.#keptBytes));
		// A piece that does not fit ends the capture. Otherwise a shorter piece could be added after it, and the captured output would have a
		// gap.
		this.#keptBytes = fits ? this.#keptBytes + length : this.#maxBytes;
	}

	/** Adds output without secrets, given as bytes, each of which is one character. */
	addBytes(bytes: Buffer): void {
		if (this.#keptBytes < this.#maxBytes) this.add({ data: bytes.toString("latin1"), secretRanges: [], tokenRanges: [] });
		else this.#totalBytes += bytes.length;
	}

	/**
	 * Returns the captured output.
	 *
	 * @param held output that was emitted but not added yet, because it may be the beginning of a secret
	 */
	read(held: ReleasedText): CapturedOutput {
		const length = Buffer.byteLength(held.data);
		const remainingBytes = this.#maxBytes - this.#keptBytes;
		const end = remainingBytes <= 0 ? "" : length <= remainingBytes ? toText(held) : cutToBytes(held, remainingBytes);
		const bytes = this.#totalBytes + length;
		return { text: this.#pieces.join("") + end, truncated: bytes > this.#maxBytes, bytes };
	}
}

function toText({ data, tokenRanges }: ReleasedText): string {
	return maskRanges(data, tokenRanges);
}

/**
 * Returns the longest beginning of the output that has at most `maxBytes` bytes and ends neither within a character nor within a secret.
 * The remaining part of a secret could not be recognised, so it would not be masked.
 */
function cutToBytes({ data, secretRanges, tokenRanges }: ReleasedText, maxBytes: number): string {
	const bytes = Buffer.from(data);
	let end = maxBytes;
	while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
	let length = bytes.toString("utf8", 0, end).length;
	for (let index = 0; index < secretRanges.length; index += 2) {
		const start = secretRanges[index] as number;
		if (start < length && length < (secretRanges[index + 1] as number)) length = start;
	}
	return maskRanges(data.slice(0, length), sliceRanges(tokenRanges, 0, length));
}
