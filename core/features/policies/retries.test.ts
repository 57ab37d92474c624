import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { ExecutionEntity, JsonObject } from "../../contract/index.ts";
import { fromTimestamp } from "../../kernel/basics/clock.ts";
import { principal, type TestEngine } from "../../testing/engine/engine.test-support.ts";
import { createCounts, type Node, runsOut, startCounted, submitTo, withCluster } from "../../testing/engine/policies.test-support.ts";
import { createSharedStorage } from "../../testing/engine/shared-storage.test-support.ts";

const failing = { outcome: "fail" };

/** A policy of `default.counted` of another type than those that limit. */
function again({ engine }: Pick<TestEngine, "engine">, type: "retry" | "crash", parameters: JsonObject) {
	const policy = { name: type, pack: "default", resource_ref: "default.counted", policy_type: `action.${type}`, parameters };
	return engine.policies.create(policy);
}

/** All executions of `default.counted`, the oldest first, once none is under way. */
async function readAll({ storage }: { readonly storage: Cluster["storage"] }): Promise<ExecutionEntity[]> {
	for (;;) {
		const found = await storage.find("execution", { where: { action_ref: "default.counted" }, orderBy: [["start_timestamp", "asc"]] });
		if (found.every(({ end_timestamp }) => end_timestamp !== null)) return found;
		await new Promise((resolve) => setTimeout(resolve, 2));
	}
}

type Cluster = Parameters<Parameters<typeof withCluster>[2]>[0];
const appliedOf = ({ context }: ExecutionEntity, kind: string) => (context["policies"] as Record<string, JsonObject> | undefined)?.[kind];
const statusesOf = (executions: readonly ExecutionEntity[]) => executions.map(({ status }) => status);

withCluster("what failed is run again as often as the policy says, each time as an execution of its own", createCounts, async (cluster) => {
	const node = await cluster.startNode();
	await again(node, "retry", { retry_on: "failure", max_retry_count: 3 });
	const first = await submitTo(node, { ...failing, name: "x" });
	const all = await readAll(cluster);
	assert.deepEqual(statusesOf(all), ["failed", "failed", "failed", "failed"]);
	assert.equal(all[0]?.id, first.id);
	all.slice(1).forEach((execution, index) => {
		const applied = { applied_policy: "default.retry", retry_count: index + 1, retried_liveaction_id: all[index]?.liveaction_id };
		assert.deepEqual(appliedOf(execution, "retry"), applied);
		const { action_ref, user, trace_id, parameters, log } = execution;
		assert.deepEqual(
			{ action_ref, user, trace_id, parameters },
			{
				action_ref: first.action_ref,
				user: first.user,
				trace_id: first.trace_id,
				parameters: first.parameters,
			},
		);
		assert.deepEqual(log.map(({ status }) => status).slice(-3), ["scheduled", "running", "failed"]);
	});
	assert.equal(appliedOf(all[0] as ExecutionEntity, "retry"), undefined);
});

withCluster("a run that succeeds is the last", createCounts, async (cluster, counts) => {
	const node = await cluster.startNode();
	await again(node, "retry", { retry_on: "failure", max_retry_count: 5 });
	const ok = await submitTo(node, { name: "ok" });
	await node.settled(ok.id);
	assert.deepEqual(statusesOf(await readAll(cluster)), ["succeeded"]);
	assert.deepEqual(counts.began, ["ok"]);
});

withCluster("parameters, secrets included, notifications, rule and context go along", createCounts, async (cluster) => {
	const node = await cluster.startNode();
	await node.engine.policies.create({
		name: "again",
		pack: "default",
		resource_ref: "default.scripted",
		policy_type: "action.retry",
		parameters: { retry_on: "failure", max_retry_count: 1 },
	});
	const notify = { "on-failure": { message: "it failed", routes: ["mail"] } };
	const { id } = await node.submit({ outcome: "fail", secret: "hunter2" }, { notify, context: { ticket: 7 } });
	await node.settled(id);
	const [first, second] = await cluster.storage.find("execution", { orderBy: [["start_timestamp", "asc"]] });
	await node.settled(second?.id ?? "");
	assert.equal(second?.parameters["secret"], "hunter2");
	assert.deepEqual(second?.notify, notify);
	assert.equal(second?.context["ticket"], 7);
	assert.notEqual(second?.liveaction_id, first?.liveaction_id);
});

withCluster("a delay passes before the next run, which is delayed meanwhile", createCounts, async (cluster) => {
	const node = await cluster.startNode();
	await again(node, "retry", { retry_on: "failure", max_retry_count: 1, delay: 0.2 });
	await submitTo(node, failing);
	const [first, second] = (await readAll(cluster)) as [ExecutionEntity, ExecutionEntity];
	assert.equal(second.delay, 200);
	const began = second.log.find(({ status }) => status === "running")?.timestamp ?? "";
	assert.ok(fromTimestamp(began) - fromTimestamp(first.end_timestamp ?? "") >= 200_000);
	assert.deepEqual(second.log.map(({ status }) => status).slice(0, 2), ["requested", "delayed"]);
});

for (const [retry_on, expected] of [
	["timeout", ["timeout", "timeout"]],
	["failure", ["timeout"]],
] as const) {
	withCluster(`a time-out is run again ${retry_on === "timeout" ? "on timeout" : "not on failure"}`, createCounts, async (cluster) => {
		const node = await cluster.startNode();
		const policy = { name: "again", pack: "default", resource_ref: "default.scripted", policy_type: "action.retry" };
		await node.engine.policies.create({ ...policy, parameters: { retry_on, max_retry_count: 1 } });
		const { id } = await node.submit({ outcome: "hang", timeout: 0.05 });
		await node.settled(id);
		for (const execution of await cluster.storage.find("execution", {})) await node.settled(execution.id);
		assert.deepEqual(statusesOf(await cluster.storage.find("execution", {})), expected);
	});
}

withCluster("what somebody has canceled is not run again", createCounts, async (cluster) => {
	const node = await cluster.startNode();
	await again(node, "retry", { retry_on: "failure" });
	await again(node, "crash", { action: "retry" });
	const { id } = await submitTo(node, { hold: true });
	await node.settled(id, "running");
	await node.engine.executions.cancel(id, principal);
	await node.settled(id);
	assert.deepEqual(statusesOf(await readAll(cluster)), ["canceled"]);
});

withCluster(
	"an execution that somebody has asked for over the API as a part of another is not run again",
	createCounts,
	async (cluster) => {
		const node = await cluster.startNode();
		await again(node, "retry", { retry_on: "failure" });
		const parent = await node.submit();
		await node.engine.executions.submit(
			{ action: "default.counted", parameters: failing, context: { parent: { execution_id: parent.id } } },
			principal,
		);
		assert.deepEqual(statusesOf(await readAll(cluster)), ["failed"]);
	},
);

withCluster("an action that has been disabled or deleted meanwhile is not run again", createCounts, async (cluster) => {
	const node = await cluster.startNode();
	await again(node, "retry", { retry_on: "failure" });
	const { id } = await submitTo(node, { ...failing, hold: true });
	await node.settled(id, "running");
	await node.engine.actions.update("default.counted", { name: "counted", runner_type: "counted", enabled: false });
	await node.engine.executions.setStatus(id, { status: "failed" }, principal);
	assert.deepEqual(statusesOf(await readAll(cluster)), ["failed"]);
});

withCluster("a policy that is disabled has no effect", createCounts, async (cluster) => {
	const node = await cluster.startNode();
	const policy = await again(node, "retry", { retry_on: "failure" });
	await node.engine.policies.update(policy.ref, { ...policy, metadata_file: "", enabled: false });
	await submitTo(node, failing);
	assert.deepEqual(statusesOf(await readAll(cluster)), ["failed"]);
});

withCluster("a count that somebody sends along does not make more of them", createCounts, async (cluster) => {
	const node = await cluster.startNode();
	await again(node, "retry", { retry_on: "failure", max_retry_count: 1 });
	for (const retry_count of [-100, "x", null]) {
		const context = { policies: { retry: { retry_count } } };
		await node.engine.executions.submit({ action: "default.counted", parameters: failing, context }, principal);
	}
	assert.equal((await readAll(cluster)).length, 6);
});

withCluster("what is run again waits for the limits of its action as well", createCounts, async (cluster, counts) => {
	const node = await cluster.startNode();
	await node.engine.policies.create({
		name: "one",
		pack: "default",
		resource_ref: "default.counted",
		policy_type: "action.concurrency",
		parameters: { threshold: 1 },
	});
	await again(node, "retry", { retry_on: "failure", max_retry_count: 2 });
	await Promise.all(["a", "b", "c"].map((name) => submitTo(node, { ...failing, name })));
	assert.equal((await readAll(cluster)).length, 9);
	assert.equal(counts.peak.get(""), 1);
});

/** An execution that runs on a node which has stopped to do anything, its lease passed. */
async function leaveRunning(
	{ startNode, storage }: Cluster,
	prepare?: (node: Node) => Promise<unknown>,
): Promise<{ readonly gone: Node; readonly id: string }> {
	const gone = await startNode();
	await prepare?.(gone);
	const { id } = await submitTo(gone, { name: "left", hold: true });
	await gone.settled(id, "running");
	gone.door.shut();
	await storage.update("execution", id, runsOut());
	return { gone, id };
}

withCluster("without a policy, what ran on a node that went away is not run again", createCounts, async (cluster, counts) => {
	const { id } = await leaveRunning(cluster);
	const node = await cluster.startNode({ lease: 0.2 });
	assert.equal((await node.settled(id)).status, "abandoned");
	assert.deepEqual(counts.began, ["left"]);
	assert.deepEqual(statusesOf(await readAll(cluster)), ["abandoned"]);
});

for (const action of ["abandon", "retry"]) {
	withCluster(`with action.crash: ${action} it is${action === "retry" ? "" : " not"}`, createCounts, async (cluster, counts) => {
		const { gone, id } = await leaveRunning(cluster, (node) => again(node, "crash", { action }));
		const node = await cluster.startNode({ lease: 0.2 });
		await cluster.storage.update("execution", id, runsOut());
		const ended = await node.settled(id);
		counts.release();
		assert.equal(ended.status, "abandoned");
		const all = await readAll(cluster);
		assert.deepEqual(statusesOf(all), action === "retry" ? ["abandoned", "succeeded"] : ["abandoned"]);
		if (action === "abandon") return;
		const applied = { applied_policy: "default.crash", retry_count: 1, retried_liveaction_id: ended.liveaction_id };
		assert.deepEqual(appliedOf(all[1] as ExecutionEntity, "crash"), applied);
		gone.door.open();
		await gone.engine.drain();
		assert.equal((await readAll(cluster)).length, 2);
	});
}

withCluster("several nodes that find the same execution left run it again once", createCounts, async (cluster, counts) => {
	const maker = await cluster.startNode();
	await again(maker, "crash", { action: "retry" });
	const { id } = await leaveRunning(cluster);
	counts.release();
	for (let node = 0; node < 4; node += 1) await cluster.startNode({ lease: 0.2 });
	await cluster.storage.update("execution", id, runsOut());
	await maker.settled(id);
	assert.deepEqual(statusesOf(await readAll(cluster)), ["abandoned", "succeeded"]);
});

withCluster("what a stop of the service ends counts as left by its node", createCounts, async (cluster, counts) => {
	const node = await cluster.startNode({ graceful: false });
	await again(node, "crash", { action: "retry" });
	const { id } = await submitTo(node, { name: "left", hold: true });
	await node.settled(id, "running");
	await node.engine.stop();
	counts.release();
	const next = await cluster.startNode();
	assert.equal((await next.settled(id)).status, "abandoned");
	assert.deepEqual(statusesOf(await readAll(cluster)), ["abandoned", "succeeded"]);
});

withCluster("a failure and the run that follows it are stored together or not at all", createCounts, async (cluster) => {
	let refused = 0;
	const node = await cluster.startNode({
		onCall: (method, [operations]) => {
			if (method !== "write" || !JSON.stringify(operations).includes("retried_liveaction_id") || refused === 3) return;
			refused += 1;
			throw Object.assign(new Error("away"), { name: "SvcError", code: "SVC_UNAVAILABLE", facts: {} });
		},
	});
	await again(node, "retry", { retry_on: "failure", max_retry_count: 1 });
	await submitTo(node, failing);
	assert.deepEqual(statusesOf(await readAll(cluster)), ["failed", "failed"]);
	assert.equal(refused, 3);
});

test("a run that is to follow later outlives a restart", async () => {
	const shared = createSharedStorage();
	const counts = createCounts();
	const first = await startCounted(shared.createDoor().plugin, counts);
	await again(first, "retry", { retry_on: "failure", max_retry_count: 1, delay: 0.5 });
	const { id } = await submitTo(first, failing);
	await first.settled(id);
	await first.stop();
	assert.equal(await shared.storage.count("execution", { action_ref: "default.counted" }), 2);
	const second = await startCounted(shared.createDoor().plugin, counts);
	const [, next] = await shared.storage.find("execution", { orderBy: [["start_timestamp", "asc"]] });
	await second.settled(next?.id ?? "");
	await second.stop();
	await shared.release();
	assert.equal(counts.began.length, 2);
});

test.run();
