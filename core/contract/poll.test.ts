import * as assert from "node:assert/strict";
import { mock } from "node:test";
import { test } from "uvu";
import { poll } from "./poll.ts";

/** Runs with timers that stand still until they are told otherwise. */
async function withTimers(run: (pass: (seconds: number) => Promise<void>) => Promise<void>): Promise<void> {
	mock.timers.enable({ apis: ["setTimeout"] });
	try {
		await run(async (seconds) => {
			await settle();
			mock.timers.tick(seconds * 1_000);
			await settle();
		});
	} finally {
		mock.timers.reset();
	}
}

/** Let everything go on that waits for nothing but promises. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

function createContext() {
	const controller = new AbortController();
	const warnings: unknown[] = [];
	const logger = { debug() {}, info() {}, error() {}, warn: (_message: string, fields: unknown) => void warnings.push(fields) };
	return { signal: controller.signal, logger, warnings, abort: () => controller.abort() };
}

test("a round begins at once, and the next one an interval after it has ended", () =>
	withTimers(async (pass) => {
		const context = createContext();
		const rounds: (() => void)[] = [];
		const polling = poll(context, 10, () => new Promise<void>((resolve) => rounds.push(resolve)));
		assert.equal(rounds.length, 1);
		await pass(60);
		assert.equal(rounds.length, 1, "rounds never overlap");
		rounds[0]?.();
		await pass(9.9);
		assert.equal(rounds.length, 1);
		await pass(0.1);
		assert.equal(rounds.length, 2);
		context.abort();
		rounds[1]?.();
		await polling;
	}));

test("a round that fails is logged, the pause grows to five minutes, and success brings the interval back", () =>
	withTimers(async (pass) => {
		const context = createContext();
		let isBroken = true;
		let rounds = 0;
		const polling = poll(context, 60, () => {
			rounds += 1;
			if (isBroken) throw new Error("no answer");
		});
		for (const pause of [120, 240, 300, 300]) {
			const before = rounds;
			await pass(pause - 0.1);
			assert.equal(rounds, before);
			await pass(0.1);
			assert.equal(rounds, before + 1);
		}
		assert.deepEqual(context.warnings[0], { failures: 1, problem: "no answer" });
		assert.equal(context.warnings.length, 5);
		isBroken = false;
		await pass(300);
		await pass(60);
		assert.equal(rounds, 7);
		context.abort();
		await polling;
	}));

test("an interval above five minutes stays the pause after a failure", () =>
	withTimers(async (pass) => {
		const context = createContext();
		let rounds = 0;
		const polling = poll(context, 600, () => {
			rounds += 1;
			throw new Error("no answer");
		});
		await pass(600);
		await pass(600);
		assert.equal(rounds, 3);
		context.abort();
		await polling;
	}));

test("an abort ends a pause at once, and a round that fails because of it is no failure", () =>
	withTimers(async () => {
		const waiting = createContext();
		const polling = poll(waiting, 3_600, () => {});
		await settle();
		waiting.abort();
		await polling;
		const working = createContext();
		await poll(working, 1, () => {
			working.abort();
			throw new Error("aborted");
		});
		assert.deepEqual(working.warnings, []);
		let rounds = 0;
		await poll(working, 1, () => {
			rounds += 1;
		});
		assert.equal(rounds, 0);
	}));

test("an interval that is no positive number is refused", async () => {
	for (const seconds of [0, -1, Number.NaN])
		await assert.rejects(
			poll(createContext(), seconds, () => {}),
			/greater than 0/,
		);
});

test.run();
