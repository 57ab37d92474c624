import type { CapturedOutput } from "../../contract/index.ts";
import { cutRanges } from "../../lib/text-search/text-ranges.ts";
import { maskRanges } from "../../secrets/mask-ranges.ts";
import type { Released } from "../../secrets/stream-redactor.ts";

/** Keeps the start of a text up to a number of bytes, and counts the rest. */
export class CapturedText {
	readonly #limit: number;
	readonly #pieces: string[] = [];
	#kept = 0;
	#bytes = 0;

	constructor(limit: number) {
		this.#limit = limit;
	}

	add(released: Released): void {
		const length = Buffer.byteLength(released.data);
		this.#bytes += length;
		if (this.#kept >= this.#limit) return;
		const fits = this.#kept + length <= this.#limit;
		this.#pieces.push(fits ? toText(released) : cutToBytes(released, this.#limit - this.#kept));
		// What did not fit closes the capture, or a later, shorter piece would leave a hole.
		this.#kept = fits ? this.#kept + length : this.#limit;
	}

	/** The same for a text as bytes, each of them a character, without secrets. */
	addBytes(bytes: Buffer): void {
		if (this.#kept < this.#limit) this.add({ data: bytes.toString("latin1"), ranges: [], blanks: [] });
		else this.#bytes += bytes.length;
	}

	/** @param held what was emitted and not added yet */
	read(held: Released): CapturedOutput {
		const length = Buffer.byteLength(held.data);
		const room = this.#limit - this.#kept;
		const end = room <= 0 ? "" : length <= room ? toText(held) : cutToBytes(held, room);
		const bytes = this.#bytes + length;
		return { text: this.#pieces.join("") + end, truncated: bytes > this.#limit, bytes };
	}
}

function toText({ data, blanks }: Released): string {
	return maskRanges(data, blanks);
}

/** The longest start that has at most `limit` bytes, and ends neither within a character nor within a secret, which nobody would recognise then. */
function cutToBytes({ data, ranges, blanks }: Released, limit: number): string {
	const bytes = Buffer.from(data);
	let end = limit;
	while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
	let length = bytes.toString("utf8", 0, end).length;
	for (let index = 0; index < ranges.length; index += 2) {
		const start = ranges[index] as number;
		if (start < length && length < (ranges[index + 1] as number)) length = start;
	}
	return maskRanges(data.slice(0, length), cutRanges(blanks, 0, length));
}
