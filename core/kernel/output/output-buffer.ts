import type { OutputType } from "../../contract/index.ts";
import { PagedText, pageSize } from "../../lib/bytes/pooled-text.ts";
import { cutRanges, joinRanges, type Ranges } from "../../lib/text-search/text-ranges.ts";
import type { Released } from "../../secrets/stream-redactor.ts";

/** Chunks of a flood are put together up to this length, and much longer ones cut. */
const chunkLength = 65_536;
/** What comes in pieces of about `chunkLength` would otherwise leave as many small rests, each a chunk. */
const longestChunk = 81_920;
const newline = 10;
/** Pieces that wait one by one; what comes on top is put together. */
const singlePieces = 8;
/** Characters in one write, so that a write never holds up others for long. */
export const writeLength = 1_048_576;

/** Output that becomes one chunk: a text with what is secret of it, or one in pages that nothing is secret of. */
export type Piece = TextPiece | PagedPiece;

interface TextPiece {
	readonly type: OutputType;
	readonly timestamp: string;
	readonly paged?: undefined;
	data: string;
	ranges: Ranges;
}

interface PagedPiece {
	readonly type: OutputType;
	readonly timestamp: string;
	/** Held by whoever has the piece. */
	readonly paged: PagedText;
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
		const isTogether = this.#pieces.length > singlePieces && final?.type === type && final.paged === undefined;
		if (isTogether && final.data.length + data.length <= chunkLength) {
			final.ranges = joinRanges(final.ranges, ranges, final.data.length);
			final.data += data;
			return;
		}
		const time = timestamp();
		for (const part of cutLong(released)) this.#pieces.push({ type, ...part, timestamp: time });
	}

	/** Text as bytes, each of them a character, of which nothing is secret. Copies them. */
	addBytes(type: OutputType, bytes: Buffer, timestamp: () => string): void {
		this.#length += bytes.length;
		for (let start = 0; start < bytes.length; ) {
			const final = this.#pieces.at(-1);
			const rest = bytes.length - start;
			let paged = final?.type === type ? final.paged : undefined;
			if (paged === undefined || paged.room < Math.min(rest, pageSize)) {
				paged = new PagedText();
				this.#pieces.push({ type, paged, timestamp: timestamp() });
			}
			const end = rest <= pageSize ? bytes.length : start + findCutIn(bytes.subarray(start, start + pageSize));
			paged.add(bytes.subarray(start, end));
			start = end;
		}
	}

	/** The first pieces, as many as go in one write; they wait no longer. */
	take(): Piece[] {
		let length = 0;
		let count = 0;
		for (const piece of this.#pieces) {
			const own = lengthOf(piece);
			if (count > 0 && length + own > writeLength) break;
			length += own;
			count += 1;
		}
		const taken = this.#pieces.slice(0, count);
		this.#pieces = this.#pieces.slice(count);
		this.#length -= length;
		return taken;
	}

	clear(): void {
		for (const { paged } of this.#pieces) paged?.release();
		this.#pieces = [];
		this.#length = 0;
	}
}

function lengthOf(piece: Piece): number {
	return piece.paged === undefined ? piece.data.length : piece.paged.length;
}

/** Lines that are longer than half a chunk are cut wherever it is full. */
function findCutIn(full: Buffer): number {
	const lineEnd = full.lastIndexOf(newline) + 1;
	return lineEnd > full.length / 2 ? lineEnd : full.length;
}

/** Cut a text of any length into chunks: at the end of a line where there is one, never inside a character. */
function cutLong({ data, ranges }: Released): Pick<TextPiece, "data" | "ranges">[] {
	if (data.length <= longestChunk) return [{ data, ranges }];
	const parts: Pick<TextPiece, "data" | "ranges">[] = [];
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
