import type { OutputType } from "../../contract/index.ts";
import { maxPooledTextLength, PooledText } from "../../lib/bytes/pooled-text.ts";
import { joinRanges, sliceRanges, type TextRanges } from "../../lib/text-search/text-ranges.ts";
import type { ReleasedText } from "../../secrets/stream-redactor.ts";

/** Characters up to which pieces of bulk output are joined into one chunk, and at which much longer pieces are cut. */
const targetChunkLength = 65_536;
/** Characters up to which a piece is not cut. Otherwise pieces slightly longer than `targetChunkLength` would leave many small chunks. */
const maxChunkLength = 81_920;
const newline = 10;
/** Number of pieces that are buffered separately. Further pieces are joined. */
const maxSeparatePieces = 8;
/** Maximum number of characters in one write, so that no write delays other work for long. */
export const maxWriteLength = 1_048_576;

/** Output that becomes one chunk: a string with its secret ranges, or pooled text without secrets. */
export type OutputPiece = TextPiece | PagedPiece;

interface TextPiece {
	readonly type: OutputType;
	readonly timestamp: string;
	readonly paged?: undefined;
	data: string;
	/** Ranges of `data` that are secret. */
	ranges: TextRanges;
}

interface PagedPiece {
	readonly type: OutputType;
	readonly timestamp: string;
	/** The owner of the piece must release this pooled text. */
	readonly paged: PooledText;
}

/** Buffer for output of a run that is not stored yet. */
export class OutputBuffer {
	#pieces: OutputPiece[] = [];
	#length = 0;

	/** Number of buffered characters. */
	get length(): number {
		return this.#length;
	}

	get isEmpty(): boolean {
		return this.#pieces.length === 0;
	}

	/** True if one write can take the whole buffer. */
	get fitsOneWrite(): boolean {
		return this.#length <= maxWriteLength;
	}

	/** Adds text. It is joined to the last piece, or cut, so that chunks have a suitable length. */
	add(type: OutputType, released: ReleasedText, timestamp: () => string): void {
		const { data, secretRanges } = released;
		this.#length += data.length;
		const last = this.#pieces.at(-1);
		const canJoin = this.#pieces.length > maxSeparatePieces && last?.type === type && last.paged === undefined;
		if (canJoin && last.data.length + data.length <= targetChunkLength) {
			last.ranges = joinRanges(last.ranges, secretRanges, last.data.length);
			last.data += data;
			return;
		}
		const time = timestamp();
		for (const part of cutLong(released)) this.#pieces.push({ type, ...part, timestamp: time });
	}

	/** Adds text without secrets, given as bytes of which each is one character. Copies the bytes. */
	addBytes(type: OutputType, bytes: Buffer, timestamp: () => string): void {
		this.#length += bytes.length;
		for (let start = 0; start < bytes.length; ) {
			const last = this.#pieces.at(-1);
			const remaining = bytes.length - start;
			let paged = last?.type === type ? last.paged : undefined;
			if (paged === undefined || paged.remainingLength < Math.min(remaining, maxPooledTextLength)) {
				paged = new PooledText();
				this.#pieces.push({ type, paged, timestamp: timestamp() });
			}
			const end = remaining <= maxPooledTextLength ? bytes.length : start + findCutIn(bytes.subarray(start, start + maxPooledTextLength));
			paged.append(bytes.subarray(start, end));
			start = end;
		}
	}

	/** Removes and returns the first pieces, as many as one write may take, but at least one if there is any. */
	take(): OutputPiece[] {
		let length = 0;
		let count = 0;
		for (const piece of this.#pieces) {
			const pieceLength = lengthOf(piece);
			if (count > 0 && length + pieceLength > maxWriteLength) break;
			length += pieceLength;
			count += 1;
		}
		const firstPieces = this.#pieces.slice(0, count);
		this.#pieces = this.#pieces.slice(count);
		this.#length -= length;
		return firstPieces;
	}

	/** Discards all output. */
	clear(): void {
		for (const { paged } of this.#pieces) paged?.release();
		this.#pieces = [];
		this.#length = 0;
	}
}

function lengthOf(piece: OutputPiece): number {
	return piece.paged === undefined ? piece.data.length : piece.paged.length;
}

/** Returns where to cut a full page: after a line end in its second half, otherwise at its end. */
function findCutIn(full: Buffer): number {
	const lineEnd = full.lastIndexOf(newline) + 1;
	return lineEnd > full.length / 2 ? lineEnd : full.length;
}

/** Cuts a string into chunks, at the ends of lines if possible, and never inside a character. */
function cutLong({ data, secretRanges }: ReleasedText): Pick<TextPiece, "data" | "ranges">[] {
	if (data.length <= maxChunkLength) return [{ data, ranges: secretRanges }];
	const parts: Pick<TextPiece, "data" | "ranges">[] = [];
	for (let start = 0; start < data.length; ) {
		const end = data.length - start <= maxChunkLength ? data.length : findCut(data, start);
		parts.push({ data: data.slice(start, end), ranges: sliceRanges(secretRanges, start, end) });
		start = end;
	}
	return parts;
}

/** Returns where to end a chunk that begins at `start`: after a line end in its second half, otherwise where it is full. */
function findCut(data: string, start: number): number {
	const full = start + targetChunkLength;
	const lineEnd = data.slice(start + targetChunkLength / 2, full).lastIndexOf("\n") + 1;
	if (lineEnd > 0) return start + targetChunkLength / 2 + lineEnd;
	const lastUnit = data.charCodeAt(full - 1);
	// A high surrogate: the next code unit belongs to the same character.
	return lastUnit >= 0xd800 && lastUnit <= 0xdbff ? full - 1 : full;
}
