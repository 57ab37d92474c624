import * as assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { test } from "uvu";
import { collectGarbage } from "../../testing/collect-garbage.test-support.ts";
import type { OutputChunk } from "../executions/executions-api.ts";
import { RecentChunks } from "./recent-chunks.ts";

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

/** Let so many newer chunks come that nothing older is kept. */
function pushOut(recent: RecentChunks): void {
	for (let sequence = 1_000; sequence < 1_020; sequence++) recent.add(toChunk(sequence));
}

test("a chunk that a slow reader holds is the same object for whoever comes to it later", () => {
	const recent = new RecentChunks();
	recent.add(toChunk(1));
	const held = recent.get(execution, 1);
	pushOut(recent);
	assert.equal(recent.get(execution, 1), held);
	assert.equal(recent.add(toChunk(1)), held);
});

test("a chunk that nobody holds goes when newer ones have come", async () => {
	const recent = new RecentChunks();
	for (let sequence = 1; sequence <= 300; sequence++) {
		recent.add(toChunk(sequence));
		recent.get(execution, sequence);
	}
	pushOut(recent);
	// What a weak reference was made of stays until the turn has ended.
	await turn();
	collectGarbage();
	const left = Array.from({ length: 300 }, (_none, index) => recent.get(execution, index + 1)).filter(Boolean);
	assert.equal(left.length, 0);
});

test("what one holds who follows alone is not kept track of", () => {
	const recent = new RecentChunks(() => false);
	recent.add(toChunk(1));
	const held = recent.get(execution, 1);
	pushOut(recent);
	assert.equal(held?.sequence, 1);
	assert.equal(recent.get(execution, 1), undefined);
});

test("what no reader was given is not kept track of", () => {
	const recent = new RecentChunks();
	const made = recent.add(toChunk(1));
	pushOut(recent);
	assert.equal(made.sequence, 1);
	assert.equal(recent.get(execution, 1), undefined);
});

test("an execution that nobody follows any more is forgotten", () => {
	const recent = new RecentChunks();
	recent.add(toChunk(1));
	const held = recent.get(execution, 1);
	pushOut(recent);
	recent.forget(execution);
	assert.equal(held?.sequence, 1);
	assert.equal(recent.get(execution, 1), undefined);
});

test.run();
