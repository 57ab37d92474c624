import type { OutputType } from "../../contract/index.ts";
import { cutRanges, joinRanges, type Ranges } from "../secrets/ranges.ts";
import type { Released } from "../secrets/secret-stream.ts";

/** Chunks of a flood are put together up to this length, and much longer ones cut. */
const chunkLength = 65_536;
/** What comes in pieces of about `chunkLength` would otherwise leave as many small rests, each a chunk. */
const longestChunk = 81_920;
/** Pieces that wait one by one; what comes on top is put together. */
const singlePieces = 8;
/** Characters in one write, so that a write never holds up others for long. */
export const writeLength = 524_288;

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

/** Cut a text of any length into chunks: at the end of a line where there is one, never inside a character. */
function cutLong({ data, ranges }: Released): Pick<Piece, "data" | "ranges">[] {
	if (data.length <= longestChunk) return [{ data, ranges }];
	const parts: Pick<Piece, "data" | "ranges">[] = [];
	for (let start = 0; start < data.length; ) {
		const end = data.length - start <= longestChunk ? data.length : findCut(data, start);
		parts.push({ data: data.slice(start, end), ranges: cutRanges(ranges, start, end) });
		start = end;
	}
	return parts;
}

/** Lines that are longer than half a chunk are cut wherever a chunk is full. */
function findCut(data: string, start: number): number {
	const full = start + chunkLength;
	const lineEnd = data.slice(start + chunkLength / 2, full).lastIndexOf("\n") + 1;
	if (lineEnd > 0) return start + chunkLength / 2 + lineEnd;
	const unit = data.charCodeAt(full - 1);
	return unit >= 0xd800 && unit <= 0xdbff ? full - 1 : full;
}
