import * as assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { RunResult } from "../../contract/index.ts";
import type { RunContextOptions, TestRunContext } from "../run-context.ts";
import { endOfAborted, within } from "../within.ts";
import { assertJsonObject, type Check, type Scope } from "./cases.ts";

/** Milliseconds within which a run ends if it does not wait for its active children. */
const moment = 100;

type Statement = (scope: Scope<RunContextOptions>) => Promise<void>;

/** Registers the tests of runners with the capability `workflow`. */
export function checkWorkflows(check: Check): void {
	const checkWorkflow = (statement: string, run: Statement) =>
		check("startsChildren", statement, async (scope) => {
			if (scope.runner.capabilities.workflow === true) await run(scope);
		});
	checkWorkflow("a workflow can be canceled and recovered", async ({ runner }) => {
		const { cancellation, recovery } = runner.capabilities;
		assert.deepEqual(
			{ cancellation, recovery, recover: typeof runner.recover },
			{ cancellation: true, recovery: true, recover: "function" },
		);
	});
	checkWorkflow("a pausing workflow starts no more children, and is paused when none is active", assertPauses);
	checkWorkflow("a paused workflow continues from its journal and starts no child twice", assertGoesOn);
	checkWorkflow("a canceled workflow ends its children", assertCancels);
	checkWorkflow("a workflow does not end its children when the service stops, and continues afterwards", assertLeaves);
	checkWorkflow("a workflow with an empty journal starts from the beginning when it is recovered", assertBeginsAnew);
}

async function assertPauses({ runner, given, context, grace, inTime }: Scope<RunContextOptions>): Promise<void> {
	const run = context({ ...given, onChild: () => undefined });
	const { end } = await inTime(untilChild(run, runner.run(run)));
	run.pause();
	assert.equal(await Promise.race([end, delay(moment, "waiting")]), "waiting", "the run has ended although a child is active");
	const count = run.children.started.length;
	const result = await within(grace, endAll(run, end), "the run continues although none of its children is active");
	assert.equal(run.children.started.length, count, "a child was started although the run is pausing");
	// The active children may have been the last ones, so the run may also succeed.
	assert.ok(result.status === "paused" || result.succeeded, `the run has ended as ${result.status ?? "failed"}`);
	assertJsonObject(result);
}

async function assertGoesOn(scope: Scope<RunContextOptions>): Promise<void> {
	const { runner, given, context, grace, restart, inTime } = scope;
	const whole = context(given);
	await inTime(runner.run(whole));
	const first = context({ ...given, onChild: () => undefined });
	const { end } = await inTime(untilChild(first, runner.run(first)));
	first.pause();
	if ((await within(grace, endAll(first, end), "the run had not paused")).status !== "paused") return;
	const second = context({ ...given, after: first });
	const found = await inTime(Promise.resolve((await restart()).recover?.(second, first.savedState() ?? {})));
	assert.equal(found?.succeeded, true);
	assert.deepEqual(actionsOf(second), actionsOf(whole));
}

async function assertCancels({ runner, given, context, grace, inTime }: Scope<RunContextOptions>): Promise<void> {
	const run = context({ ...given, onChild: () => undefined });
	const { end } = await inTime(untilChild(run, runner.run(run)));
	run.abort("cancel");
	const result = await endOfAborted(grace, end);
	assert.equal(result.succeeded, false);
	assertAllEnded(run);
}

async function assertLeaves({ runner, given, context, grace, restart, inTime }: Scope<RunContextOptions>): Promise<void> {
	const whole = context(given);
	await inTime(runner.run(whole));
	const first = context({ ...given, onChild: () => undefined });
	const { end } = await inTime(untilChild(first, runner.run(first)));
	first.abort("shutdown");
	assert.equal((await endOfAborted(grace, end)).status, "running");
	assert.ok(
		first.children.started.some(({ hasEnded }) => !hasEnded),
		"its children were ended",
	);
	const second = context({ ...given, after: first, onChild: () => undefined });
	const again = (await restart()).recover?.(second, first.savedState() ?? {});
	const found = await within(grace, endAll(second, Promise.resolve(again)), "the run had not ended");
	assert.equal(found?.succeeded, true);
	assert.deepEqual(actionsOf(second), actionsOf(whole));
}

async function assertBeginsAnew({ runner, given, context, restart, inTime }: Scope<RunContextOptions>): Promise<void> {
	const whole = context(given);
	await inTime(runner.run(whole));
	const run = context(given);
	const found = await inTime(Promise.resolve((await restart()).recover?.(run, {})));
	assert.equal(found?.succeeded, true);
	assert.deepEqual(actionsOf(run), actionsOf(whole));
}

/** Waits until the run has started a child. Returns the promise of the run's end in an object, so that `await` does not wait for it. */
async function untilChild(run: TestRunContext, end: Promise<RunResult>): Promise<{ readonly end: Promise<RunResult> }> {
	const first = await Promise.race([run.children.whenOpen(), end]);
	assert.ok("key" in first, "the run has ended without a child");
	return { end };
}

/** Ends each child in the order of its start, until the run ends. */
async function endAll<T extends object | undefined>(run: TestRunContext, end: Promise<T>): Promise<T> {
	for (;;) {
		const next = await Promise.race([run.children.whenOpen(), end]);
		if (next === undefined || !("key" in next)) return next as T;
		run.children.end(next.key as string);
	}
}

/** Returns the action refs of all children. Compares actions rather than keys, because keys may contain the execution id. */
function actionsOf({ children }: TestRunContext): readonly string[] {
	return children.started.map(({ action_ref }) => action_ref).sort();
}

function assertAllEnded({ children }: TestRunContext): void {
	const open = children.started.filter(({ hasEnded }) => !hasEnded).map(({ key }) => key);
	assert.deepEqual(open, [], "children outlive the run");
}
