import * as assert from "node:assert/strict";
import { test } from "uvu";
import { defineAuthBackend, type WriteOperation } from "../../contract/index.ts";
import { createSharedStorage, type OnCall } from "../../testing/engine/shared-storage.test-support.ts";
import { type RulesTest, withRules } from "./rules.test-support.ts";

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

test("rules that match one event act by one write, which closes the event and holds what their runs begin with", () =>
	withWrites(async ({ addRule, dispatch, processed, quiet, started }, writes) => {
		for (let count = 0; count < 5; count += 1) await addRule();
		const { id } = await dispatch();
		assert.equal((await processed(id)).status, "processed");
		await quiet();
		assert.equal(writes.length, 1);
		const [operations = []] = writes;
		assert.deepEqual([inserts(operations, "execution"), inserts(operations, "rule_enforcement")], [5, 5]);
		const stored = operations.flatMap((operation) => ("insert" in operation && operation.insert === "execution" ? operation.entities : []));
		// Exactly those that have begun have a token, which has no record of its own.
		for (const { status, token_hash } of stored) assert.equal(token_hash !== null, status === "running");
		assert.equal(inserts(operations, "token"), 0);
		const closed = operations.filter(
			(operation) => "update" in operation && operation.update === "trigger_instance" && operation.id === id,
		);
		assert.equal(closed.length, 1);
		assert.deepEqual([...new Set((await started()).map(({ status }) => status))], ["succeeded"]);
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

test("a write whose answer is lost has every rule act once all the same", () => {
	let isLost = false;
	const loseFirst = () => {
		if (isLost) return undefined;
		isLost = true;
		return "lost" as const;
	};
	return withWrites(async ({ engine, addRule, dispatch, processed, quiet, started }) => {
		for (let count = 0; count < 5; count += 1) await addRule();
		const { id } = await dispatch();
		assert.equal((await processed(id)).status, "processed");
		await quiet();
		assert.ok(isLost);
		assert.equal((await engine.enforcements.list({ trigger_instance_id: id }, {})).total, 5);
		assert.equal((await started()).length, 5);
	}, loseFirst);
});

test.run();
