import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { RuleEntity, Storage } from "../../contract/index.ts";
import { RuleIndex } from "./rule-index.ts";

const rule = { id: "r1", ref: "tests.one", revision: "1", trigger: "tests.seen", criteria: {} } as unknown as RuleEntity;

/**
 * An index over a database that other nodes change as well, whose reads are answered when the test says so, with what was stored when they
 * were asked.
 */
class Shared {
	stored: readonly RuleEntity[] = [];
	fails = false;
	reads = 0;
	readonly #asked: (() => void)[] = [];
	readonly #storage = {
		capabilities: { shared: true },
		find: (_kind: string, { fields }: { readonly fields?: readonly string[] }) => {
			if (fields !== undefined) this.reads += 1;
			const [rows, fails] = [this.stored, this.fails];
			return new Promise((resolve, reject) => this.#asked.push(() => (fails ? reject(new Error("away")) : resolve(rows))));
		},
	} as unknown as Storage;
	readonly index = new RuleIndex({ storage: this.#storage, changes: { onChange() {} } as never });

	/** Answer everything that is asked until all of these have settled. */
	async settle<T>(asking: readonly Promise<T>[]): Promise<PromiseSettledResult<T>[]> {
		let isSettled = false;
		const all = Promise.allSettled(asking).finally(() => (isSettled = true));
		while (!isSettled) {
			await new Promise((resolve) => setImmediate(resolve));
			for (const answer of this.#asked.splice(0)) answer();
		}
		return all;
	}
}

const times = <T>(ask: () => T) => Array.from({ length: 50 }, ask);

test("of many events that ask for the rules of a trigger at once two read: the first, and one for all others", async () => {
	const shared = new Shared();
	shared.stored = [rule];
	const found = await shared.settle(times(() => shared.index.rulesOf("tests.seen")));
	assert.ok(found.every((each) => each.status === "fulfilled" && each.value.length === 1));
	assert.equal(shared.reads, 2);
});

test("an event sees the rules that are stored when it asks, though a read is under way that began before", async () => {
	const shared = new Shared();
	const before = shared.index.rulesOf("tests.seen");
	await new Promise((resolve) => setImmediate(resolve));
	shared.stored = [rule];
	const after = times(() => shared.index.rulesOf("tests.seen"));
	const [first, ...others] = await shared.settle([before, ...after]);
	assert.equal(first?.status === "fulfilled" && first.value.length, 0);
	assert.ok(others.every((each) => each.status === "fulfilled" && each.value.length === 1));
	assert.equal(shared.reads, 2);
});

test("of many who find that nobody has looked for a second whether a trigger has rules one reads", async () => {
	const shared = new Shared();
	await shared.settle([shared.index.isListenedTo("tests.seen")]);
	shared.stored = [rule];
	const { now } = performance;
	try {
		performance.now = () => now.call(performance) + 1_001;
		const answers = await shared.settle(times(() => shared.index.isListenedTo("tests.seen")));
		assert.ok(answers.every((each) => each.status === "fulfilled" && each.value));
	} finally {
		performance.now = now;
	}
	assert.equal(shared.reads, 2);
});

test("what could not be read is read again, also by those who wait for it", async () => {
	const shared = new Shared();
	shared.fails = true;
	const lost = shared.index.rulesOf("tests.seen");
	await new Promise((resolve) => setImmediate(resolve));
	shared.fails = false;
	const [first, second] = await shared.settle([lost, shared.index.rulesOf("tests.seen")]);
	assert.deepEqual([first?.status, second?.status], ["rejected", "fulfilled"]);
});

test.run();
