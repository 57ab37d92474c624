import { toBulkyBytes } from "../../contract/index.ts";
import { escapeAscii } from "../../http/ascii-json.ts";
import type { Presentation } from "../../http/present.ts";
import { toFrame, toFrameBytes } from "../../http/sse.ts";
import { type Room, Rooms } from "../../kernel/basics/rooms.ts";
import type { OutputChunk } from "../../kernel/executions/executions-api.ts";
import { toChunk, toChunkWith } from "./records-api.ts";

/** Most bytes of a frame that lies in memory that is used again. */
const rooms = new Rooms({ size: 81_920, most: 48 });

/** What streams send now of chunks, for all who are to see as much of them. */
const shared = { masked: new WeakMap<OutputChunk, Frame>(), whole: new WeakMap<OutputChunk, Frame>() };

const emptyText = '"data":""';

interface Frame {
	readonly bytes: Uint8Array;
	/** What it lies in; undefined where it has memory of its own. */
	readonly room: Room | undefined;
}

/** The events of an output as one stream sends them, one after another. */
export class OutputFrames {
	readonly #isSent: () => boolean;
	readonly #shared: WeakMap<OutputChunk, Frame>;
	readonly #presentation: Pick<Presentation, "masked">;
	#last: { readonly chunk: OutputChunk; readonly room: Room } | undefined;

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
		known?.room?.hold();
		const frame = known ?? makeFrame(chunk, this.#presentation);
		if (known === undefined) this.#shared.set(chunk, frame);
		if (frame.room !== undefined) this.#last = { chunk, room: frame.room };
		return frame.bytes;
	}

	/** Nothing of what was given out is needed, unless it is still on its way: then its memory is left to the collector of garbage. */
	letGo(): void {
		if (this.#last === undefined) return;
		const { chunk, room } = this.#last;
		this.#last = undefined;
		if (this.#isSent() && room.release()) this.#shared.delete(chunk);
	}
}

function makeFrame(chunk: OutputChunk, presentation: Pick<Presentation, "masked">): Frame {
	const bytes = presentation.masked && chunk.secret_spans !== null ? undefined : toBulkyBytes(chunk);
	const shown = bytes === undefined ? toChunk(chunk, presentation) : undefined;
	const text = escapeAscii(bytes ?? String(shown?.["data"]));
	const toEvent = (data: unknown) => ({ event: "svc.execution.output__create", data, id: chunk.sequence });
	if (text === undefined) return { bytes: toFrameBytes(toEvent(shown ?? toChunk(chunk, presentation))), room: undefined };
	// No other text holds these quotes without backslashes.
	const [before = "", behind = ""] = toFrame(toEvent(toChunkWith(chunk, ""))).split(emptyText);
	const [head, tail] = [Buffer.from(`${before}"data":"`), Buffer.from(`"${behind}`)];
	const length = head.length + text.length + tail.length;
	const room = length <= rooms.size ? rooms.take() : undefined;
	const frame = room?.bytes.subarray(0, length) ?? Buffer.allocUnsafeSlow(length);
	frame.set(head);
	frame.set(text, head.length);
	frame.set(tail, head.length + text.length);
	return { bytes: frame, room };
}
