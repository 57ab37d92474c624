import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { ExecutionEntity } from "../../contract/index.ts";
import { principal } from "../../testing/engine/engine.test-support.ts";
import {
	brief,
	type Cluster,
	type Counts,
	createCounts,
	dawdle,
	limit,
	type Node,
	names,
	settleAll,
	submitTo,
	withCluster,
} from "../../testing/engine/policies.test-support.ts";
import type { OnCall } from "../../testing/engine/shared-storage.test-support.ts";
import { rounds } from "../../testing/extent.test-support.ts";
import { createRandom, pick } from "../../testing/guarantees/random.test-support.ts";
import { until } from "../../testing/guarantees/until.test-support.ts";

const nodeCount = 4;
const threshold = 2;

async function startNodes({ startNode }: Cluster, onCall: OnCall): Promise<Node[]> {
	const nodes: Node[] = [];
	while (nodes.length < nodeCount) nodes.push(await startNode({ onCall }));
	return nodes;
}

/** Set the threshold at each node, so that all know the policy: the window of a new one is another test's. */
async function setThreshold(nodes: readonly Node[], value: number): Promise<void> {
	const ref = "default.action_concurrency";
	for (const { engine } of nodes) {
		const policy = await engine.policies.get(ref);
		await engine.policies.update(ref, { ...policy, metadata_file: "", parameters: { threshold: value } });
	}
}

/**
 * Several nodes, many executions, random ends and cancels, and some that get in front of others, as those of a node whose clock
 * is behind do. What became of them.
 */
async function storm(cluster: Cluster, seed: number) {
	const random = createRandom(seed);
	const nodes = await startNodes(cluster, dawdle(random));
	const [first] = nodes as [Node];
	await limit(first, { threshold });
	await setThreshold(nodes, threshold);
	const submitted: ExecutionEntity[] = [];
	const canceled = new Set<string>();
	for (const name of names(60)) {
		submitted.push(await submitTo(pick(random, nodes), { name }));
		const { id } = pick(random, submitted);
		if (random(3) === 0) {
			const due_timestamp = `2001-01-01T00:00:00.${String(999_999 - submitted.length)}Z`;
			await cluster.storage.update("execution", id, { due_timestamp }, { queue: "default.counted" });
		} else if (random(8) === 0) {
			await pick(random, nodes).engine.executions.cancel(id, principal);
			canceled.add(id);
		}
	}
	return { ended: await settleAll(first, submitted), canceled };
}

for (const seed of Array.from({ length: rounds({ short: 1, full: 2 }, "STORMS") }, (_, index) => index + 1)) {
	withCluster(
		`nodes that look at the same time never exceed the limit, and everything runs (seed ${seed})`,
		() => brief(seed),
		async (cluster, counts) => {
			const { ended, canceled } = await storm(cluster, seed);
			assert.equal(counts.peak.get(""), threshold);
			for (const { id, status } of ended) assert.ok(status === "succeeded" || (status === "canceled" && canceled.has(id)), status);
		},
	);
}

/**
 * A node has counted, and is about to start an execution, when another execution gets in front and another node starts that one.
 * `change` may spoil what the first node writes.
 */
async function overtake({ startNode, storage }: Cluster, counts: Counts, change: OnCall = () => {}) {
	let isLate = false;
	let goOn = () => {};
	const gate = new Promise<void>((resolve) => {
		goOn = resolve;
	});
	let looks = 0;
	const slow = await startNode({
		onCall: async (method, values) => {
			await change(method, values);
			if (JSON.stringify(values).includes("due_timestamp")) looks += 1;
			if (method !== "write" || !JSON.stringify(values).includes("turn") || !JSON.stringify(values).includes("scheduled")) return;
			isLate = true;
			await gate;
		},
	});
	const front = await slow.submit({ name: "front", hold: true }, { action: "default.counted", delay: 600_000 });
	await limit(slow, { threshold: 0 });
	const chosen = await submitTo(slow, { name: "chosen", hold: true });
	await slow.settled(chosen.id, "delayed");
	await setThreshold([slow], 1);
	await until("the node is about to start it", 10, () => (isLate ? true : undefined));
	await storage.update("execution", front.id, { due_timestamp: "2001-01-01T00:00:00.000000Z" });
	const quick = await startNode();
	await quick.settled(front.id, "running");
	looks = 0;
	goOn();
	return { hasLookedAgain: () => (looks > 0 ? true : undefined), finish: () => settleBoth(quick, counts, [front, chosen]) };
}

async function settleBoth(node: Node, counts: Counts, executions: readonly ExecutionEntity[]): Promise<void> {
	counts.release();
	await settleAll(node, executions);
}

withCluster("a node that has counted before another node started something counts again", createCounts, async (cluster, counts) => {
	const { hasLookedAgain, finish } = await overtake(cluster, counts);
	await until("the node has looked again", 10, hasLookedAgain);
	assert.deepEqual(counts.began, ["front"]);
	await finish();
	assert.deepEqual(counts.began, ["front", "chosen"]);
	assert.equal(counts.peak.get(""), 1);
});

withCluster("without the turn of the policy it would exceed the limit", createCounts, async (cluster, counts) => {
	const { finish } = await overtake(cluster, counts, withoutTurn);
	await until("both run", 10, () => (counts.running.get("") === 2 ? true : undefined));
	await finish();
});

/** Take the condition off the turns of policies. */
function withoutTurn(method: string, values: unknown[]): void {
	const [operations] = values;
	if (method !== "write" || !Array.isArray(operations)) return;
	values[0] = operations.map(({ expected, ...operation }) => (operation.update === "policy" ? operation : { ...operation, expected }));
}

withCluster("over several nodes the order is kept with a limit of one", brief, async (cluster, counts) => {
	const random = createRandom(9);
	const nodes = await startNodes(cluster, dawdle(random));
	const [first] = nodes as [Node];
	await limit(first, { threshold: 0 });
	await setThreshold(nodes, 0);
	const submitted: ExecutionEntity[] = [];
	for (const name of names(40)) submitted.push(await submitTo(pick(random, nodes), { name }));
	await setThreshold([first], 1);
	const ended = await settleAll(first, submitted);
	// Each node has a clock of its own.
	const inOrder = ended.sort((a, b) => (`${a.due_timestamp} ${a.id}` < `${b.due_timestamp} ${b.id}` ? -1 : 1));
	assert.deepEqual(
		counts.began,
		inOrder.map(({ parameters }) => parameters["name"]),
	);
	assert.equal(counts.peak.get(""), 1);
});

test.run();
