import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { DutyEntity } from "../../contract/index.ts";
import { createSharedStorage } from "../../testing/engine/shared-storage.test-support.ts";
import { toEngineClock } from "../basics/clock.ts";
import { HeldLease } from "./held-lease.ts";
import { LeasePolicy } from "./lease-policy.ts";

const second = 1_000_000;

interface Setup {
	/** Of each of two nodes. */
	readonly nodes: readonly [LeasePolicy, LeasePolicy];
	read(): Promise<DutyEntity>;
	pass(seconds: number): void;
	/** Take the record with the fence that it has now. */
	take(node: LeasePolicy): Promise<HeldLease<"duty"> | undefined>;
}

/** Two nodes, one record, a lease of 9 seconds, and a time that passes when the test says so. */
async function withNodes(use: (setup: Setup) => Promise<void>): Promise<void> {
	const { createDoor, storage, release } = createSharedStorage();
	let time = 1_900_000_000 * second;
	const clock = toEngineClock({ now: () => time });
	const create = (nodeId: string) => new LeasePolicy({ storage: createDoor().plugin.create(), clock, nodeId, leaseSeconds: 9 });
	const free = { owner: null, fence: null, lease_expires_at: null, done_at: null };
	await storage.insert("duty", [{ id: "1", name: "one", ...free }]);
	const read = async () => (await storage.get("duty", "1")) as DutyEntity;
	try {
		await use({
			nodes: [create("a"), create("b")],
			read,
			pass(seconds) {
				time += seconds * second;
			},
			async take(node) {
				return (await HeldLease.acquire(node, "duty", "1", { expected: { fence: (await read()).fence } }))?.lease;
			},
		});
	} finally {
		await release();
	}
}

test("of two that have read the same, one takes it", () =>
	withNodes(async ({ nodes }) => {
		const expected = { fence: null };
		const taken = await Promise.all(nodes.map((node) => HeldLease.acquire(node, "duty", "1", { expected })));
		assert.equal(taken.filter((one) => one !== undefined).length, 1);
	}));

test("who holds it has lost it at the end of the lease, and others may have it a third of a lease later", () =>
	withNodes(async ({ nodes: [first, second], read, pass, take }) => {
		const lease = await take(first);
		pass(8.9);
		assert.deepEqual([lease?.isExpired(), second.isHeld(await read())], [false, true]);
		pass(0.1);
		assert.deepEqual([lease?.isExpired(), second.isHeld(await read())], [true, true]);
		pass(2.9);
		assert.equal(second.isHeld(await read()), true);
		assert.ok(Math.abs(second.msUntilFree(await read()) - 100) < 1);
		pass(0.2);
		assert.equal(second.isHeld(await read()), false);
	}));

test("a lease is renewed when a third of it has passed, and lasts from then on", () =>
	withNodes(async ({ nodes: [first], read, pass, take }) => {
		const lease = await take(first);
		const before = (await read()).lease_expires_at;
		pass(2);
		assert.equal(await lease?.renewIfDue(), true);
		assert.equal((await read()).lease_expires_at, before);
		pass(2);
		assert.equal(await lease?.renewIfDue(), true);
		assert.notEqual((await read()).lease_expires_at, before);
		pass(8);
		assert.equal(lease?.isExpired(), false);
	}));

test("once another node has it, what the first one stores, renews or gives back changes nothing", () =>
	withNodes(async ({ nodes: [first, second], read, pass, take }) => {
		const lost = await take(first);
		pass(13);
		await take(second);
		const taken = await read();
		assert.equal(await lost?.renew(), false);
		assert.equal(await lost?.update({ done_at: "2030" }), false);
		await lost?.release();
		assert.deepEqual(await read(), taken);
		assert.equal(taken.owner, "b");
	}));

test.run();
