import * as assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { RunResult } from "../../contract/index.ts";
import type { RunContextOptions, TestRunContext } from "../run-context.ts";
import { endOfAborted, within } from "../within.ts";
import { assertJsonObject, type Check, type Scope } from "./cases.ts";

/** Milliseconds within which a run ends if it does not wait for its children. */
const moment = 100;
/** Maximum number of children at whose start the run is interrupted, so that a case with many children does not take minutes. */
const maxCuts = 5;

/** Registers the tests of runners that start children. */
export function checkChildren(check: Check): void {
	check("startsChildren", "a run that starts children ends only after its children", async ({ runner, given, context, grace, inTime }) => {
		const run = context({ ...given, onChild: () => undefined });
		const end = runner.run(run);
		const first = await inTime(Promise.race([run.children.whenOpen(), end]));
		assert.ok("key" in first, "the run has ended without a child");
		assert.equal(await Promise.race([end, delay(moment, "waiting")]), "waiting", "the run has ended before its child");
		const result = await within(grace, endAll(run, end), "the run had not ended");
		assert.equal(result.succeeded, true);
		assertJsonObject(result);
	});

	check("startsChildren", "an abort ends a run that waits for its children", async ({ runner, given, context, grace, inTime }) => {
		for (const kind of ["cancel", "timeout", "shutdown"] as const) {
			const run = context({ ...given, onChild: () => undefined });
			const end = runner.run(run);
			await inTime(Promise.race([run.children.whenOpen(), end]));
			run.abort(kind);
			assert.equal((await endOfAborted(grace, end)).succeeded, false);
		}
	});

	check("startsChildren", "a run that another node resumes starts no child twice", async (scope) => {
		const { runner, given, context, inTime } = scope;
		if (runner.capabilities.recovery !== true) return;
		const whole = context(given);
		await inTime(runner.run(whole));
		const count = whole.children.started.length;
		for (let cut = 1; cut <= Math.min(count, maxCuts); cut++) await assertGoesOn(scope, { cut, count });
	});
}

/** Ends each child in the order of its start, until the run ends. */
async function endAll(run: TestRunContext, end: Promise<RunResult>): Promise<RunResult> {
	for (;;) {
		const next = await Promise.race([run.children.whenOpen(), end]);
		if (!("key" in next)) return next;
		run.children.end(next.key);
	}
}

/**
 * Asserts that a recovered run starts no child twice. The first run loses its execution while child number `cut` is stored, so it does not
 * get the child's id.
 */
async function assertGoesOn(
	{ runner, given, context, grace, restart, inTime }: Scope<RunContextOptions>,
	{ cut, count }: { readonly cut: number; readonly count: number },
): Promise<void> {
	const first = context({
		...given,
		onChild() {
			if (first.children.started.length === cut) first.lose();
			return {};
		},
	});
	await within(
		grace,
		runner.run(first).catch(() => {}),
		"the run that was taken over had not ended",
	);
	const state = first.savedState();
	assert.ok(state !== undefined, "a child was started before any state was saved, so no node can resume the run");
	const second = context({ ...given, after: first });
	const found = await inTime(Promise.resolve((await restart()).recover?.(second, state)));
	assert.equal(found?.succeeded, true);
	const keys = second.children.started.map(({ key }) => key);
	assert.equal(keys.length, count, `expected ${count} children, got those with the keys ${keys.join(", ")}`);
}
