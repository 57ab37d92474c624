import { toBulkyBytes } from "../../contract/index.ts";
import type { Presentation } from "../../http/secret-presentation.ts";
import { toEventBytes, toEventText } from "../../http/sse.ts";
import type { OutputChunk } from "../../kernel/executions/executions-api.ts";
import { BufferPool, type PooledBuffer } from "../../lib/bytes/buffer-pool.ts";
import { escapeAsciiJson } from "../../lib/bytes/json-escape.ts";
import { PrivateSlot } from "../../lib/private-slot.ts";
import { toChunk, toChunkWith } from "./records-api.ts";

/** Bytes that an event of much text mostly takes. */
const usual = 163_840;
/** Memory of such events, and of several that leave together. */
const [rooms, longRooms] = [new BufferPool({ size: usual, most: 24 }), new BufferPool({ size: usual * 2, most: 4 })];
/** Long ones in use at most: who does not read keeps them. */
const mostLong = 16;
let longCount = 0;

/** What streams send now of chunks, for all who are to see as much of them. */
const shared = { masked: new PrivateSlot<OutputChunk, Frame>(), whole: new PrivateSlot<OutputChunk, Frame>() };

const emptyText = '"data":""';

interface Frame {
	readonly bytes: Uint8Array;
	/** What it lies in; undefined where it has memory of its own. */
	readonly room: PooledBuffer | undefined;
}

/** The events of an output as one stream sends them, one after another. */
export class OutputFrames {
	readonly #isSent: () => boolean;
	readonly #shared: PrivateSlot<OutputChunk, Frame>;
	readonly #presentation: Pick<Presentation, "masked">;
	/** What is to be let go of, given whether it has been sent. */
	#leave: ((isSent: boolean) => void) | undefined;

	/** @param isSent whether nothing that was given out is on its way any more: then its memory may be used again */
	constructor(presentation: Pick<Presentation, "masked">, isSent: () => boolean) {
		this.#presentation = presentation;
		this.#shared = presentation.masked ? shared.masked : shared.whole;
		this.#isSent = isSent;
	}

	/** The bytes of a chunk's event: the same ones for all who send it now and show as much of it. */
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

	/** The same for a stream that nobody else sends, with what else is at hand where that is much: each write has its price. */
	ofSeveral(chunk: OutputChunk, takeAtHand: () => OutputChunk | undefined): Uint8Array {
		if (longCount >= mostLong || toBulkyBytes(chunk) === undefined) return this.of(chunk);
		this.letGo();
		const room = this.#takeLong();
		let used = 0;
		for (let next: OutputChunk | undefined = chunk; next !== undefined; ) {
			const parts = toParts(next, this.#presentation);
			// Where much of it has to be escaped.
			if (used + lengthOf(parts) > longRooms.bufferSize) return Buffer.concat([room.bytes.subarray(0, used), ...parts]);
			used = put(parts, room.bytes, used);
			next = used + usual <= longRooms.bufferSize ? takeAtHand() : undefined;
		}
		return room.bytes.subarray(0, used);
	}

	/** Nothing of what was given out is needed, unless it is still on its way: then its memory is left to the collector of garbage. */
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

/** Of an event with much text, which is there until the next call: what comes before it, the text, and what comes behind it. Of any other, all of it. */
function toParts(chunk: OutputChunk, presentation: Pick<Presentation, "masked">): readonly Uint8Array[] {
	const bytes = presentation.masked && chunk.secret_spans !== null ? undefined : toBulkyBytes(chunk);
	const shown = bytes === undefined ? toChunk(chunk, presentation) : undefined;
	const text = escapeAsciiJson(bytes ?? String(shown?.["data"]));
	const toEvent = (data: unknown) => ({ event: "svc.execution.output__create", data, id: chunk.sequence });
	if (text === undefined) return [toEventBytes(toEvent(shown ?? toChunk(chunk, presentation)))];
	// No other text holds these quotes without backslashes.
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

/** Where they end. */
function put(parts: readonly Uint8Array[], target: Uint8Array, start: number): number {
	let end = start;
	for (const part of parts) {
		target.set(part, end);
		end += part.length;
	}
	return end;
}
