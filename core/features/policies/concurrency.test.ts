// test-timeout: 300
import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { ExecutionEntity } from "../../contract/index.ts";
import { principal } from "../../testing/engine/engine.test-support.ts";
import {
	brief,
	createCounts,
	limit,
	type Node,
	names,
	runsOut,
	settleAll,
	submitAll,
	submitTo,
	withCluster,
} from "../../testing/engine/policies.test-support.ts";
import { until } from "../../testing/guarantees/until.test-support.ts";

const statuses = ({ log }: ExecutionEntity) => log.map(({ status }) => status);

withCluster("a limit of one runs executions one after the other in the order they came", brief, async ({ startNode }, counts) => {
	const node = await startNode();
	await limit(node, { threshold: 1 });
	const ended = await settleAll(node, await submitAll(node, 12));
	assert.ok(ended.every(({ status }) => status === "succeeded"));
	assert.equal(counts.peak.get(""), 1);
	assert.deepEqual(counts.began, names(12));
});

withCluster("what is above the limit is delayed, which its log tells once", createCounts, async ({ startNode }, counts) => {
	const node = await startNode();
	await limit(node, { threshold: 2 });
	const submitted = await submitAll(node, 5, { hold: true });
	const waiting = submitted.slice(2);
	for (const { id } of waiting) await node.settled(id, "delayed");
	await until("both run", 10, () => counts.running.get("") === 2 || undefined);
	counts.release();
	for (const { log, ...ended } of await settleAll(node, submitted)) {
		const isWaiting = waiting.some(({ id }) => id === ended.id);
		const expected = ["requested", ...(isWaiting ? ["delayed"] : []), "scheduled", "running", "succeeded"];
		assert.deepEqual(
			log.map(({ status }) => status),
			expected,
		);
		assert.equal(ended.queue, null);
	}
	assert.equal(counts.peak.get(""), 2);
});

withCluster("above a limit that cancels, executions end canceled and name the policy", createCounts, async ({ startNode }, counts) => {
	const node = await startNode();
	await limit(node, { threshold: 1, action: "cancel" });
	const submitted = await submitAll(node, 3, { hold: true });
	const canceled = await settleAll(node, submitted.slice(1));
	for (const { status, result, log } of canceled) {
		assert.equal(status, "canceled");
		assert.deepEqual(result, { message: 'Action canceled by policy "default.action_concurrency".', policy: "default.action_concurrency" });
		assert.deepEqual(
			log.map((entry) => entry.status),
			["requested", "canceled"],
		);
	}
	counts.release();
	assert.equal((await node.settled(submitted[0]?.id ?? "")).status, "succeeded");
});

withCluster("a threshold of 0 lets nothing start until it is raised", createCounts, async ({ startNode }, counts) => {
	const node = await startNode();
	const policy = await limit(node, { threshold: 0 });
	const submitted = await submitAll(node, 3);
	for (const { id } of submitted) await node.settled(id, "delayed");
	assert.deepEqual(counts.began, []);
	await node.engine.policies.update(policy.ref, { ...policy, metadata_file: "", parameters: { threshold: 3 } });
	await settleAll(node, submitted);
	// They start together, so which one begins first is open.
	assert.deepEqual([...counts.began].sort(), names(3));
});

for (const [how, letGo] of [
	["deleted", (node: Node, ref: string) => node.engine.policies.remove(ref)],
	[
		"disabled",
		async (node: Node, ref: string) => {
			const policy = await node.engine.policies.get(ref);
			await node.engine.policies.update(ref, { ...policy, metadata_file: "", enabled: false });
		},
	],
] as const) {
	withCluster(`what a policy holds back is let go when it is ${how}, in its order`, createCounts, async ({ startNode }, counts) => {
		const node = await startNode({ poolSize: 1 });
		const { ref } = await limit(node, { threshold: 0 });
		const submitted = await submitAll(node, 30);
		for (const { id } of submitted) await node.settled(id, "delayed");
		await letGo(node, ref);
		const ended = await settleAll(node, submitted);
		assert.ok(ended.every(({ status }) => status === "succeeded"));
		assert.deepEqual(counts.began, names(30));
	});
}

withCluster("a new policy takes hold of what waits already", createCounts, async ({ startNode }, counts) => {
	const node = await startNode({ poolSize: 1 });
	const [first, ...waiting] = await submitAll(node, 5, { hold: true });
	await node.settled(first?.id ?? "", "running");
	await limit(node, { threshold: 0 });
	counts.release();
	await node.settled(first?.id ?? "");
	for (const { id } of waiting) assert.deepEqual(statuses(await node.settled(id, "delayed")), ["requested", "delayed"]);
	assert.deepEqual(counts.began, ["n0"]);
});

withCluster("a limit by attributes counts what has equal values, defaults included", createCounts, async ({ startNode }, counts) => {
	const node = await startNode();
	await limit(node, { threshold: 1, attributes: ["group"] });
	const running = await submitTo(node, { name: "one", group: "a", hold: true });
	const waiting = await submitTo(node, { name: "two", hold: true });
	const other = await submitTo(node, { name: "three", group: "b", hold: true });
	await node.settled(running.id, "running");
	await node.settled(other.id, "running");
	await node.settled(waiting.id, "delayed");
	// An execution is running a moment before its runner is.
	await until("both run", 10, () => counts.running.get("") === 2 || undefined);
	counts.release();
	await settleAll(node, [running, waiting, other]);
	assert.deepEqual([counts.peak.get("a"), counts.peak.get("b"), counts.peak.get("")], [1, 1, 2]);
});

withCluster("what one value holds back does not hold up another, however much waits", createCounts, async ({ startNode }, counts) => {
	const node = await startNode();
	await limit(node, { threshold: 1, attributes: ["group"] });
	await submitAll(node, 260, { group: "a", hold: true });
	const other = await submitTo(node, { name: "other", group: "b" });
	assert.equal((await node.settled(other.id)).status, "succeeded");
	await until("one runs", 10, () => counts.running.get("a") === 1 || undefined);
	assert.equal(counts.peak.get("a"), 1);
});

withCluster("both limits of an action apply", createCounts, async ({ startNode }, counts) => {
	const node = await startNode();
	await limit(node, { threshold: 3 });
	await limit(node, { threshold: 2, attributes: ["group"] });
	const submitted = [...(await submitAll(node, 4, { group: "a", hold: true })), ...(await submitAll(node, 4, { group: "b", hold: true }))];
	await until("all that may run do", 10, () => (counts.running.get("") === 3 ? true : undefined));
	for (const { id } of submitted.slice(5)) await node.settled(id, "delayed");
	assert.deepEqual([counts.running.get("a"), counts.running.get("b")], [2, 1]);
	counts.release();
	await settleAll(node, submitted);
	assert.ok((counts.peak.get("") ?? 0) <= 3 && (counts.peak.get("a") ?? 0) <= 2 && (counts.peak.get("b") ?? 0) <= 2);
});

withCluster("actions without a policy are not held up by those with one", createCounts, async ({ startNode }, counts) => {
	const node = await startNode({ poolSize: 2 });
	await limit(node, { threshold: 1 });
	await submitAll(node, 20, { hold: true });
	for (let round = 0; round < 3; round += 1) {
		const { id } = await node.submit();
		assert.equal((await node.settled(id)).status, "succeeded");
	}
	await until("one runs", 10, () => counts.running.get("") === 1 || undefined);
	assert.equal(counts.peak.get(""), 1);
});

withCluster("what waits can be canceled", createCounts, async ({ startNode }, counts) => {
	const node = await startNode();
	await limit(node, { threshold: 1 });
	const [first, second, third] = await submitAll(node, 3, { hold: true });
	await node.settled(second?.id ?? "", "delayed");
	await node.engine.executions.cancel(second?.id ?? "", principal);
	counts.release();
	const ended = await settleAll(node, [first, second, third] as ExecutionEntity[]);
	assert.deepEqual(
		ended.map(({ status }) => status),
		["succeeded", "canceled", "succeeded"],
	);
	assert.deepEqual(counts.began, ["n0", "n2"]);
});

withCluster("an execution with a delay joins the queue when it is due", createCounts, async ({ startNode }, counts) => {
	const node = await startNode();
	await limit(node, { threshold: 1 });
	const late = await node.submit({ name: "late" }, { action: "default.counted", delay: 1_000 });
	const early = await submitTo(node, { name: "early" });
	const [, ended] = await settleAll(node, [early, late]);
	// Not while it lasts: a busy machine may look too late.
	assert.deepEqual(statuses(ended as ExecutionEntity).slice(0, 2), ["requested", "delayed"]);
	assert.deepEqual(counts.began, ["early", "late"]);
});

withCluster("what a node that went away had scheduled still counts, and is run by another", createCounts, async (cluster, counts) => {
	const node = await cluster.startNode({ lease: 0.2 });
	await limit(node, { threshold: 1 });
	const left = await node.submit({ name: "left" }, { action: "default.counted", delay: 600_000 });
	await node.settled(left.id, "delayed");
	const gone = { status: "scheduled", owner: "gone", fence: "gone", queue: null } as const;
	await cluster.storage.update("execution", left.id, { ...gone, lease_expires_at: "2999-01-01T00:00:00.000000Z" });
	const next = await submitTo(node, { name: "next" });
	await node.settled(next.id, "delayed");
	assert.deepEqual(counts.began, []);
	await cluster.storage.update("execution", left.id, runsOut());
	await settleAll(node, [left, next]);
	assert.deepEqual(counts.began, ["left", "next"]);
	assert.equal(counts.peak.get(""), 1);
});

withCluster("a policy made on another node is in force within the poll interval", createCounts, async ({ startNode }, counts) => {
	const here = await startNode();
	const there = await startNode();
	await limit(there, { threshold: 1 });
	// The nodes hear nothing of each other, so that only the poll can tell.
	await until("the node knows of the policy", 10, async () => {
		const { id } = await submitTo(here, {});
		return (await here.engine.executions.get(id)).entity.queue === null ? undefined : true;
	});
	counts.release();
	const submitted = await submitAll(here, 6);
	await settleAll(here, submitted);
	assert.deepEqual(counts.began.slice(-6), names(6));
});

withCluster(
	"what is stored outside a queue by a node that does not know the policy is put into it",
	createCounts,
	async (cluster, counts) => {
		const node = await cluster.startNode();
		await limit(node, { threshold: 0 });
		const known = await submitTo(node, { name: "known" });
		await node.settled(known.id, "delayed");
		const stray = await node.submit({ name: "stray" }, { action: "default.counted", delay: 5_000 });
		await cluster.storage.update("execution", stray.id, { queue: null });
		await until("it is in the queue", 10, async () => (await cluster.storage.get("execution", stray.id))?.queue ?? undefined);
		assert.deepEqual(counts.began, []);
	},
);

withCluster("what is put into a queue by a node that does not know the policy has gone is let go", createCounts, async (cluster) => {
	const node = await cluster.startNode();
	const { id } = await node.submit({}, { action: "default.counted", delay: 100 });
	await cluster.storage.update("execution", id, { queue: "default.counted" });
	assert.equal((await node.settled(id)).status, "succeeded");
});

test.run();
