import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { EntityKind } from "../../contract/index.ts";
import { createBackgroundThrottle } from "../../kernel/expiry/background-throttle.ts";
import { startRemovalPass } from "../../kernel/expiry/removal.ts";
import { clockOf } from "../../testing/engine/clock-of.test-support.ts";
import { principal } from "../../testing/engine/engine.test-support.ts";
import { silentLogger } from "../../testing/run-context.ts";
import { removeExecutions } from "./remove-executions.ts";
import {
	createScene,
	daysAgo,
	toChunks,
	toDelivery,
	toEnforcement,
	toExecution,
	toInstance,
	toToken,
	toTrace,
} from "./retention.test-support.ts";
import { purge } from "./retention.ts";
import type { PurgeInput } from "./retention-exports.ts";

const clock = clockOf(() => Date.parse("2026-06-01T00:00:00Z") * 1_000);
const timestamp = daysAgo(10);

function createPurge(storage: ReturnType<typeof createScene>["storage"], signal = new AbortController().signal) {
	return (records: string, input: Partial<PurgeInput> = {}) =>
		purge({ storage, clock, logger: silentLogger, signal }, records, { timestamp, ...input }, principal);
}

test("executions that ended before the time go with their output, their journal and all they have started", async () => {
	const { storage, ids } = createScene();
	const [root, young, running] = [toExecution("succeeded", 11), toExecution("succeeded", 9), toExecution("running", 11)];
	const child = toExecution("succeeded", 11, { parent_id: root.id });
	await storage.insert("execution", [root, child, young, running]);
	await storage.insert(
		"output_chunk",
		[root, child, young, running].flatMap(({ id }) => toChunks(id, 11, 2)),
	);
	const entry = (execution_id: string, sequence: number) => ({
		id: `${execution_id.slice(0, 20)}${1000 + sequence}`,
		execution_id,
		sequence,
		timestamp,
		entry: {},
	});
	await storage.insert("journal_entry", [entry(root.id, 1), entry(root.id, 2), entry(young.id, 1)]);
	const purgeOf = createPurge(storage);
	const trial = await purgeOf("executions", { dry_run: true });
	assert.deepEqual(trial, { removed: { execution: 2, output_chunk: 4, journal_entry: 2 }, next: null });
	assert.equal((await ids("execution")).length, 4);
	assert.deepEqual(await purgeOf("executions"), trial);
	assert.deepEqual(await ids("execution"), [young.id, running.id]);
	assert.equal(await storage.count("output_chunk", {}), 4);
	assert.deepEqual(
		(await storage.find("journal_entry", {})).map(({ execution_id }) => execution_id),
		[young.id],
	);
	assert.deepEqual(await purgeOf("executions"), { removed: {}, next: null });
});

test("only those of one action go when it is named", async () => {
	const { storage, ids } = createScene();
	const [one, other] = [toExecution("succeeded", 11), toExecution("succeeded", 11, { action_ref: "default.other" })];
	await storage.insert("execution", [one, other]);
	await createPurge(storage)("executions", { action_ref: "default.other" });
	assert.deepEqual(await ids("execution"), [one.id]);
});

test("executions that have not ended go only when asked for, and never while a node runs them", async () => {
	const { storage, ids } = createScene();
	const lease = (days: number) => ({ owner: "node", fence: "f", lease_expires_at: daysAgo(days) });
	const waiting = [toExecution("requested", 11), toExecution("pending", 11), toExecution("running", 11, lease(1))];
	const held = toExecution("running", 11, lease(-1));
	const parent = toExecution("succeeded", 12);
	const child = toExecution("running", 11, { ...lease(-1), parent_id: parent.id });
	await storage.insert("execution", [...waiting, held, parent, child, toExecution("requested", 9)]);
	const purgeOf = createPurge(storage);
	assert.deepEqual((await purgeOf("executions")).removed, {});
	assert.deepEqual((await purgeOf("executions", { purge_incomplete: true })).removed, { execution: 3 });
	const left = new Set(await ids("execution"));
	for (const { id } of [held, parent, child]) assert.ok(left.has(id));
});

test("an execution that somebody begins to run meanwhile stays", async () => {
	const { storage, ids } = createScene();
	const waiting = toExecution("requested", 11);
	await storage.insert("execution", [waiting]);
	await storage.insert("output_chunk", toChunks(waiting.id, 11));
	const removal = startRemovalPass({ storage, pace: createBackgroundThrottle(new AbortController().signal), now: timestamp });
	const original = removal.remove;
	const late = {
		...removal,
		remove: (async (kind, given, where) => {
			await storage.update("execution", waiting.id, { status: "scheduled", fence: "new" });
			return original(kind, given, where);
		}) as typeof original,
	};
	await removeExecutions(late, { before: timestamp, incomplete: true });
	assert.deepEqual(await ids("execution"), [waiting.id]);
	assert.equal(await storage.count("output_chunk", {}), 1);
});

test("each other kind is purged by its time", async () => {
	const { storage } = createScene();
	const old = toExecution("succeeded", 11);
	await storage.insert("execution", [old, toExecution("succeeded", 9)]);
	await storage.insert("output_chunk", toChunks(old.id, 11));
	await storage.insert("trigger_instance", [toInstance("processed", 11), toInstance("pending", 11), toInstance("processed", 9)]);
	await storage.insert("rule_enforcement", [toEnforcement("1", 11), toEnforcement("2", 9)]);
	await storage.insert("webhook_delivery", [11, 9].map(toDelivery));
	await storage.insert("trace", [11, 9].map(toTrace));
	await storage.insert("token", [11, 9, -1].map(toToken));
	const kinds: Readonly<Record<string, EntityKind>> = {
		output: "output_chunk",
		trigger_instances: "trigger_instance",
		rule_enforcements: "rule_enforcement",
		webhook_deliveries: "webhook_delivery",
		traces: "trace",
		tokens: "token",
	};
	for (const [records, kind] of Object.entries(kinds)) {
		assert.deepEqual(await createPurge(storage)(records, { dry_run: true }), { removed: { [kind]: 1 }, next: null });
		assert.deepEqual(await createPurge(storage)(records), { removed: { [kind]: 1 }, next: null });
	}
	assert.equal(await storage.count("execution", {}), 2);
});

test("a large purge is cut into turns, which count each record once", async () => {
	const { storage } = createScene();
	const count = 2_000;
	const delays = { find: 15 };
	await storage.insert(
		"token",
		Array.from({ length: count }, (_, index) => ({ ...toToken(11), expiry: daysAgo(11 + Math.floor(index / 3) / 1_000) })),
	);
	const find = storage.find.bind(storage);
	storage.find = (async (...given: Parameters<typeof find>) => {
		await new Promise((resolve) => setTimeout(resolve, delays.find));
		return find(...given);
	}) as never;
	for (const dry_run of [true, false]) {
		let [turns, total] = [0, 0];
		for (let from: string | undefined; ; turns += 1) {
			const { removed, next } = await createPurge(storage)("tokens", { dry_run, ...(from !== undefined && { from }) });
			total += removed.token ?? 0;
			if (next === null) break;
			from = next;
		}
		assert.ok(turns > 0);
		assert.equal(total, count);
	}
	assert.equal(await storage.count("token", {}), 0);
});

test("the present time by the clock of the machine is not in the future, even if that of the engine is behind it", async () => {
	const { storage } = createScene();
	const behind = { ...clock, now: () => clock.now() - 30_000 };
	const { signal } = new AbortController();
	const present = { timestamp: daysAgo(0) };
	await purge({ storage, clock: behind, logger: silentLogger, signal }, "tokens", present, principal);
});

test("what is asked for wrongly is refused with what is allowed", async () => {
	const purgeOf = createPurge(createScene().storage);
	await assert.rejects(purgeOf("everything"), /must be one of executions, output, trigger_instances, .*; "everything" cannot be purged/);
	await assert.rejects(purgeOf("__proto__"), /cannot be purged/);
	await assert.rejects(purgeOf("tokens", { timestamp: daysAgo(-1) }), /timestamp: must not be in the future/);
	await assert.rejects(purgeOf("tokens", { from: "2026" }), /from: must be/);
	await assert.rejects(purgeOf("tokens", { action_ref: "a.b" }), /action_ref, purge_incomplete: allowed only for executions/);
	const stopped = AbortSignal.abort();
	await assert.rejects(createPurge(createScene().storage, stopped)("tokens"), /the service is stopping/);
});

test.run();
