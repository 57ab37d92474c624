import * as assert from "node:assert/strict";
import { test } from "uvu";
import { defineRunner, type ExecutionEntity } from "../../contract/index.ts";
import { principal, startEngine, type TestEngine } from "../../testing/engine/engine.test-support.ts";
import { createSharedStorage, type OnCall } from "../../testing/engine/shared-storage.test-support.ts";
import { until } from "../../testing/guarantees/until.test-support.ts";
import { Claimer, type ClaimerDependencies } from "../coordination/claimer.ts";
import { SlotPool } from "../coordination/slot-pool.ts";
import { ParentSlotShares } from "./parent-slot-shares.ts";

/** Starts children that run until they are canceled, and waits for them. */
const parent = defineRunner("parent", () => ({
	description: "Starts children.",
	capabilities: { cancellation: true },
	parameters: { children: { type: "integer", default: 0 } },
	async run({ children, runnerParameters }) {
		const { children: count } = runnerParameters as { readonly children: number };
		const ids: string[] = [];
		for (let index = 0; index < count; index++) {
			ids.push(await children.start({ key: `item-${index}`, action: "default.scripted", parameters: { outcome: "hang" } }));
		}
		for (const id of ids) await children.ended(id);
		return { succeeded: true, result: {} };
	},
}))();

let openGate = () => {};
const gate = new Promise<void>((resolve) => {
	openGate = resolve;
});

/** Ends when the gate is open. */
const gated = defineRunner("gated", () => ({
	description: "Waits for a gate.",
	capabilities: {},
	parameters: {},
	async run() {
		await gate;
		return { succeeded: true, result: {} };
	},
}))();

interface PoolOptions {
	readonly startsInline: boolean;
	readonly onCall?: OnCall;
}

async function withPool(poolSize: number, { startsInline, onCall }: PoolOptions, run: (node: TestEngine) => Promise<void>): Promise<void> {
	const shared = createSharedStorage();
	const node = await startEngine({
		startsInline,
		storage: shared.createDoor(onCall).plugin,
		runners: [parent, gated],
		options: { actionrunner: { actions_pool_size: poolSize, graceful_shutdown: false } },
	});
	try {
		await node.engine.actions.create({ name: "parent", runner_type: "parent" });
		await run(node);
	} finally {
		await node.stop();
		await shared.release();
	}
}

/** Waits until as many of these run. */
async function running(
	{ storage }: TestEngine,
	where: { readonly parent_id?: string; readonly id?: { readonly in: readonly string[] } },
	count: number,
) {
	return until(`${count} run`, 60, async () => {
		const found: readonly ExecutionEntity[] = await storage.find("execution", { where: { ...where, status: "running" } });
		return found.length === count ? found : undefined;
	});
}

async function end({ engine, settled }: TestEngine, { id }: Pick<ExecutionEntity, "id">): Promise<void> {
	await engine.executions.cancel(id, principal);
	await settled(id);
}

for (const startsInline of [true, false]) {
	test(`children of one parent take every slot while nothing else waits, and half of them while others do (inline: ${startsInline})`, () =>
		withPool(4, { startsInline }, async (node) => {
			const { id } = await node.submit({ children: 12 }, { action: "default.parent" });
			const [first, second, third] = await running(node, { parent_id: id }, 4);
			assert.ok(first !== undefined && second !== undefined && third !== undefined);
			await until("all are submitted", 60, async () => (await node.storage.count("execution", { parent_id: id })) === 12 || undefined);
			const others = [];
			for (let index = 0; index < 4; index++) others.push((await node.submit({ outcome: "hang" })).id);
			// The children that wait came before the others.
			await end(node, first);
			await running(node, { id: { in: others } }, 1);
			await end(node, second);
			await running(node, { id: { in: others } }, 2);
			assert.equal((await running(node, { parent_id: id }, 2)).length, 2);
			// The parent keeps its half: what waits longest comes next.
			await end(node, third);
			await running(node, { parent_id: id }, 2);
			const [other] = await running(node, { id: { in: others } }, 2);
			assert.ok(other !== undefined);
			await end(node, other);
			await running(node, { id: { in: others } }, 2);
			for (const one of others) await end(node, { id: one });
			await running(node, { parent_id: id }, 4);
		}));
}

test("a parent is full with half of the slots, rounded up, and a claim takes no more than is left to any other", async () => {
	const shares = new ParentSlotShares(5);
	let finish = () => {};
	const finished = new Promise<void>((resolve) => {
		finish = resolve;
	});
	const runs = ["a", "b", "a"].map((parentId) => shares.during(parentId, () => finished));
	assert.equal(shares.fullParent, undefined);
	assert.equal(shares.limitBeside(undefined), 1);
	runs.push(shares.during("a", () => finished));
	assert.equal(shares.fullParent, "a");
	assert.equal(shares.limitBeside("a"), 2);
	finish();
	await Promise.all(runs);
	assert.equal(shares.fullParent, undefined);
	assert.equal(shares.limitBeside(undefined), 3);
});

test("if the last slots are taken between the two claims of a batch, more executions may match", async () => {
	const shares = new ParentSlotShares(4);
	const slots = new SlotPool({ size: 4, onSlotFree: () => {} });
	slots.open();
	let end = () => {};
	const ended = new Promise<void>((resolve) => (end = resolve));
	const children = [1, 2, 3].map(() => shares.during("full", () => ended));
	const storage = {
		claim: async () => {
			slots.reserve(slots.free);
			return [];
		},
	};
	const options = {
		storage,
		slots,
		leasing: { createLease: () => ({ fence: "a" }) },
		kind: "execution",
		toBatchSize: (free: number) => free,
	};
	const claimer = new Claimer<"execution">({
		...options,
		createClaimPatch: () => ({}),
		hub: { counter: () => ({ record: () => {} }), gauge: () => {} },
	} as unknown as ClaimerDependencies<"execution">);
	assert.equal(await shares.claimBatch(claimer, { where: {}, orderBy: [] }), true);
	end();
	await Promise.all(children);
});

test("while a parent steadily holds one slot less than its share, a claim still takes several others", () => {
	const limits: number[] = [];
	const onCall: OnCall = (method, [kind, query]) => {
		if (method === "claim" && kind === "execution") limits.push((query as { readonly limit: number }).limit);
	};
	return withPool(16, { startsInline: true, onCall }, async (node) => {
		const { id } = await node.submit({ children: 7 }, { action: "default.parent" });
		await running(node, { parent_id: id }, 7);
		await node.engine.actions.create({ name: "gated", runner_type: "gated" });
		for (let index = 0; index < 30; index++) await node.submit({}, { action: "default.gated" });
		limits.length = 0;
		openGate();
		const others = { action_ref: "default.gated", status: "succeeded" } as const;
		await until("the others have ended", 60, async () => (await node.storage.count("execution", others)) === 30 || undefined);
		assert.equal(Math.max(...limits) > 1, true, String(limits));
		assert.equal((await running(node, { parent_id: id }, 7)).length, 7);
	});
});

test.run();
