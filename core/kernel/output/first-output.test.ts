import * as assert from "node:assert/strict";
import { test } from "uvu";
import { defineRunner, type WriteOperation } from "../../contract/index.ts";
import type { OnCall } from "../../testing/engine/shared-storage.test-support.ts";
import { withNodes } from "../nodes/nodes.test-support.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Prints a line, and ends some turns of the event loop later, as a short command does. */
const brief = defineRunner("brief", () => ({
	description: "Prints a line and ends soon.",
	capabilities: { streaming: true },
	parameters: { length: { type: "integer", default: 3 } },
	async run({ emit, runnerParameters }) {
		await emit("stdout", `${"x".repeat(runnerParameters.length ?? 0)}\n`);
		for (let turns = 0; turns < 5; turns += 1) await turn();
		return { succeeded: true, result: {} };
	},
}));

/** The writes with output: with the end of a run, or before it. */
function createWatch() {
	const writes: string[] = [];
	const onCall: OnCall = (method, [first]) => {
		if (method === "insert" && first === "output_chunk") writes.push("before");
		if (method !== "write") return;
		const operations = first as readonly WriteOperation[];
		if (!operations.some((operation) => "insert" in operation && operation.insert === "output_chunk")) return;
		const isEnd = operations.some(
			(operation) => "update" in operation && operation.update === "execution" && operation.patch.status === "succeeded",
		);
		writes.push(isEnd ? "with the end" : "before");
	};
	return { writes, onCall };
}

test("the output of a short run is stored by the same write as its end; much of it is stored at once", () =>
	withNodes(async ({ startNode }) => {
		const { writes, onCall } = createWatch();
		const node = await startNode({ runners: [brief()], onCall });
		await node.engine.actions.create({ name: "brief", runner_type: "brief" });
		const run = async (length: number) => {
			writes.length = 0;
			await node.settled((await node.submit({ length }, { action: "default.brief" })).id);
			return writes.join(", ");
		};
		// On a machine that stands still now and then a turn of the loop may take longer than the output waits.
		const seen: string[] = [];
		for (let count = 0; count < 20; count += 1) seen.push(await run(3));
		assert.ok(seen.includes("with the end"), seen.join("; "));
		for (let count = 0; count < 20; count += 1) assert.match(await run(100_000), /^before/);
	}));

test.run();
