import { escapeAscii } from "../../http/ascii-json.ts";
import type { Presentation } from "../../http/present.ts";
import { toFrame, toFrameBytes } from "../../http/sse.ts";
import type { OutputChunk } from "../../kernel/executions/executions-api.ts";
import { toChunk } from "./records-api.ts";

/** How many streams there are of the output of each execution. */
const followers = new Map<string, number>();
/** For as long as their chunks are kept, which those who follow the same output share. */
const frames = { masked: new WeakMap<OutputChunk, Uint8Array>(), whole: new WeakMap<OutputChunk, Uint8Array>() };

const emptyText = '"data":""';

/** Count a stream of an output until what is returned is called. */
export function countFollower(executionId: string): () => void {
	followers.set(executionId, (followers.get(executionId) ?? 0) + 1);
	return () => {
		const left = (followers.get(executionId) ?? 1) - 1;
		if (left === 0) followers.delete(executionId);
		else followers.set(executionId, left);
	};
}

/**
 * The bytes of a chunk's event: the same ones for all who may see as much of it. Where one follows alone, they are not kept: they would
 * only be more to collect.
 */
export function toOutputFrame(chunk: OutputChunk, { masked }: Pick<Presentation, "masked">): Uint8Array {
	const kept = masked ? frames.masked : frames.whole;
	const known = kept.get(chunk);
	if (known !== undefined) return known;
	const frame = makeFrame(chunk, { masked });
	if ((followers.get(chunk.execution_id) ?? 0) > 1) kept.set(chunk, frame);
	return frame;
}

function makeFrame(chunk: OutputChunk, presentation: Pick<Presentation, "masked">): Uint8Array {
	const event = { event: "svc.execution.output__create", data: toChunk(chunk, presentation), id: chunk.sequence };
	const text = escapeAscii(String(event.data["data"]));
	if (text === undefined) return toFrameBytes(event);
	// No other text holds these quotes without backslashes.
	const [before = "", behind = ""] = toFrame({ ...event, data: { ...event.data, data: "" } }).split(emptyText);
	return Buffer.concat([Buffer.from(`${before}"data":"`), text, Buffer.from(`"${behind}`)]);
}
