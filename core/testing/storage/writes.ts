import * as assert from "node:assert/strict";
import type { Check } from "./check.ts";
import { assertRejectsWith, createAction, createChunk, createExecution, createToken, createTrace, idsOf } from "./fixtures.ts";

/** Registers the tests of `insert`, `remove` and `write`. */
export function checkWrites(check: Check): void {
	checkInsert(check);
	checkTakenKeys(check);
	checkRemove(check);
	checkWrite(check);
	checkExpectations(check);
}

function checkInsert(check: Check): void {
	check("inserted entities exist when the promise resolves", async (storage) => {
		const execution = createExecution();
		await storage.insert("execution", [execution]);
		assert.deepEqual(await storage.get("execution", execution.id), execution);
	});

	check("insert of no entities does nothing", async (storage) => {
		await storage.insert("execution", []);
		assert.equal(await storage.count("execution", {}), 0);
	});

	check("two thousand entities are inserted at once", async (storage) => {
		const chunks = Array.from({ length: 2_000 }, (_, index) => createChunk("a", index + 1, `line ${index}\n`));
		await storage.insert("output_chunk", chunks);
		const stored = await storage.find("output_chunk", { where: { execution_id: "a" }, orderBy: [["sequence", "asc"]] });
		assert.deepEqual(stored, chunks);
	});
}

function checkTakenKeys(check: Check): void {
	check("a taken id is a conflict that names it", async (storage) => {
		const trace = createTrace("first");
		await storage.insert("trace", [trace]);
		await assertRejectsWith("SVC_CONFLICT", storage.insert("trace", [{ ...trace, trace_tag: "second" }]), { conflict_id: trace.id });
		assert.equal((await storage.get("trace", trace.id))?.trace_tag, "first");
	});

	check("a taken unique key is a conflict that names its owner", async (storage) => {
		const [owner, late] = [createAction("a"), createAction("a")];
		await storage.insert("action", [owner]);
		await assertRejectsWith("SVC_CONFLICT", storage.insert("action", [late]), { conflict_id: owner.id });
		assert.equal(await storage.get("action", late.id), undefined);
	});

	check("a unique key of several fields conflicts only if all of them are equal", async (storage) => {
		const owner = createChunk("a", 1);
		await storage.insert("output_chunk", [owner, createChunk("a", 2), createChunk("b", 1)]);
		await assertRejectsWith("SVC_CONFLICT", storage.insert("output_chunk", [createChunk("a", 1)]), { conflict_id: owner.id });
		assert.equal(await storage.count("output_chunk", {}), 3);
	});

	check("an insert with one conflict inserts nothing", async (storage) => {
		const owner = createToken("taken");
		await storage.insert("token", [owner]);
		const tokens = [createToken("x"), createToken("y"), createToken("taken"), createToken("z")];
		await assertRejectsWith("SVC_CONFLICT", storage.insert("token", tokens), { conflict_id: owner.id });
		assert.deepEqual(idsOf(await storage.find("token", {})), [owner.id]);
	});

	check("a conflict within one insert inserts nothing", async (storage) => {
		await assertRejectsWith("SVC_CONFLICT", storage.insert("token", [createToken("x"), createToken("x")]));
		assert.equal(await storage.count("token", {}), 0);
	});

	check("of parallel inserts with the same key exactly one succeeds, and the others do not affect other inserts", async (storage) => {
		const rivals = Array.from({ length: 20 }, () => createAction("rival"));
		const others = rivals.map((_, index) => createAction(`other-${index}`));
		const outcomes = rivals.flatMap((rival, index) => [
			storage.insert("action", [rival]),
			storage.insert("action", others.slice(index, index + 1)),
		]);
		const settled = await Promise.allSettled(outcomes);
		assert.equal(settled.filter(({ status }) => status === "fulfilled").length, 21);
		assert.equal(await storage.count("action", { name: "rival" }), 1);
		assert.equal(await storage.count("action", { name: { prefix: "other-" } }), 20);
	});
}

function checkRemove(check: Check): void {
	check("remove deletes the matching entities and returns their number", async (storage) => {
		await storage.insert("output_chunk", [createChunk("a", 1), createChunk("a", 2), createChunk("b", 1)]);
		assert.equal(await storage.remove("output_chunk", { where: { execution_id: "a" } }), 2);
		assert.equal(await storage.remove("output_chunk", { where: { execution_id: "a" } }), 0);
		assert.equal(await storage.count("output_chunk", {}), 1);
	});

	check("remove with a limit deletes at most that many", async (storage) => {
		await storage.insert("trace", [createTrace("a"), createTrace("a"), createTrace("a"), createTrace("b")]);
		assert.equal(await storage.remove("trace", { where: { trace_tag: "a" }, limit: 2 }), 2);
		assert.equal(await storage.remove("trace", { where: { trace_tag: "a" }, limit: 2 }), 1);
		assert.equal(await storage.count("trace", {}), 1);
	});

	check("a removed key can be used again", async (storage) => {
		const token = createToken("x");
		await storage.insert("token", [token]);
		await storage.remove("token", { where: { id: token.id } });
		await storage.insert("token", [token]);
		assert.deepEqual(await storage.get("token", token.id), token);
	});
}

function checkWrite(check: Check): void {
	check("write does inserts, updates and removes of several kinds together", async (storage) => {
		const [execution, trace, token] = [createExecution(), createTrace("t"), createToken("x")];
		await storage.insert("token", [token]);
		await storage.write([
			{ insert: "trace", entities: [trace] },
			{ insert: "execution", entities: [execution] },
			{ update: "execution", id: execution.id, patch: { status: "scheduled" }, expected: { status: "requested" } },
			{ remove: "token", where: { id: token.id } },
		]);
		assert.deepEqual(await storage.get("trace", trace.id), trace);
		assert.equal((await storage.get("execution", execution.id))?.status, "scheduled");
		assert.equal(await storage.get("token", token.id), undefined);
	});

	check("a write with a taken key changes nothing", async (storage) => {
		const [kept, owner] = [createToken("kept"), createAction("a")];
		await storage.write([
			{ insert: "token", entities: [kept] },
			{ insert: "action", entities: [owner] },
		]);
		const operations = storage.write([
			{ insert: "token", entities: [createToken("lost")] },
			{ update: "token", id: kept.id, patch: { user: "other" } },
			{ remove: "token", where: { token_hash: "kept" } },
			{ insert: "action", entities: [createAction("a")] },
		]);
		await assertRejectsWith("SVC_CONFLICT", operations, { conflict_id: owner.id });
		assert.deepEqual(await storage.find("token", {}), [kept]);
	});

	check("a failing write does not affect concurrent writes", async (storage) => {
		const outcomes = await Promise.allSettled(
			Array.from({ length: 30 }, (_, index) =>
				storage.write([
					{ insert: "trace", entities: [createTrace(`${index}`)] },
					{ insert: "action", entities: [createAction(index % 3 === 0 ? "same" : `own-${index}`)] },
				]),
			),
		);
		assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 21);
		assert.equal(await storage.count("trace", {}), 21);
		assert.equal(await storage.count("action", {}), 21);
	});
}

/** Registers the tests of `expected` in updates within a write. */
function checkExpectations(check: Check): void {
	check("a write whose update no longer matches, or has no entity, changes nothing", async (storage) => {
		const execution = createExecution({ fence: "new" });
		await storage.insert("execution", [execution]);
		const stale = { update: "execution", id: execution.id, patch: { status: "failed" }, expected: { fence: "old" } } as const;
		const absent = { update: "execution", id: "0".repeat(24), patch: { status: "failed" } } as const;
		for (const operation of [stale, absent]) {
			await assertRejectsWith("SVC_CONFLICT", storage.write([{ insert: "trace", entities: [createTrace("lost")] }, operation]));
		}
		assert.equal(await storage.count("trace", {}), 0);
		assert.deepEqual(await storage.get("execution", execution.id), execution);
	});

	check("an update with an empty patch within a write checks the expectation and changes nothing", async (storage) => {
		const execution = createExecution({ fence: "held" });
		await storage.insert("execution", [execution]);
		const writeIf = (fence: string, tag: string) =>
			storage.write([
				{ update: "execution", id: execution.id, patch: {}, expected: { fence } },
				{ insert: "trace", entities: [createTrace(tag)] },
			]);
		await writeIf("held", "kept");
		await assertRejectsWith("SVC_CONFLICT", writeIf("lost", "lost"));
		assert.equal(await storage.count("trace", {}), 1);
		assert.deepEqual(await storage.get("execution", execution.id), execution);
	});

	check("expectations of a write hold until the write is done", async (storage) => {
		const execution = createExecution({ fence: "held" });
		await storage.insert("execution", [execution]);
		const attempts = Array.from({ length: 30 }, (_, index) =>
			storage.write([
				{ update: "execution", id: execution.id, patch: {}, expected: { fence: "held" } },
				{ insert: "output_chunk", entities: [createChunk(execution.id, index + 1)] },
			]),
		);
		const taken = storage.update("execution", execution.id, { fence: "taken" }, { fence: "held" });
		let seen = -1;
		await taken.then(async () => {
			seen = await storage.count("output_chunk", { execution_id: execution.id });
		});
		await Promise.allSettled(attempts);
		assert.equal(await storage.count("output_chunk", { execution_id: execution.id }), seen, "a record was written after it was claimed");
	});
}
