import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { DutyEntity, Storage } from "../../contract/index.ts";
import { createOtherWriter, type OtherWriter } from "../../testing/engine/other-writer.test-support.ts";
import { createSharedStorage } from "../../testing/engine/shared-storage.test-support.ts";
import { silentLogger } from "../../testing/run-context.ts";
import { getSystemClock, toTimestamp } from "../basics/clock.ts";
import { HeldLease, RecordLeaseRenewer } from "./held-lease.ts";
import { LeasePolicy } from "./lease-policy.ts";
import { SingletonTask } from "./singleton-task.ts";

interface Scene {
	/** Of the other node. */
	readonly storage: Storage;
	readonly other: OtherWriter;
	/** Of this node. */
	readonly leasing: LeasePolicy;
	/** A task of this node that counts how often it is performed. */
	readonly duty: SingletonTask;
	performed(): number;
	read(): Promise<DutyEntity>;
	write(patch: Partial<DutyEntity>): Promise<unknown>;
}

const clock = getSystemClock();
const id = "1";
const taken = { owner: "other", fence: "other", lease_expires_at: "2100-01-01T00:00:00.000000Z" } as const;

async function withRecord(use: (scene: Scene) => Promise<void>): Promise<void> {
	const { createDoor, storage, release } = createSharedStorage();
	const other = createOtherWriter();
	const parts = { storage: createDoor(other.onCall).plugin.create(), clock, nodeId: "this", leaseSeconds: 60 };
	const leasing = new LeasePolicy(parts);
	let count = 0;
	const work = async () => {
		count += 1;
	};
	const duty = new SingletonTask({ ...parts, logger: silentLogger, leasing }, { name: "one", intervalSeconds: 600, work });
	await storage.insert("duty", [{ id, name: "one", owner: null, fence: null, lease_expires_at: null, done_at: null }]);
	try {
		await use({
			...{ storage, other, leasing, duty },
			performed: () => count,
			read: async () => (await storage.get("duty", id)) as DutyEntity,
			write: (patch) => storage.update("duty", id, patch),
		});
	} finally {
		await duty.stop();
		await release();
	}
}

test("a record that another node has taken since it was read is not taken", () =>
	withRecord(async ({ leasing, other, read, write }) => {
		other.before("duty", {}, () => write(taken));
		assert.equal(await HeldLease.acquire(leasing, "duty", id, { expected: { fence: null } }), undefined);
		assert.equal((await read()).owner, "other");
	}));

test("a node that has lost a lease renews, writes and releases nothing any more", () =>
	withRecord(async ({ leasing, read, write }) => {
		const held = await HeldLease.acquire(leasing, "duty", id, { expected: { fence: null } });
		assert.equal(await held?.lease.renew(), true);
		await write(taken);
		assert.equal(await held?.lease.renew(), false);
		assert.equal(await held?.lease.update({ done_at: taken.lease_expires_at }), false);
		await held?.lease.release();
		assert.deepEqual(await read(), { id, name: "one", ...taken, done_at: null });
	}));

test("work under a lease is aborted once another node has taken it", () =>
	withRecord(async ({ leasing, write }) => {
		const held = await HeldLease.acquire(leasing, "duty", id, { expected: { fence: null } });
		assert.ok(held !== undefined);
		let renewals = 0;
		const renew = held.lease.renew.bind(held.lease);
		held.lease.renew = async () => {
			renewals += 1;
			return renew();
		};
		const kept = new RecordLeaseRenewer({ lease: held.lease, intervalMs: 1, onError: (error) => assert.fail(String(error)) });
		await write(taken);
		while (renewals < 2 && !kept.signal.aborted) await new Promise((resolve) => setTimeout(resolve, 1));
		await kept.stop();
		assert.equal(kept.signal.aborted, true);
	}));

test("a task that another node holds is left alone", () =>
	withRecord(async ({ duty, read, performed, write }) => {
		await write(taken);
		assert.equal(await duty.runNow(), false);
		duty.start();
		await new Promise((resolve) => setTimeout(resolve, 20));
		await duty.stop();
		assert.deepEqual([(await read()).owner, performed()], ["other", 0]);
	}));

test("a task that another node has performed since it was read is not performed again at once", () =>
	withRecord(async ({ duty, other, read, performed, write }) => {
		const done_at = toTimestamp(clock.now());
		other.before("duty", {}, () => write({ done_at }));
		assert.equal(await duty.runNow(), false);
		assert.deepEqual([other.hasCome(), performed(), (await read()).done_at], [true, 0, done_at]);
	}));

test("a task is performed once and released, with its time", () =>
	withRecord(async ({ duty, read, performed }) => {
		assert.equal(await duty.runNow(), true);
		const { owner, done_at } = await read();
		assert.deepEqual([owner, done_at !== null, performed()], [null, true, 1]);
	}));

test.run();
