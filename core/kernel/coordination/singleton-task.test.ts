import * as assert from "node:assert/strict";
import { test } from "uvu";
import { SvcError } from "../../contract/index.ts";
import { createSharedStorage, type Door } from "../../testing/engine/shared-storage.test-support.ts";
import { silentLogger } from "../../testing/run-context.ts";
import { fromTimestamp, toEngineClock, toTimestamp } from "../basics/clock.ts";
import { LeasePolicy } from "./lease-policy.ts";
import { SingletonTask } from "./singleton-task.ts";

const lease = 0.3;
const clock = { now: () => Date.now() * 1_000 };

/** A node with one duty, whose work lasts until the test ends it. */
interface Node {
	readonly duty: SingletonTask;
	readonly door: Door;
	/** Times that the work was begun and that it ended. */
	readonly begun: AbortSignal[];
	readonly ended: AbortSignal[];
	end(): void;
	fail(): void;
	/** Calls of the storage fail from here on. */
	cut(isCut: boolean): void;
}

async function withNodes(
	count: number,
	use: (nodes: readonly [Node, ...Node[]], storage: ReturnType<typeof createSharedStorage>["storage"]) => Promise<void>,
	{ interval = 600 } = {},
): Promise<void> {
	const { createDoor, storage, release } = createSharedStorage();
	const create = (_: unknown, index: number): Node => {
		let isCut = false;
		const door = createDoor(() => {
			if (isCut) throw new SvcError("SVC_UNAVAILABLE", "the storage cannot be reached");
		});
		let settle: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;
		const begun: AbortSignal[] = [];
		const ended: AbortSignal[] = [];
		const parts = { storage: door.plugin.create(), clock: toEngineClock(clock), nodeId: `node-${index}`, leaseSeconds: lease };
		const duty = new SingletonTask(
			{ ...parts, logger: silentLogger, leasing: new LeasePolicy(parts) },
			{
				name: "test",
				intervalSeconds: interval,
				async work(signal) {
					begun.push(signal);
					await new Promise<void>((resolve, reject) => {
						settle = { resolve, reject };
						signal.addEventListener("abort", () => resolve());
					});
					ended.push(signal);
				},
			},
		);
		return {
			duty,
			door,
			begun,
			ended,
			end: () => settle?.resolve(),
			fail: () => settle?.reject(new Error("broken")),
			cut(value) {
				isCut = value;
			},
		};
	};
	const nodes = Array.from({ length: count }, create);
	try {
		await use(nodes as [Node, ...Node[]], storage);
	} finally {
		for (const { door, duty, cut } of nodes) {
			door.open();
			cut(false);
			await duty.stop();
		}
		await release();
	}
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
	while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 2));
}

const atWork = (nodes: readonly Node[]) => nodes.filter(({ begun, ended }) => begun.length > ended.length);

test("of several nodes one does it, for longer than its lease", () =>
	withNodes(3, async (nodes) => {
		for (const { duty } of nodes) duty.start();
		await until(() => atWork(nodes).length === 1);
		await new Promise((resolve) => setTimeout(resolve, lease * 3_000));
		assert.equal(nodes.flatMap(({ begun }) => begun).length, 1);
		assert.equal(atWork(nodes)[0]?.begun[0]?.aborted, false);
	}));

test("what was done is not due again before its interval, on any node", () =>
	withNodes(
		2,
		async (nodes, storage) => {
			for (const { duty } of nodes) duty.start();
			await until(() => atWork(nodes).length === 1);
			const before = performance.now();
			atWork(nodes)[0]?.end();
			await until(() => nodes.flatMap(({ begun }) => begun).length === 2);
			assert.ok(performance.now() - before >= 480, "it was done again too early");
			const [duty] = await storage.find("duty", {});
			assert.equal((duty?.done_at ?? "") < toTimestamp(clock.now()), true);
		},
		{ interval: 0.5 },
	));

test("another node takes over when the first one stops, and does what that left", () =>
	withNodes(2, async ([first, second], storage) => {
		first.duty.start();
		await until(() => first.begun.length === 1);
		second?.duty.start();
		await first.duty.stop();
		assert.equal(first.begun[0]?.aborted, true);
		assert.deepEqual(
			(await storage.find("duty", {})).map(({ owner, done_at }) => [owner === "node-0", done_at]),
			[[false, null]],
		);
		await until(() => second?.begun.length === 1);
	}));

test("a node that stops while it takes the task does not begin the work, and leaves the task to others", () =>
	withNodes(2, async ([first, second]) => {
		const isDone = second?.duty.runNow();
		await until(() => second?.begun.length === 1);
		second?.fail();
		await assert.rejects(isDone ?? Promise.resolve(), /broken/);
		first.door.shut();
		first.duty.start();
		await first.door.knocked("update");
		const stopping = first.duty.stop();
		first.door.open();
		await stopping;
		assert.equal(first.begun.length, 0);
		second?.duty.start();
		await until(() => second?.begun.length === 2);
	}));

test("another node takes over when the first one stands still, which then ends its work", () =>
	withNodes(2, async ([first, second], storage) => {
		first.duty.start();
		await until(() => first.begun.length === 1);
		second?.duty.start();
		first.door.shut();
		await until(() => second?.begun.length === 1);
		first.door.open();
		await until(() => first.ended.length === 1);
		assert.equal(first.begun[0]?.aborted, true);
		second?.end();
		await until(async () => (await storage.find("duty", {}))[0]?.done_at !== null);
	}));

test("a node that loses the storage ends its work once its lease has run out, and begins again afterwards", () =>
	withNodes(1, async ([node]) => {
		node.duty.start();
		await until(() => node.begun.length === 1);
		node.cut(true);
		await new Promise((resolve) => setTimeout(resolve, lease * 500));
		assert.equal(node.begun[0]?.aborted, false, "a short outage does no harm");
		await until(() => node.begun[0]?.aborted === true);
		node.cut(false);
		await until(() => node.begun.length === 2);
	}));

test("a node whose storage gives no answer at all ends its work once its lease has run out", () =>
	withNodes(1, async ([node]) => {
		node.duty.start();
		await until(() => node.begun.length === 1);
		node.door.shut();
		const before = performance.now();
		await until(() => node.begun[0]?.aborted === true || performance.now() - before > lease * 5_000);
		assert.equal(node.begun[0]?.aborted, true);
	}));

test("what a node has left is taken over no sooner than a third of a lease after its end", () =>
	withNodes(2, async ([first, second], storage) => {
		first.duty.start();
		await until(() => first.begun.length === 1);
		first.door.shut();
		const [left] = await storage.find("duty", {});
		second?.duty.start();
		await until(() => second?.begun.length === 1);
		const takenAt = fromTimestamp((await storage.find("duty", {}))[0]?.lease_expires_at ?? "") - lease * 1_000_000;
		assert.ok(takenAt >= fromTimestamp(left?.lease_expires_at ?? "") + (lease / 3) * 1_000_000);
	}));

test("work that fails is tried again", () =>
	withNodes(1, async ([node]) => {
		node.duty.start();
		await until(() => node.begun.length === 1);
		node.fail();
		await until(() => node.begun.length === 2);
	}));

test("it can be asked for before it is due, one time after the other, and not while another node does it", () =>
	withNodes(2, async ([first, second]) => {
		const performing = first.duty.runNow();
		await until(() => first.begun.length === 1);
		assert.equal(await second?.duty.runNow(), false);
		first.end();
		assert.equal(await performing, true);
		const again = second?.duty.runNow();
		await until(() => second?.begun.length === 1);
		second?.fail();
		await assert.rejects(again ?? Promise.resolve(), /broken/);
	}));

test.run();
