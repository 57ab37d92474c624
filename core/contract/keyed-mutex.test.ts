import * as assert from "node:assert/strict";
import { test } from "uvu";
import { KeyedMutex } from "./keyed-mutex.ts";

/** Work that ends when it is told to. */
function createWork(value: number) {
	let [end, fail] = [() => {}, (_: Error) => {}];
	const ended = new Promise<number>((resolve, reject) => {
		end = () => resolve(value);
		fail = reject;
	});
	const work = { began: 0, end, fail, run };
	return work;

	function run(): Promise<number> {
		work.began += 1;
		return ended;
	}
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test("work under one key is done one after the other, in its order, whatever becomes of it", async () => {
	const turns = new KeyedMutex();
	const [first, second, third, other] = [createWork(1), createWork(2), createWork(3), createWork(4)];
	const ends = [
		turns.runExclusive("a", first.run),
		turns.runExclusive("a", second.run),
		turns.runExclusive("a", third.run),
		turns.runExclusive("b", other.run),
	];
	const began = () => [first, second, third, other].map((work) => work.began);
	await settle();
	assert.deepEqual(began(), [1, 0, 0, 1]);
	const failed = assert.rejects(ends[0] ?? Promise.resolve(), /no luck/);
	first.fail(new Error("no luck"));
	await failed;
	await settle();
	assert.deepEqual(began(), [1, 1, 0, 1]);
	second.end();
	third.end();
	other.end();
	await turns.whenIdle();
	assert.deepEqual(await Promise.all(ends.slice(1)), [2, 3, 4]);
});

test("whoever is aborted while waiting does not wait, and those behind keep their order", async () => {
	const turns = new KeyedMutex();
	const [first, second, third] = [createWork(1), createWork(2), createWork(3)];
	const controller = new AbortController();
	const ends = [
		turns.runExclusive("a", first.run),
		turns.runExclusive("a", second.run, controller.signal),
		turns.runExclusive("a", third.run),
	] as const;
	const refused = assert.rejects(ends[1], /canceled/);
	controller.abort(new Error("canceled"));
	await refused;
	await settle();
	assert.deepEqual([second.began, third.began], [0, 0]);
	first.end();
	third.end();
	assert.deepEqual(await Promise.all([ends[0], ends[2]]), [1, 3]);
	assert.equal(second.began, 0);
});

test("whoever was aborted before does not wait either", async () => {
	const turns = new KeyedMutex();
	const [first, second] = [createWork(1), createWork(2)];
	const end = turns.runExclusive("a", first.run);
	await assert.rejects(turns.runExclusive("a", second.run, AbortSignal.abort(new Error("canceled"))), /canceled/);
	first.end();
	assert.equal(await end, 1);
	assert.equal(second.began, 0);
});

test("work that has begun is waited for, also when its signal aborts", async () => {
	const turns = new KeyedMutex();
	const [first, second] = [createWork(1), createWork(2)];
	const controller = new AbortController();
	const end = turns.runExclusive("a", first.run, controller.signal);
	await settle();
	controller.abort();
	const next = turns.runExclusive("a", second.run);
	await settle();
	assert.equal(second.began, 0);
	first.end();
	second.end();
	assert.deepEqual(await Promise.all([end, next]), [1, 2]);
	await assert.rejects(turns.runExclusive("a", first.run, controller.signal), /aborted/);
});

test.run();
