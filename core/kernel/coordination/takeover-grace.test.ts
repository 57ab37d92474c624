import * as assert from "node:assert/strict";
import { test } from "uvu";
import { type ExecutionEntity, SvcError } from "../../contract/index.ts";
import { getSystemClock, toTimestamp } from "../basics/clock.ts";
import { lease, type NodesTest, until, withNodes } from "../nodes/nodes.test-support.ts";
import { createTakeoverGrace } from "./expired-leases.ts";

const clock = getSystemClock();

/** An execution of a node that has gone, its lease long over. */
async function leaveBehind({ storage }: NodesTest, id: string, status: ExecutionEntity["status"]): Promise<void> {
	await storage.update("execution", id, { status, owner: "gone", fence: "gone", lease_expires_at: toTimestamp(0) });
}

test("a node whose own renewal has failed trusts no lease for a while", () => {
	const trust = createTakeoverGrace(600);
	assert.equal(trust.mayTakeOver(), true);
	trust.onRenewalStart();
	assert.equal(trust.mayTakeOver(), true);
	trust.onRenewalFailure();
	assert.equal(trust.mayTakeOver(), false);
});

test("after an outage that outlasts all leases no node ends what another still runs", () =>
	withNodes(async ({ startNode }) => {
		let isAway = false;
		const onCall = () => {
			// Told of a database that refuses everybody: behind one that only does not answer, others might take over.
			if (isAway) throw new SvcError("SVC_UNAVAILABLE", "the database is away", { facts: { refused: true } });
		};
		const nodes = [await startNode({ onCall }), await startNode({ onCall }), await startNode({ onCall })];
		const ids: string[] = [];
		for (const node of nodes) ids.push((await node.submit({ outcome: "hang" })).id);
		for (const [index, node] of nodes.entries()) await node.settled(ids[index] ?? "", "running");
		for (let outage = 0; outage < 3; outage += 1) {
			isAway = true;
			await new Promise((resolve) => setTimeout(resolve, lease * 3_000));
			isAway = false;
			await new Promise((resolve) => setTimeout(resolve, lease * 3_000));
			for (const id of ids) assert.equal((await nodes[0]?.engine.executions.get(id))?.entity.status, "running");
		}
		for (const id of ids)
			await nodes[1]?.engine.executions.cancel(id, { username: "maria", isAdmin: true, authentication: { method: "none" } });
		for (const id of ids) assert.equal((await nodes[2]?.settled(id))?.status, "canceled");
	}));

test("what a dead node left during an outage is taken over soon after it", () =>
	withNodes(async (test) => {
		let isAway = false;
		const node = await test.startNode({
			onCall: () => {
				if (isAway) throw new SvcError("SVC_UNAVAILABLE", "the database is away");
			},
		});
		const [one, other] = [await node.submit({}, { delay: 60_000 }), await node.submit({}, { delay: 60_000 })];
		isAway = true;
		await leaveBehind(test, one.id, "scheduled");
		await leaveBehind(test, other.id, "running");
		await new Promise((resolve) => setTimeout(resolve, lease * 3_000));
		isAway = false;
		assert.equal((await node.settled(one.id)).status, "succeeded");
		assert.equal((await node.settled(other.id)).status, "abandoned");
	}));

test("a take-over whose answer was lost goes on with the next renewal", () =>
	withNodes(async (test) => {
		let lost = 0;
		const node = await test.startNode({
			onCall: (method, [kind, , patch]) => {
				if (method !== "update" || kind !== "execution" || (patch as Partial<ExecutionEntity>).owner === undefined || lost > 0) return;
				lost += 1;
				return "lost";
			},
		});
		const { id } = await node.submit({}, { delay: 60_000 });
		await leaveBehind(test, id, "scheduled");
		const begun = performance.now();
		assert.equal((await node.settled(id)).status, "succeeded");
		assert.equal(lost, 1);
		// A second take-over would have to wait until the lease of the first has run out.
		assert.ok(performance.now() - begun < lease * 1_300 + 1_000);
	}));

test("a lease that has just ended by this node's clock is left alone: clocks differ", () =>
	withNodes(async ({ startNode, storage }) => {
		const node = await startNode({ options: { scheduler: { lease: 1.5 } } });
		const { id } = await node.submit({}, { delay: 60_000 });
		const ended = performance.now();
		await storage.update("execution", id, { status: "running", owner: "ahead", fence: "f", lease_expires_at: toTimestamp(clock.now()) });
		await until(async () => (await storage.get("execution", id))?.status === "abandoned", "it is ended in the end");
		assert.ok(performance.now() - ended > 480, "a third of the lease is tolerated");
	}));

test("writes of a run whose lease was lost are refused and counted where everybody sees it", () =>
	withNodes(async ({ startNode }) => {
		const still = await startNode();
		const { id } = await still.submit({ outcome: "hang" });
		await still.settled(id, "running");
		still.door.shut();
		const other = await startNode();
		assert.equal((await other.settled(id)).status, "abandoned");
		still.door.open();
		const count = async () => (await other.engine.nodes.get(still.engine.nodeId)).node.late_writes;
		await until(async () => (await count()) === 1, "the refused write is counted");
	}));

test.run();
