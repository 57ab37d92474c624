import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { JsonObject } from "../../../core/contract/index.ts";
import { inFull, rounds } from "../../../core/testing/extent.test-support.ts";
import { History, type HistoryOptions } from "./history.test-support.ts";
import { RunState } from "./run-state.ts";
import { TaskRun } from "./task-run.ts";

const seeds = Array.from(
	{ length: rounds({ short: 50, full: 200 }, "SVC_TEST_SEEDS") },
	(_, at) => at + Number(process.env["SVC_TEST_SEED"] ?? 1),
);

async function perform(seed: number, options: HistoryOptions): Promise<readonly unknown[]> {
	try {
		return await new History(seed, options).perform();
	} catch (error) {
		throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : error}`, { cause: error });
	}
}

test("whatever happens in whatever order, a run comes to its end, and goes on from its journal as if nothing had been", async () => {
	const statuses = new Map<string, number>();
	for (const seed of seeds) {
		const live = await perform(seed, { restores: false });
		assert.deepEqual(await perform(seed, { restores: true }), live, `seed ${seed}`);
		const { end } = live.at(-1) as { end: { status: string } };
		statuses.set(end.status, (statuses.get(end.status) ?? 0) + 1);
	}
	// The histories are worth something only when all of these happen.
	if (seeds.length >= 200)
		for (const status of ["succeeded", "failed", "canceled", "timeout"]) assert.ok((statuses.get(status) ?? 0) > 1, status);
});

/** Of the planted faults each third, other ones each day; `FAULTS_EVERY=1` plants all of them. */
const every = rounds({ short: 3, full: 3 }, "FAULTS_EVERY");
const today = Math.floor(Date.now() / 86_400_000);
const isPlanted = (_fault: unknown, index: number) => (index + today) % every === 0;

/** Whether some history tells that something is missing: it breaks what must hold, or takes another course than with it. */
async function isNoticed(options: Partial<HistoryOptions>): Promise<boolean> {
	for (let seed = 1; seed <= 300; seed++) {
		try {
			const changed = await perform(seed, { restores: true, ...options });
			if (options.store !== undefined) assert.deepEqual(changed, await perform(seed, { restores: false }));
		} catch {
			return true;
		}
	}
	return false;
}

inFull(test)("a kind of fact that the journal leaves out is missed", async () => {
	// Without `due` it is due again; `block` has a case of its own.
	const facts = ["begin", "start", "again", "ask", "child", "refused", "expire", "retry", "end", "error", "status", "resume"];
	for (const fact of facts.filter(isPlanted)) {
		const store = (entry: JsonObject) => ({
			...entry,
			facts: (entry["facts"] as readonly JsonObject[]).filter((one) => one["fact"] !== fact),
		});
		assert.ok(await isNoticed({ store }), fact);
	}
});

inFull(test)("a mechanism that is taken out is missed", async () => {
	const mechanisms: readonly (readonly [object, string, PropertyDescriptor])[] = [
		[TaskRun.prototype, "isSettled", { get: () => false }],
		[TaskRun.prototype, "wantsItems", { get: () => false }],
		[RunState.prototype, "updateTaskSets", { value: () => {} }],
		[RunState.prototype, "isEnding", { get: () => false }],
	];
	for (const [prototype, name, other] of mechanisms.filter(isPlanted)) {
		const own = Object.getOwnPropertyDescriptor(prototype, name) ?? {};
		Object.defineProperty(prototype, name, { ...other, configurable: true });
		try {
			assert.ok(await isNoticed({}), name);
		} finally {
			Object.defineProperty(prototype, name, own);
		}
	}
});

test.run();
