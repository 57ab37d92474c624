import * as assert from "node:assert/strict";
import { test } from "uvu";
import { ClockSteps, getSystemClock, MonotonicTime, StorageClock, toEngineClock } from "./clock.ts";
import { createId, isId } from "./ids.ts";

const second = 1_000_000;

test("a clock that is set back stands still at no time, and is right again in the end", () => {
	const rising = new MonotonicTime();
	let last = rising.read(1_000 * second, 0);
	for (let steady = 1; steady <= 1_200; steady += 1) {
		const time = rising.read((900 + steady) * second, steady * second);
		assert.ok(time > last, `${time} after ${last}`);
		last = time;
	}
	assert.equal(last, 2_100 * second);
});

test("a clock that is set ahead is followed at once", () => {
	const rising = new MonotonicTime();
	rising.read(1_000 * second, 0);
	assert.equal(rising.read(5_000 * second, second), 5_000 * second);
});

test("the seconds between two readings leave out what the clock was set by in between", () => {
	const rising = new MonotonicTime();
	const steps = new ClockSteps();
	const read = (set: number, steady: number) => {
		const time = rising.read((1_000 + set + steady) * second, steady * second);
		steps.recordReading(time, steady * second);
		return time;
	};
	const start = read(0, 0);
	const ahead = read(3_600, 6);
	const end = read(3_600, 12);
	assert.equal(ahead - start, 3_606 * second);
	assert.equal(steps.microsecondsBetween(start, end), 12 * second);
	assert.equal(steps.microsecondsBetween(ahead, end), 6 * second);
	// Set back again: the time goes on a little slower than the monotonic clock.
	let last = end;
	for (let steady = 13; steady <= 20; steady += 1) last = read(0, steady);
	const passed = steps.microsecondsBetween(start, last) / second;
	assert.ok(Math.abs(passed - 20) < 0.2, `${passed}`);
	assert.equal(steps.microsecondsBetween(end, start), 0);
	assert.equal(new ClockSteps().microsecondsBetween(start, end), end - start);
});

test("the system's clock is what people read, and what passes", async () => {
	const clock = getSystemClock();
	const before = [clock.now(), clock.steady()] as const;
	await new Promise((resolve) => setTimeout(resolve, 20));
	for (const [index, time] of [clock.now(), clock.steady()].entries()) {
		const passed = time - (before[index] ?? 0);
		assert.ok(passed >= 15_000 && passed < 10 * second, `${passed}`);
	}
	assert.ok(Math.abs(clock.now() - Date.now() * 1_000) < second);
});

/** A storage with a clock of its own, and a machine whose clock is `ahead` of it. */
function createPair(ahead: number, { shared = true, answer = 0 } = {}) {
	let passed = 0;
	let [before, after, set] = [answer / 2, answer / 2, 0];
	const machine = {
		steady: () => passed,
		wall: () => (5_000 + ahead) * second + passed,
		now: () => (5_000 + ahead) * second + passed,
		isOff: () => false,
	};
	const storage = {
		capabilities: { shared },
		async now() {
			passed += before;
			const time = 5_000 * second + passed + set;
			passed += after;
			return time;
		},
	};
	const clock = new StorageClock(storage, machine, 2);
	return {
		clock,
		pass: (seconds: number) => void (passed += seconds * second),
		answerIn(asking: number, answering: number) {
			[before, after] = [asking, answering];
		},
		setStorage(seconds: number) {
			set = seconds * second;
		},
	};
}

test("nodes on one storage have its time, wherever their own clocks stand", async () => {
	for (const ahead of [0, 30, -3_600]) {
		const { clock, pass } = createPair(ahead);
		await clock.measure();
		assert.equal(clock.steady(), 5_000 * second);
		assert.equal(clock.now(), 5_000 * second);
		assert.equal(clock.ahead(), ahead);
		assert.equal(clock.isOutOfSync(), ahead !== 0);
		pass(10);
		assert.equal(clock.steady(), 5_010 * second);
	}
});

test("the time that an answer takes is shared out, and a slow answer makes what is known no worse", async () => {
	const pair = createPair(0, { answer: 0.4 * second });
	await pair.clock.measure();
	assert.equal(pair.clock.steady(), 5_000.4 * second);
	// Read as late as can be: the middle would be a second and a half off.
	pair.answerIn(3 * second, 0);
	await pair.clock.measure();
	assert.equal(pair.clock.steady(), 5_003.4 * second);
	// The storage's clock was set.
	pair.setStorage(60);
	await pair.clock.measure();
	assert.equal(Math.abs(pair.clock.steady() - 5_066.4 * second) <= 3 * second, true);
	pair.answerIn(0, 0);
	await pair.clock.measure();
	assert.equal(pair.clock.steady(), 5_066.4 * second);
});

test("where one process uses the storage, and where a clock was handed over, the storage is not asked", async () => {
	const alone = createPair(30, { shared: false });
	await alone.clock.measure();
	assert.equal(alone.clock.now(), 5_030 * second);
	assert.equal(alone.clock.isOutOfSync(), false);
	const storage = { capabilities: { shared: true }, now: async () => 1 };
	const handed = new StorageClock(storage, { now: () => 7 }, 2);
	await handed.measure();
	assert.deepEqual([handed.now(), handed.steady(), handed.wall(), toEngineClock({ now: () => 7 }).isOutOfSync()], [7, 7, 7, false]);
});

test("a node whose clock differs from the storage's tells whole microseconds, and makes ids that can be found", async () => {
	const ahead = 200_000;
	// Whether half a microsecond is left depends on how long each answer takes.
	for (let node = 0; node < 50; node += 1) {
		const machine = getSystemClock();
		const clock = new StorageClock({ capabilities: { shared: true }, now: async () => machine.wall() + ahead }, machine, 10);
		// What has been told before lies far from what is told now.
		clock.now();
		await clock.measure();
		for (const time of [clock.now(), clock.steady(), clock.wall()]) assert.ok(Number.isInteger(time), String(time));
		assert.ok(isId(createId(clock)));
	}
});

test.run();
