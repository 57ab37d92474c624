import type { CapturedOutput } from "../../contract/index.ts";
import { sliceRanges } from "../../lib/text-search/text-ranges.ts";
import { maskRanges } from "../../secrets/redactor.ts";
import type { ReleasedText } from "../../secrets/stream-redactor.ts";

/** Keeps the first bytes of an output, up to a limit, and counts all of its bytes. */
export class OutputCapture {
	readonly #maxBytes: number;
	readonly #pieces: string[] = [];
	#keptBytes = 0;
	#totalBytes = 0;

	constructor(maxBytes: number) {
		this.#maxBytes = maxBytes;
	}

	/** Adds a piece of text. */
	add(released: ReleasedText): void {
		const length = Buffer.byteLength(released.data);
		this.#totalBytes += length;
		if (this.#keptBytes >= this.#maxBytes) return;
		const fits = this.#keptBytes + length <= this.#maxBytes;
		this.#pieces.push(fits ? toText(released) : cutToBytes(released, this.#maxBytes - this.#keptBytes));
		// A part that does not fit ends the capture. Otherwise a shorter part could be added after it, and the captured output would have a
		// gap.
		this.#keptBytes = fits ? this.#keptBytes + length : this.#maxBytes;
	}

	/** Adds output without secrets, given as bytes of which each is one character. */
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
 * Returns the longest beginning that has at most `maxBytes` bytes and ends neither within a character nor within a secret. The remaining
 * part of a secret could not be recognised, so it would not be masked.
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
