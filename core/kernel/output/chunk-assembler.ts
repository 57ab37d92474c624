import type { Clock, OutputType } from "../../contract/index.ts";
import { maxPooledTextLength, PooledText } from "../../lib/bytes/pooled-text.ts";
import { joinRanges, sliceRanges, type TextRanges } from "../../lib/text-search/text-ranges.ts";
import type { ReleasedText } from "../../secrets/stream-redactor.ts";
import { toTimestamp } from "../basics/clock.ts";

/** Target characters of a chunk of bulk output: shorter pieces are joined, much longer pieces are cut. */
const targetChunkLength = 65_536;
/** Maximum characters of a piece that is not cut. Cutting slightly longer pieces at `targetChunkLength` would leave many small chunks. */
const maxChunkLength = 81_920;
const newline = 10;
/** Number of pieces that are buffered separately. Further pieces are joined to the last piece. */
const maxSeparatePieces = 8;
/** Maximum number of characters in one write, so that no write delays other work for long. */
export const maxWriteLength = 1_048_576;

/** Buffered output that becomes one chunk. */
export interface OutputPiece {
	readonly type: OutputType;
	readonly timestamp: string;
	/** Empty if `pooled` contains the output. */
	data: string;
	/** Ranges of `data` that are secret. */
	ranges: TextRanges;
	/** Output without secrets. The owner of the piece must release it. */
	readonly pooled?: PooledText;
}

/** Assembles the output of a run into pieces of a suitable length, and buffers those that are not stored yet. */
export interface ChunkAssembler {
	/** Number of buffered characters. */
	readonly length: number;
	/** Adds text, which must not be empty. */
	add(type: OutputType, released: ReleasedText): void;
	/** Adds text without secrets, given as bytes, each of which is one character. The bytes are not used after the call. */
	addBytes(type: OutputType, bytes: Buffer): void;
	/** Removes and returns the first pieces: at most `maxWriteLength` characters, but at least one piece if any is buffered. */
	take(): OutputPiece[];
	clear(): void;
}

/** Assembles output as strings. It is the reference implementation: tests run it and `PooledChunkAssembler` with the same cases. */
export class StringChunkAssembler implements ChunkAssembler {
	protected readonly pieces: OutputPiece[] = [];
	protected readonly clock: Clock;
	protected bufferedLength = 0;

	constructor(clock: Clock) {
		this.clock = clock;
	}

	get length(): number {
		return this.bufferedLength;
	}

	/** Adds text: joins it to the last piece, or adds it as one or more new pieces. */
	add(type: OutputType, released: ReleasedText): void {
		const { data, secretRanges } = released;
		this.bufferedLength += data.length;
		const last = this.pieces.at(-1);
		const canJoin = this.pieces.length > maxSeparatePieces && last?.type === type && last.pooled === undefined;
		if (canJoin && last.data.length + data.length <= targetChunkLength) {
			last.ranges = joinRanges(last.ranges, secretRanges, last.data.length);
			last.data += data;
			return;
		}
		const timestamp = toTimestamp(this.clock.now());
		for (const part of cutLong(released)) this.pieces.push({ type, timestamp, ...part });
	}

	addBytes(type: OutputType, bytes: Buffer): void {
		this.add(type, { data: bytes.toString("latin1"), secretRanges: [], tokenRanges: [] });
	}

	take(): OutputPiece[] {
		let length = 0;
		let count = 0;
		for (const piece of this.pieces) {
			const pieceLength = lengthOf(piece);
			if (count > 0 && length + pieceLength > maxWriteLength) break;
			length += pieceLength;
			count += 1;
		}
		this.bufferedLength -= length;
		return this.pieces.splice(0, count);
	}

	clear(): void {
		for (const { pooled } of this.pieces.splice(0)) pooled?.release();
		this.bufferedLength = 0;
	}
}

/**
 * Assembles bytes in pooled buffers. As strings, bulk output would fill the heap faster than the GC frees it (benchmark P6).
 *
 * Text with secrets, or with characters beyond ASCII, is assembled as strings.
 */
export class PooledChunkAssembler extends StringChunkAssembler {
	override addBytes(type: OutputType, bytes: Buffer): void {
		this.bufferedLength += bytes.length;
		for (let start = 0; start < bytes.length; ) {
			const last = this.pieces.at(-1);
			const remaining = bytes.length - start;
			let pooled = last?.type === type ? last.pooled : undefined;
			if (pooled === undefined || pooled.remainingLength < Math.min(remaining, maxPooledTextLength)) {
				pooled = new PooledText();
				this.pieces.push({ type, timestamp: toTimestamp(this.clock.now()), data: "", ranges: [], pooled });
			}
			const end = remaining <= maxPooledTextLength ? bytes.length : start + findCutIn(bytes.subarray(start, start + maxPooledTextLength));
			pooled.append(bytes.subarray(start, end));
			start = end;
		}
	}
}

function lengthOf(piece: OutputPiece): number {
	return piece.pooled === undefined ? piece.data.length : piece.pooled.length;
}

/** Returns the position at which to cut a full buffer: after the last line ending if that is in the second half, otherwise at the end. */
function findCutIn(full: Buffer): number {
	const lineEnd = full.lastIndexOf(newline) + 1;
	return lineEnd > full.length / 2 ? lineEnd : full.length;
}

/** Cuts a long string into chunks, after line endings if possible, and never inside a character. */
function cutLong({ data, secretRanges }: ReleasedText): Pick<OutputPiece, "data" | "ranges">[] {
	if (data.length <= maxChunkLength) return [{ data, ranges: secretRanges }];
	const parts: Pick<OutputPiece, "data" | "ranges">[] = [];
	for (let start = 0; start < data.length; ) {
		const end = data.length - start <= maxChunkLength ? data.length : findCut(data, start);
		parts.push({ data: data.slice(start, end), ranges: sliceRanges(secretRanges, start, end) });
		start = end;
	}
	return parts;
}

/**
 * Returns the end of a chunk that begins at `start`: after the last line ending in its second half; without one, at `targetChunkLength`.
 */
function findCut(data: string, start: number): number {
	const full = start + targetChunkLength;
	const lineEnd = data.slice(start + targetChunkLength / 2, full).lastIndexOf("\n") + 1;
	if (lineEnd > 0) return start + targetChunkLength / 2 + lineEnd;
	const lastUnit = data.charCodeAt(full - 1);
	// If the last code unit is a high surrogate, the next one belongs to the same character.
	return lastUnit >= 0xd800 && lastUnit <= 0xdbff ? full - 1 : full;
}
