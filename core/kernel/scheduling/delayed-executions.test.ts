import * as assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { test } from "uvu";
import type { ExecutionEntity } from "../../contract/index.ts";
import { principal } from "../../testing/engine/engine.test-support.ts";
import {
	type Counts,
	createCounts,
	dawdle,
	type Node,
	names,
	startCounted,
	submitTo,
	withEachAdmission,
} from "../../testing/engine/policies.test-support.ts";
import { createSharedStorage } from "../../testing/engine/shared-storage.test-support.ts";
import { createRandom, pick } from "../../testing/guarantees/random.test-support.ts";
import { until } from "../../testing/guarantees/until.test-support.ts";
import { fromTimestamp } from "../basics/clock.ts";

const counted = { action: "default.counted" };

/** Microseconds that two nodes may read the clock of one storage apart. */
const apart = 20_000;

function beganAt({ log }: ExecutionEntity): number {
	return fromTimestamp(log.find(({ status }) => status === "scheduled")?.timestamp ?? "");
}

withEachAdmission(
	"of several nodes, one starts each delayed execution, once and not before it is due",
	createCounts,
	async (cluster, counts) => {
		const random = createRandom(5);
		const nodes = [await cluster.startNode({ onCall: dawdle(random) })];
		while (nodes.length < 4) nodes.push(await cluster.startNode({ onCall: dawdle(random) }));
		const submitted: ExecutionEntity[] = [];
		for (const name of names(60)) submitted.push(await pick(random, nodes).submit({ name }, { ...counted, delay: 1 + random(150) }));
		const ended = await Promise.all(submitted.map(({ id }) => pick(random, nodes).settled(id)));
		assert.deepEqual([...counts.began].sort(), names(60).sort());
		for (const execution of ended) {
			assert.equal(execution.status, "succeeded");
			assert.equal(execution.attempt, 1);
			assert.ok(beganAt(execution) >= fromTimestamp(execution.due_timestamp) - apart);
		}
	},
);

withEachAdmission(
	"a delayed execution is started by another node when its own has stopped",
	createCounts,
	async ({ startNode }, counts) => {
		const first = await startNode();
		const { id } = await first.submit({ name: "late" }, { ...counted, delay: 200 });
		await first.settled(id, "delayed");
		await first.stop();
		const second = await startNode();
		assert.equal((await second.settled(id)).status, "succeeded");
		assert.deepEqual(counts.began, ["late"]);
	},
);

withEachAdmission(
	"what is not delayed never looks so, though it comes in while delayed ones are marked",
	createCounts,
	async (cluster, counts) => {
		let late: ExecutionEntity | undefined;
		const node = await cluster.startNode({
			async onCall(method, [, , patch]) {
				if (
					late !== undefined ||
					method !== "claim" ||
					(patch as Partial<ExecutionEntity>).status !== "delayed" ||
					counts.began.length === 0
				)
					return;
				late = (await node.submit({ name: "late" }, counted)) as ExecutionEntity;
			},
			poolSize: 1,
		});
		// It takes the only place, so that the late one is stored as it came.
		await node.submit({ name: "first", hold: true }, counted);
		await until("an execution came in at that moment", 10, () => late);
		counts.release();
		const { log } = await node.settled(late?.id ?? "");
		assert.deepEqual(
			log.map(({ status }) => status),
			["requested", "scheduled", "running", "succeeded"],
		);
	},
);

/** Fill every place of a node with runs that go on until they are released. */
async function fill(node: Node, counts: Counts, places: number): Promise<void> {
	for (let place = 0; place < places; place += 1) await node.submit({ name: `held${place}`, hold: true }, counted);
	await until("every place was taken", 10, () => counts.began.length === places || undefined);
}

async function submitDelayed(node: Node, delays: readonly number[]): Promise<ExecutionEntity[]> {
	const submitted: ExecutionEntity[] = [];
	for (const delay of delays) submitted.push(await node.submit({ name: "delayed" }, { ...counted, delay }));
	return submitted;
}

/** Until all have been due for a while. */
async function pass(executions: readonly ExecutionEntity[]): Promise<void> {
	const due = executions.map(({ due_timestamp }) => fromTimestamp(due_timestamp) / 1_000);
	await pause(Math.max(...due) + 100 - Date.now());
}

withEachAdmission(
	"what comes due while every place is taken is not looked for until one is free",
	createCounts,
	async (cluster, counts) => {
		let statements = 0;
		const node = await cluster.startNode({
			poolSize: 1,
			pollInterval: 600,
			onCall(method, [kind]) {
				if ((method === "find" || method === "claim") && kind === "execution") statements += 1;
			},
		});
		await fill(node, counts, 1);
		const delayed = await submitDelayed(
			node,
			names(40).map((_, index) => 200 + 3 * index),
		);
		for (const { id } of delayed) await node.settled(id, "delayed");
		const before = statements;
		await pass(delayed);
		assert.ok(statements - before < 40, `${statements - before} statements`);
		counts.release();
		for (const { id } of delayed) assert.equal((await node.settled(id)).status, "succeeded");
	},
);

for (const [places, others] of [
	[1, 60],
	[20, 100],
] as const) {
	const title = `what is due and what need not wait share ${places} places while there is more of both`;
	withEachAdmission(title, createCounts, async (cluster, counts) => {
		let surveys = 0;
		const node = await cluster.startNode({
			poolSize: places,
			pollInterval: 600,
			async onCall(method, [kind, , patch]) {
				if (method !== "claim" || kind !== "execution") return;
				if ((patch as Partial<ExecutionEntity>).status === "delayed") surveys += 1;
				// Meanwhile other places become free.
				await pause(2);
			},
		});
		await fill(node, counts, places);
		const atOnce: ExecutionEntity[] = [];
		for (let index = 0; index < others; index += 1) atOnce.push(await node.submit({ name: "at once" }, counted));
		const delayed = await submitDelayed(
			node,
			names(20).map((_, index) => index + 1),
		);
		await pass(delayed);
		const before = surveys;
		counts.release();
		for (const { id } of [...delayed, ...atOnce]) await node.settled(id);
		assert.ok(surveys - before < 10, `${surveys - before} looks at everything where a place had become free`);
		const began = counts.began.slice(places);
		assert.ok(began.lastIndexOf("delayed") < others, `the last that was due came after ${began.lastIndexOf("delayed")}`);
		assert.ok(began.indexOf("at once") < delayed.length, "none that need not wait came before the last that was due");
	});
}

for (const startsInline of [true, false])
	test(`what came due while the service was down is run when it is back, what was not due yet later (inline: ${startsInline})`, async () => {
		const { createDoor, release } = createSharedStorage();
		const counts = createCounts();
		const first = await startCounted(createDoor().plugin, counts, { startsInline });
		const due = await first.submit({ name: "due" }, { ...counted, delay: 1_000 });
		const later = await first.submit({ name: "later" }, { ...counted, delay: 1_500 });
		for (const { id } of [due, later]) await first.settled(id, "delayed");
		await first.stop();
		const second = await startCounted(createDoor().plugin, counts, { startsInline });
		for (const { id } of [due, later]) await second.settled(id);
		await second.stop();
		await release();
		assert.deepEqual(counts.began, ["due", "later"]);
	});

withEachAdmission("a delayed execution that is canceled at any node never starts", createCounts, async ({ startNode }, counts) => {
	const first = await startNode();
	const second = await startNode();
	const { id } = await first.submit({ name: "never" }, { ...counted, delay: 1_500 });
	await first.settled(id, "delayed");
	await second.engine.executions.cancel(id, principal);
	assert.equal((await first.settled(id)).status, "canceled");
	const after = await first.submit({ name: "after" }, { ...counted, delay: 1_600 });
	await first.settled(after.id);
	assert.deepEqual(counts.began, ["after"]);
});

withEachAdmission(
	"cancels that race with the start leave each execution canceled or run, never both",
	createCounts,
	async ({ startNode }, counts) => {
		const nodes = [await startNode(), await startNode()] as const;
		const submitted: ExecutionEntity[] = [];
		for (let index = 0; index < 40; index += 1) submitted.push(await nodes[0].submit({ name: String(index) }, { ...counted, delay: 30 }));
		const random = createRandom(3);
		const ended = await Promise.all(
			submitted.map(async ({ id }) => {
				for (let turn = random(20); turn > 0; turn -= 1) await new Promise((resolve) => setTimeout(resolve, 2));
				await nodes[1].engine.executions.cancel(id, principal);
				return nodes[0].settled(id);
			}),
		);
		for (const { status, log, parameters } of ended) {
			const hasRun = log.some((entry) => entry.status === "running");
			const runs = counts.began.filter((name) => name === parameters["name"]).length;
			assert.ok(runs <= 1 && (hasRun || runs === 0), `${status}, ${runs} runs`);
			if (status === "succeeded") assert.ok(hasRun);
		}
		await nodes[0].settled((await submitTo(nodes[0], { name: "end" })).id);
	},
);

test.run();
