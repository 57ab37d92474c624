import * as assert from "node:assert/strict";
import { test } from "uvu";
import { toEngineClock } from "../../../core/kernel/basics/clock.ts";
import { LeasePolicy } from "../../../core/kernel/coordination/lease-policy.ts";
import { createSharedStorage } from "../../../core/testing/engine/shared-storage.test-support.ts";
import { PackLocks } from "./pack-locks.ts";

interface Setup {
	/** Of two nodes. */
	readonly nodes: readonly [PackLocks, PackLocks];
	pass(seconds: number): void;
}

const noLog = { debug() {}, info() {}, warn() {}, error() {} };

async function withNodes(use: (setup: Setup) => Promise<void>): Promise<void> {
	const { createDoor, release } = createSharedStorage();
	let passed = 0;
	const clock = toEngineClock({ now: () => Date.now() * 1_000 + passed * 1_000_000 });
	const create = (nodeId: string) =>
		new PackLocks({
			clock,
			logger: noLog,
			leasing: new LeasePolicy({ storage: createDoor().plugin.create(), clock, nodeId, leaseSeconds: 9 }),
		});
	const first = create("a");
	try {
		await use({
			nodes: [first, create("b")],
			pass(seconds) {
				passed += seconds;
			},
		});
	} finally {
		await release();
	}
}

function deferred() {
	let resolve = () => {};
	const promise = new Promise<void>((done) => {
		resolve = done;
	});
	return { promise, resolve };
}

const quiet = { signal: new AbortController().signal, async onWait() {} };

test("two that want the same pack have it one after the other, and the second is told", () =>
	withNodes(async ({ nodes: [first, second] }) => {
		const begun = deferred();
		const [told, over] = [deferred(), deferred()];
		const steps: string[] = [];
		const one = first.with(["disk"], quiet, async () => {
			begun.resolve();
			await over.promise;
			steps.push("first");
		});
		await begun.promise;
		const waits: string[] = [];
		const onWait = async (ref: string) => {
			waits.push(ref);
			told.resolve();
		};
		const two = second.with(["disk"], { ...quiet, onWait }, async () => void steps.push("second"));
		await told.promise;
		over.resolve();
		await Promise.all([one, two]);
		assert.deepEqual([steps, waits], [["first", "second"], ["disk"]]);
	}));

test("sets of packs that overlap do not wait for each other for ever", () =>
	withNodes(async ({ nodes: [first, second] }) => {
		const work = async () => new Promise<void>((resolve) => setImmediate(resolve));
		await Promise.all([
			first.with(["b", "a", "c"], quiet, work),
			second.with(["c", "b", "b"], quiet, work),
			first.with(["c", "a"], quiet, work),
		]);
	}));

test("who waits goes when it is told to, and whoever fails gives the pack back", () =>
	withNodes(async ({ nodes: [first, second] }) => {
		const leave = new AbortController();
		await first.with(["disk"], quiet, async () => {
			const options = { signal: leave.signal, onWait: async () => leave.abort(new Error("canceled")) };
			await assert.rejects(
				second.with(["disk"], options, async () => {}),
				/canceled/,
			);
		});
		await assert.rejects(
			first.with(["disk"], quiet, () => Promise.reject(new Error("broken"))),
			/broken/,
		);
		assert.equal(await second.with(["disk"], quiet, async () => "mine"), "mine");
	}));

test("a pack whose node has died is free once the lease has run out", () =>
	withNodes(async ({ nodes: [first, second], pass }) => {
		const [begun, over] = [deferred(), deferred()];
		const dead = first.with(["disk"], quiet, async () => {
			begun.resolve();
			await over.promise;
		});
		await begun.promise;
		const onWait = async () => pass(13);
		assert.equal(await second.with(["disk"], { ...quiet, onWait }, async () => "mine"), "mine");
		over.resolve();
		await dead;
	}));

test.run();
