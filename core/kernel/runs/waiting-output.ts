import type { OutputType } from "../../contract/index.ts";
import { cutRanges, joinRanges, type Ranges } from "../secrets/ranges.ts";
import type { Released } from "../secrets/secret-stream.ts";

/** Chunks of a flood are put together up to this length, and longer ones cut. */
const chunkLength = 65_536;
/** Pieces that wait one by one; what comes on top is put together. */
const singlePieces = 8;
/** Characters in one write, so that a write never holds up others for long. */
const writeLength = 524_288;

/** Output that becomes one chunk. */
export interface Piece {
	readonly type: OutputType;
	data: string;
	ranges: Ranges;
	readonly timestamp: string;
}

/** Output of a run that is not stored yet. */
export class WaitingOutput {
	#pieces: Piece[] = [];
	#length = 0;

	/** Characters. */
	get length(): number {
		return this.#length;
	}

	get isEmpty(): boolean {
		return this.#pieces.length === 0;
	}

	get fitsOneWrite(): boolean {
		return this.#length <= writeLength;
	}

	add(type: OutputType, released: Released, timestamp: () => string): void {
		const { data, ranges } = released;
		this.#length += data.length;
		const final = this.#pieces.at(-1);
		if (this.#pieces.length > singlePieces && final?.type === type && final.data.length + data.length <= chunkLength) {
			final.ranges = joinRanges(final.ranges, ranges, final.data.length);
			final.data += data;
			return;
		}
		const time = timestamp();
		for (const part of cutLong(released)) this.#pieces.push({ type, ...part, timestamp: time });
	}

	/** The first pieces, as many as go in one write; they wait no longer. */
	take(): Piece[] {
		let length = 0;
		let count = 0;
		for (const { data } of this.#pieces) {
			if (count > 0 && length + data.length > writeLength) break;
			length += data.length;
			count += 1;
		}
		const taken = this.#pieces.slice(0, count);
		this.#pieces = this.#pieces.slice(count);
		this.#length -= length;
		return taken;
	}

	clear(): void {
		this.#pieces = [];
		this.#length = 0;
	}
}

/** Cut a text of any length into chunks, never inside a character. */
function cutLong({ data, ranges }: Released): Pick<Piece, "data" | "ranges">[] {
	if (data.length <= chunkLength) return [{ data, ranges }];
	const parts: Pick<Piece, "data" | "ranges">[] = [];
	for (let start = 0; start < data.length; ) {
		let end = Math.min(data.length, start + chunkLength);
		const unit = data.charCodeAt(end - 1);
		if (end < data.length && unit >= 0xd800 && unit <= 0xdbff) end -= 1;
		parts.push({ data: data.slice(start, end), ranges: cutRanges(ranges, start, end) });
		start = end;
	}
	return parts;
}
