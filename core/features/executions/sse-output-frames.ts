import { bulkyBytesOf } from "../../contract/index.ts";
import type { RecordVisibility } from "../../http/record-visibility.ts";
import { toEventBytes, toEventText } from "../../http/sse.ts";
import type { OutputChunk } from "../../kernel/executions/executions-api.ts";
import { BufferPool, type PooledBuffer } from "../../lib/bytes/buffer-pool.ts";
import { escapeAsciiJson } from "../../lib/bytes/json-escape.ts";
import { PrivateSlot } from "../../lib/private-slot.ts";
import { toChunk, toChunkWith } from "./records-exports.ts";

/** Bytes that are usually enough for the event of a bulky chunk. */
const typicalFrameBytes = 163_840;
/** Buffer pools for events of one bulky chunk, and for several events that are sent in one write. */
const [rooms, longRooms] = [
	new BufferPool({ size: typicalFrameBytes, most: 24 }),
	new BufferPool({ size: typicalFrameBytes * 2, most: 4 }),
];
/** Maximum number of long buffers in use. A client that does not read keeps its buffer in use. */
const maxLong = 16;
let longCount = 0;

/** Frames of chunks that streams are sending, shared by clients with the same disclosure: secrets masked, or the full text. */
const shared = { masked: new PrivateSlot<OutputChunk, Frame>(), whole: new PrivateSlot<OutputChunk, Frame>() };

const emptyText = '"data":""';

interface Frame {
	readonly bytes: Uint8Array;
	/** Pooled buffer that contains the bytes; undefined if they have memory of their own. */
	readonly room: PooledBuffer | undefined;
}

/** Creates the event frames of an output for one stream, one after another. */
export class OutputFrames {
	readonly #isSent: () => boolean;
	readonly #shared: PrivateSlot<OutputChunk, Frame>;
	readonly #presentation: Pick<RecordVisibility, "masked">;
	/** Releases the buffer of the last frame. The argument is true if the frame has been sent. */
	#leave: ((isSent: boolean) => void) | undefined;

	/** @param isSent returns true if every returned frame has been sent completely, so that its buffer may be reused */
	constructor(presentation: Pick<RecordVisibility, "masked">, isSent: () => boolean) {
		this.#presentation = presentation;
		this.#shared = presentation.masked ? shared.masked : shared.whole;
		this.#isSent = isSent;
	}

	/** Returns the event bytes of a chunk. Streams that send the chunk at the same time with the same disclosure share the bytes. */
	of(chunk: OutputChunk): Uint8Array {
		this.letGo();
		const known = this.#shared.get(chunk);
		known?.room?.retain();
		const frame = known ?? makeFrame(toParts(chunk, this.#presentation));
		if (known === undefined) this.#shared.set(chunk, frame);
		const { room } = frame;
		if (room !== undefined) {
			const leave = (isSent: boolean) => {
				if (isSent && room.release()) this.#shared.delete(chunk);
			};
			this.#leave = leave;
		}
		return frame.bytes;
	}

	/**
	 * Returns the event bytes of a bulky chunk and of cached chunks after it, for a stream that is the only subscriber. Each write has a
	 * cost, so several events are sent in one.
	 */
	ofSeveral(chunk: OutputChunk, takeAtHand: () => OutputChunk | undefined): Uint8Array {
		if (longCount >= maxLong || bulkyBytesOf(chunk) === undefined) return this.of(chunk);
		this.letGo();
		const room = this.#takeLong();
		let used = 0;
		for (let next: OutputChunk | undefined = chunk; next !== undefined; ) {
			const parts = toParts(next, this.#presentation);
			// Escaping can make the text longer than the buffer.
			if (used + lengthOf(parts) > longRooms.bufferSize) return Buffer.concat([room.bytes.subarray(0, used), ...parts]);
			used = put(parts, room.bytes, used);
			next = used + typicalFrameBytes <= longRooms.bufferSize ? takeAtHand() : undefined;
		}
		return room.bytes.subarray(0, used);
	}

	/** Releases the buffer of the last frame. If the frame is still being sent, its buffer is left to the garbage collector instead. */
	letGo(): void {
		this.#leave?.(this.#isSent());
		this.#leave = undefined;
	}

	#takeLong(): PooledBuffer {
		const room = longRooms.acquire();
		longCount += 1;
		const leave = (isSent: boolean) => {
			longCount -= 1;
			if (isSent) room.release();
		};
		this.#leave = leave;
		return room;
	}
}

/**
 * Returns the bytes of an event. If the text is bulky, there are three parts: the bytes before the text, the text, and the bytes after
 * it. The text is valid only until the next call. Every other event is one part.
 */
function toParts(chunk: OutputChunk, presentation: Pick<RecordVisibility, "masked">): readonly Uint8Array[] {
	const bytes = presentation.masked && chunk.secret_spans !== null ? undefined : bulkyBytesOf(chunk);
	const shown = bytes === undefined ? toChunk(chunk, presentation) : undefined;
	const text = escapeAsciiJson(bytes ?? String(shown?.["data"]));
	const toEvent = (data: unknown) => ({ event: "svc.execution.output__create", data, id: chunk.sequence });
	if (text === undefined) return [toEventBytes(toEvent(shown ?? toChunk(chunk, presentation)))];
	// Only the empty `data` member matches: quotes inside of a JSON string have a backslash.
	const [before = "", behind = ""] = toEventText(toEvent(toChunkWith(chunk, ""))).split(emptyText);
	return [Buffer.from(`${before}"data":"`), text, Buffer.from(`"${behind}`)];
}

function makeFrame(parts: readonly Uint8Array[]): Frame {
	const [whole, ...others] = parts;
	if (whole !== undefined && others.length === 0) return { bytes: whole, room: undefined };
	const length = lengthOf(parts);
	const room = length <= rooms.bufferSize ? rooms.acquire() : undefined;
	const bytes = room?.bytes.subarray(0, length) ?? Buffer.allocUnsafeSlow(length);
	put(parts, bytes, 0);
	return { bytes, room };
}

function lengthOf(parts: readonly Uint8Array[]): number {
	return parts.reduce((sum, { length }) => sum + length, 0);
}

/** Copies the parts into `target` from `start` on. Returns the end position. */
function put(parts: readonly Uint8Array[], target: Uint8Array, start: number): number {
	let end = start;
	for (const part of parts) {
		target.set(part, end);
		end += part.length;
	}
	return end;
}
