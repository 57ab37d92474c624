import * as assert from "node:assert/strict";
import { test } from "uvu";
import { createCounts, withCluster } from "../../testing/engine/policies.test-support.ts";
import { until } from "../../testing/guarantees/until.test-support.ts";
import { fromTimestamp, toTimestamp } from "../basics/clock.ts";
import { Frontier } from "./frontier.ts";

const second = 1_000_000;
const noon = 1_800_000_000 * second;

test("what has been claimed is not gone through again, but for a moment before it", () => {
	const frontier = new Frontier(10_000, () => 0);
	assert.deepEqual(frontier.ahead(), { gte: "" });
	frontier.reach(toTimestamp(noon));
	frontier.reach(toTimestamp(noon - 60 * second));
	assert.deepEqual(frontier.ahead(), { gte: toTimestamp(noon - 5 * second) });
});

test("now and then, and when it is asked to, it looks at everything once", () => {
	let passed = 0;
	const frontier = new Frontier(10_000, () => passed);
	frontier.ahead();
	frontier.reach(toTimestamp(noon));
	passed = 9_999;
	assert.notEqual(frontier.ahead().gte, "");
	passed = 10_000;
	assert.equal(frontier.ahead().gte, "");
	assert.notEqual(frontier.ahead().gte, "");
	frontier.forget();
	assert.equal(frontier.ahead().gte, "");
	assert.notEqual(frontier.ahead().gte, "");
});

const counted = { action: "default.counted" };

withCluster("claims of executions begin where the last one has ended", createCounts, async ({ startNode }, counts) => {
	const asked: string[] = [];
	const node = await startNode({
		poolSize: 1,
		async onCall(method, [kind, query]) {
			const { where } = (query ?? {}) as { readonly where?: Record<string, unknown> };
			if (method !== "claim" || kind !== "execution" || where?.["status"] !== "requested" || where["delay"] !== null) return;
			asked.push((where["due_timestamp"] as { readonly gte: string }).gte);
		},
	});
	await node.submit({ name: "first", hold: true }, counted);
	const submitted = [];
	for (const name of ["a", "b", "c"]) submitted.push(await node.submit({ name }, counted));
	counts.release();
	for (const { id } of submitted) await node.settled(id);
	await until("claims begin at what was claimed", 10, () => asked.some((from) => from !== "" && fromTimestamp(from) > 0) || undefined);
	const last = asked.filter((from) => from !== "").at(-1) ?? "";
	const due = submitted.map(({ due_timestamp }) => fromTimestamp(due_timestamp));
	assert.ok(
		due.some((time) => fromTimestamp(last) === time - 5 * second),
		`${last} is five seconds before one of them`,
	);
});

test.run();
