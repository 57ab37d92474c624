import * as assert from "node:assert/strict";
import { test } from "uvu";
import { attachPooledText, PooledText } from "../../../lib/bytes/pooled-text.ts";
import type { OutputChunk } from "../../executions/executions-api.ts";
import { ChunkCache } from "./chunk-cache.ts";

const execution = "0".repeat(24);
const big = 60_000;

function toChunk(sequence: number): OutputChunk {
	return {
		id: sequence.toString(16).padStart(24, "0"),
		execution_id: execution,
		sequence,
		output_type: "stdout",
		data: "a".repeat(big),
		timestamp: "2031-03-04T09:15:02.518273Z",
		action_ref: "core.local",
		runner_ref: "local-shell-cmd",
	} as OutputChunk;
}

/** A chunk whose text is in a page, and the text, which whoever has made it holds. */
function toPagedChunk(sequence: number, letter: string): { readonly chunk: OutputChunk; readonly paged: PooledText } {
	const paged = new PooledText();
	paged.append(Buffer.alloc(big, letter));
	const { data, ...members } = toChunk(sequence);
	return { chunk: attachPooledText(members, paged), paged };
}

/** Let so many newer chunks come that nothing older is kept. */
function pushOut(recent: ChunkCache): void {
	for (let sequence = 1_000; sequence < 1_020; sequence++) recent.add(toChunk(sequence));
}

test("a chunk that a slow reader holds is the same object for whoever comes to it later", () => {
	const recent = new ChunkCache();
	recent.add(toChunk(1));
	const held = recent.take(execution, 1);
	pushOut(recent);
	assert.equal(recent.take(execution, 1), held);
	recent.add(toChunk(1));
	assert.equal(recent.take(execution, 1), held);
});

test("a chunk goes when newer ones have come and the last that held it has let it go", () => {
	const recent = new ChunkCache();
	recent.add(toChunk(1));
	recent.add(toChunk(2));
	const held = recent.take(execution, 1) as OutputChunk;
	recent.take(execution, 1);
	pushOut(recent);
	assert.equal(recent.take(execution, 2), undefined);
	recent.release(held);
	assert.equal(recent.take(execution, 1), held);
	recent.release(held);
	recent.release(held);
	assert.equal(recent.take(execution, 1), undefined);
});

test("text in a page is there while it is recent or held, and its memory is used again afterwards", () => {
	const recent = new ChunkCache();
	const { chunk, paged } = toPagedChunk(1, "p");
	recent.add(chunk);
	paged.release();
	const held = recent.take(execution, 1) as OutputChunk;
	pushOut(recent);
	const other = toPagedChunk(2, "q");
	assert.equal(held.data, "p".repeat(big));
	recent.release(held);
	assert.throws(() => held.data, /after it was released/);
	const again = toPagedChunk(3, "r");
	const [first, second] = [other.paged.bytes, again.paged.bytes];
	assert.ok(first.buffer !== second.buffer || first.byteOffset !== second.byteOffset);
	assert.equal(other.chunk.data, "q".repeat(big));
	assert.equal(again.chunk.data, "r".repeat(big));
});

test("an execution that nobody follows any more is forgotten, with the text in its pages", () => {
	const recent = new ChunkCache();
	const { chunk, paged } = toPagedChunk(1, "p");
	recent.add(chunk);
	paged.release();
	const held = recent.take(execution, 1) as OutputChunk;
	recent.forget(execution);
	assert.equal(recent.take(execution, 1), undefined);
	assert.throws(() => held.data, /after it was released/);
	recent.release(held);
});

test.run();
