import * as assert from "node:assert/strict";
import { test } from "uvu";
import {
	defineAuthBackend,
	type ExecutionEntity,
	isSvcError,
	type TriggerInstanceEntity,
	type WriteOperation,
} from "../../contract/index.ts";
import { createSharedStorage, type OnCall } from "../../testing/engine/shared-storage.test-support.ts";
import { type RulesTest, testTrigger, withRules } from "./rules.test-support.ts";

/** Nobody signs in; without authentication runs would have no tokens. */
const nobody = defineAuthBackend("nobody", () => ({ authenticate: async () => undefined }));

/** Run with a storage that tells what is written about enforcements. */
async function withWrites(
	body: (rules: RulesTest, writes: readonly (readonly WriteOperation[])[]) => Promise<void>,
	onWrite: () => ReturnType<OnCall> = () => {},
): Promise<void> {
	const shared = createSharedStorage();
	const writes: (readonly WriteOperation[])[] = [];
	const door = shared.createDoor((method, [operations]) => {
		if (method !== "write" || !inserts(operations as WriteOperation[], "rule_enforcement")) return undefined;
		writes.push(operations as WriteOperation[]);
		return onWrite();
	});
	try {
		await withRules((rules) => body(rules, writes), { storage: door.plugin, options: { auth: { enable: true, backend: nobody() } } });
	} finally {
		await shared.release();
	}
}

/** How many records of a kind are stored anew. */
function inserts(operations: readonly WriteOperation[], kind: string): number {
	return operations.reduce(
		(count, operation) => count + ("insert" in operation && operation.insert === kind ? operation.entities.length : 0),
		0,
	);
}

/** A rule that matches, and that cannot be looked at before the event is stored: its criteria read the datastore. */
const later = { criteria: { "trigger.n": { type: "nequals", pattern: "{{ svckv.system.none | default(7) }}" } } };

/** What a write inserts of a kind. */
function inserted(operations: readonly WriteOperation[], kind: "execution" | "trigger_instance") {
	return operations.flatMap((operation) =>
		"insert" in operation && operation.insert === kind ? (operation.entities as readonly (ExecutionEntity | TriggerInstanceEntity)[]) : [],
	);
}

/** Executions, and the tokens of those that have begun, which have no records of their own. */
function assertStarts(operations: readonly WriteOperation[]): void {
	for (const entity of inserted(operations, "execution"))
		assert.equal((entity as ExecutionEntity).token_hash !== null, entity.status === "running");
	assert.equal(inserts(operations, "token"), 0);
}

test("rules that match a new event act by the write that stores it, and that holds what their runs begin with", () =>
	withWrites(async ({ addRule, dispatch, quiet, started }, writes) => {
		for (let count = 0; count < 5; count += 1) await addRule();
		const { id } = await dispatch();
		await quiet();
		assert.equal(writes.length, 1);
		const [operations = []] = writes;
		assert.deepEqual([inserts(operations, "execution"), inserts(operations, "rule_enforcement")], [5, 5]);
		assert.deepEqual(
			inserted(operations, "trigger_instance").map((instance) => [instance.id, instance.status]),
			[[id, "processed"]],
		);
		assertStarts(operations);
		assert.deepEqual([...new Set((await started()).map(({ status }) => status))], ["succeeded"]);
	}));

test("rules that match an event that was stored before act by one write, which closes the event", () =>
	withWrites(async ({ addRule, dispatch, processed, quiet, started }, writes) => {
		for (let count = 0; count < 4; count += 1) await addRule();
		await addRule(later);
		const { id } = await dispatch();
		assert.equal((await processed(id)).status, "processed");
		await quiet();
		assert.equal(writes.length, 1);
		const [operations = []] = writes;
		assert.deepEqual([inserts(operations, "execution"), inserts(operations, "rule_enforcement")], [5, 5]);
		assertStarts(operations);
		const closed = operations.filter(
			(operation) => "update" in operation && operation.update === "trigger_instance" && operation.id === id,
		);
		assert.equal(closed.length, 1);
		assert.deepEqual([...new Set((await started()).map(({ status }) => status))], ["succeeded"]);
	}));

test("a key that is taken refuses the event and all that was to be done about it", () =>
	withWrites(async ({ engine, addRule, quiet, started }, writes) => {
		await addRule();
		const event = { trigger: testTrigger, payload: { n: 1 }, uniqueKey: "same" };
		const first = await engine.dispatcher.dispatch(event);
		const second = await engine.dispatcher.dispatch(event);
		assert.deepEqual([first.isNew, second.isNew, second.instance.id], [true, false, first.instance.id]);
		await quiet();
		assert.equal(writes.length, 2);
		assert.equal((await started()).length, 1);
	}));

test("what is wrong with one rule keeps none of the others from acting", () =>
	withWrites(async ({ engine, addRule, dispatch, processed, quiet, started }) => {
		await addRule();
		const missing = await addRule({ action: { ref: "default.nowhere" } });
		const broken = await addRule({ action: { ref: "default.said", parameters: { text: "{{ trigger.kind.none.such }}" } } });
		await addRule();
		const { id } = await dispatch();
		assert.equal((await processed(id)).status, "processed");
		await quiet();
		const { items } = await engine.enforcements.list({ trigger_instance_id: id }, {});
		assert.equal(items.length, 4);
		const failed = items.filter(({ status }) => status === "failed").map(({ rule_ref }) => rule_ref);
		assert.deepEqual(failed.sort(), [missing, broken].sort());
		assert.equal((await started()).filter(({ status }) => status === "succeeded").length, 2);
	}));

/** Loses the answer of the first write about enforcements. */
function loseFirst(): () => ReturnType<OnCall> {
	let isLost = false;
	return () => {
		if (isLost) return undefined;
		isLost = true;
		return "lost" as const;
	};
}

test("a write whose answer is lost has every rule act once all the same", () =>
	withWrites(async ({ engine, addRule, dispatch, processed, quiet, started }) => {
		for (let count = 0; count < 4; count += 1) await addRule();
		await addRule(later);
		const { id } = await dispatch();
		assert.equal((await processed(id)).status, "processed");
		await quiet();
		assert.equal((await engine.enforcements.list({ trigger_instance_id: id }, {})).total, 5);
		assert.equal((await started()).length, 5);
	}, loseFirst()));

test("an event whose answer is lost is not acknowledged, and what was stored with it runs", () =>
	withWrites(async ({ engine, addRule, dispatch, quiet, started }) => {
		for (let count = 0; count < 5; count += 1) await addRule();
		await assert.rejects(dispatch(), (error) => isSvcError(error, "SVC_UNAVAILABLE"));
		await quiet();
		assert.equal((await engine.enforcements.list({}, {})).total, 5);
		assert.deepEqual(
			(await started()).map(({ status }) => status),
			Array(5).fill("succeeded"),
		);
	}, loseFirst()));

test.run();
