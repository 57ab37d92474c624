import * as assert from "node:assert/strict";
import { append } from "../../contract/index.ts";
import type { Check } from "./check.ts";
import { assertRejectsWith, createAction, createExecution, createTrace } from "./fixtures.ts";

/** Registers the tests of `update` and `append`. */
export function checkUpdates(check: Check): void {
	checkPatches(check);
	checkCompareAndSet(check);
	checkUpdatedKeys(check);
	checkAppend(check);
}

function checkPatches(check: Check): void {
	check("update changes only the patched fields and returns the updated entity", async (storage) => {
		const [execution, other] = [createExecution(), createExecution()];
		await storage.insert("execution", [execution, other]);
		const patch = {
			status: "succeeded",
			end_timestamp: "2030-01-02T03:04:06.000000Z",
			elapsed_seconds: 0.321,
			result: { stdout: "hi" },
		} as const;
		assert.deepEqual(await storage.update("execution", execution.id, patch), { ...execution, ...patch });
		assert.deepEqual(await storage.get("execution", execution.id), { ...execution, ...patch });
		assert.deepEqual(await storage.get("execution", other.id), other);
	});

	check("update of an unknown id returns undefined", async (storage) => {
		assert.equal(await storage.update("execution", "0".repeat(24), { status: "failed" }), undefined);
	});

	check("an empty patch returns the entity as it is", async (storage) => {
		const trace = createTrace("a");
		await storage.insert("trace", [trace]);
		assert.deepEqual(await storage.update("trace", trace.id, {}), trace);
		assert.equal(await storage.update("trace", trace.id, {}, { trace_tag: "b" }), undefined);
	});
}

function checkCompareAndSet(check: Check): void {
	check("update of an entity that is not as expected returns undefined and changes nothing", async (storage) => {
		const execution = createExecution({ status: "running", fence: "b" });
		await storage.insert("execution", [execution]);
		assert.equal(await storage.update("execution", execution.id, { status: "failed" }, { fence: "a" }), undefined);
		assert.equal(await storage.update("execution", execution.id, { status: "failed" }, { fence: "b", status: "pending" }), undefined);
		assert.equal(await storage.update("execution", execution.id, { status: "failed" }, { owner: { not: null } }), undefined);
		assert.deepEqual(await storage.get("execution", execution.id), execution);
		const updated = await storage.update(
			"execution",
			execution.id,
			{ fence: null },
			{ status: { in: ["running", "pending"] }, owner: null },
		);
		assert.deepEqual(updated, { ...execution, fence: null });
	});

	check("of 20 parallel updates with the same expectation exactly one wins", async (storage) => {
		const execution = createExecution();
		await storage.insert("execution", [execution]);
		const attempts = Array.from({ length: 20 }, (_, index) =>
			storage.update("execution", execution.id, { status: "scheduled", owner: `node-${index}` }, { status: "requested" }),
		);
		const winners = (await Promise.all(attempts)).filter((updated) => updated !== undefined);
		assert.equal(winners.length, 1);
		assert.deepEqual(await storage.get("execution", execution.id), winners[0]);
	});
}

function checkUpdatedKeys(check: Check): void {
	check("update to a taken key is a conflict that names its owner and changes nothing", async (storage) => {
		const [owner, action] = [createAction("a"), createAction("b")];
		await storage.insert("action", [owner, action]);
		await assertRejectsWith("SVC_CONFLICT", storage.update("action", action.id, { ref: owner.ref, name: "c" }), { conflict_id: owner.id });
		assert.deepEqual(await storage.get("action", action.id), action);
	});

	check("update to the existing key of an entity is not a conflict", async (storage) => {
		const action = createAction("a");
		await storage.insert("action", [action]);
		assert.deepEqual(await storage.update("action", action.id, { ref: action.ref, enabled: false }), { ...action, enabled: false });
	});
}

function checkAppend(check: Check): void {
	const entry = { status: "scheduled", timestamp: "2030-01-02T03:04:05.700000Z" } as const;

	check("append puts a value at the end of an array field", async (storage) => {
		const execution = createExecution();
		await storage.insert("execution", [execution]);
		const updated = await storage.update("execution", execution.id, { status: "scheduled", log: append(entry) });
		assert.deepEqual(updated?.log, [...execution.log, entry]);
		assert.deepEqual((await storage.get("execution", execution.id))?.log, [...execution.log, entry]);
	});

	check("append to an empty array, of any JSON value, keeps it as it is", async (storage) => {
		const action = createAction("a");
		await storage.insert("action", [action]);
		const values = [{ a: [1, null] }, [], "text \u0000 ' \" \u{1f600}", 1.5, true, null, "[1]"];
		for (const value of values) await storage.update("action", action.id, { tags: append(value) });
		assert.deepEqual((await storage.get("action", action.id))?.tags, values);
	});

	check("parallel appends are all kept", async (storage) => {
		const execution = createExecution({ log: [] });
		await storage.insert("execution", [execution]);
		const entries = Array.from({ length: 20 }, (_, index) => ({ status: "running", timestamp: `${index}` }) as const);
		await Promise.all(entries.map((value) => storage.update("execution", execution.id, { log: append(value) })));
		const stored = (await storage.get("execution", execution.id))?.log ?? [];
		assert.deepEqual(new Set(stored.map(({ timestamp }) => timestamp)), new Set(entries.map(({ timestamp }) => timestamp)));
		assert.equal(stored.length, entries.length);
	});

	check("append also works in write and claim", async (storage) => {
		const execution = createExecution({ log: [] });
		await storage.insert("execution", [execution]);
		await storage.write([{ update: "execution", id: execution.id, patch: { log: append(entry) } }]);
		const claimed = await storage.claim(
			"execution",
			{ where: { status: "requested" }, limit: 1 },
			{ status: "scheduled", log: append(entry) },
		);
		assert.deepEqual(claimed[0]?.log, [entry, entry]);
	});
}
