import * as assert from "node:assert/strict";
import type { ExecutionEntity } from "../../contract/index.ts";
import type { Check } from "./check.ts";
import { createAction, createChunk, createExecution, createTrace, idsOf } from "./fixtures.ts";

/** Registers the tests of `get`, `find`, `count` and `distinct`, except their conditions. */
export function checkQueries(check: Check): void {
	checkReading(check);
	checkOrder(check);
	checkCollation(check);
	checkPages(check);
	checkOrderedPages(check);
	checkCount(check);
	checkDistinct(check);
}

function checkReading(check: Check): void {
	check("get of an unknown id returns undefined", async (storage) => {
		for (const id of ["0".repeat(24), "", "not an id", "' or 1=1"]) assert.equal(await storage.get("execution", id), undefined);
	});

	check("kinds are separate: an id of one kind is unknown in another", async (storage) => {
		const trace = createTrace("a");
		await storage.insert("trace", [trace]);
		assert.equal(await storage.get("pack", trace.id), undefined);
		assert.equal(await storage.count("pack", {}), 0);
	});

	check("fields limits the result to these fields and the id", async (storage) => {
		const execution = createExecution();
		await storage.insert("execution", [execution]);
		const found = await storage.find("execution", { fields: ["status", "log"] });
		assert.deepEqual(found, [{ id: execution.id, status: execution.status, log: execution.log }]);
		assert.deepEqual(await storage.find("execution", { fields: ["id"] }), [{ id: execution.id }]);
		assert.deepEqual(await storage.find("execution", { fields: [] }), [{ id: execution.id }]);
	});
}

function checkOrder(check: Check): void {
	check("without an order, the result is sorted by id", async (storage) => {
		const traces = Array.from({ length: 10 }, () => createTrace("a"));
		await storage.insert("trace", [...traces].reverse());
		assert.deepEqual(idsOf(await storage.find("trace", {})), idsOf(traces));
	});

	check("null sorts first ascending and last descending", async (storage) => {
		await storage.insert(
			"execution",
			["b", null, "a"].map((rule_name) => createExecution({ rule_name })),
		);
		for (const [direction, expected] of [
			["asc", [null, "a", "b"]],
			["desc", ["b", "a", null]],
		] as const) {
			const found = await storage.find("execution", { orderBy: [["rule_name", direction]] });
			assert.deepEqual(
				found.map(({ rule_name }) => rule_name),
				expected,
			);
		}
	});

	check("a later order applies to equal values", async (storage) => {
		const actions = ["b1", "a2", "a1", "b2"].map((name) => createAction(name, { pack: name.slice(0, 1) }));
		await storage.insert("action", actions);
		const found = await storage.find("action", {
			orderBy: [
				["pack", "desc"],
				["name", "asc"],
			],
		});
		assert.deepEqual(
			found.map(({ name }) => name),
			["b1", "b2", "a1", "a2"],
		);
	});
}

function checkCollation(check: Check): void {
	check("text is sorted by code point, numbers by value", async (storage) => {
		const tags = ["", "\u0001", "1", "10", "9", "A", "Z", "a", "z", "~", "é", "\ud7ff", "\ue000", "\uffff", "\u{10000}", "\u{1f600}"];
		await storage.insert(
			"trace",
			[...tags].reverse().map((tag) => createTrace(tag)),
		);
		const found = await storage.find("trace", { orderBy: [["trace_tag", "asc"]] });
		assert.deepEqual(
			found.map(({ trace_tag }) => trace_tag),
			tags,
		);
		await storage.insert(
			"output_chunk",
			[10, 9, 100].map((sequence) => createChunk("a", sequence)),
		);
		const chunks = await storage.find("output_chunk", { orderBy: [["sequence", "desc"]] });
		assert.deepEqual(
			chunks.map(({ sequence }) => sequence),
			[100, 10, 9],
		);
	});
}

function checkPages(check: Check): void {
	check("limit and offset return pages without gaps or repetitions, even among equal values", async (storage) => {
		await storage.insert(
			"trace",
			Array.from({ length: 23 }, () => createTrace("same")),
		);
		const pages: string[] = [];
		for (let offset = 0; offset < 30; offset += 5) {
			const page = await storage.find("trace", { orderBy: [["trace_tag", "desc"]], limit: 5, offset });
			assert.equal(page.length, Math.min(5, Math.max(0, 23 - offset)));
			pages.push(...idsOf(page));
		}
		assert.equal(new Set(pages).size, 23);
	});

	check("large texts are returned completely and in order, page by page, without removed entities", async (storage) => {
		const toText = (sequence: number) => `${sequence} é\u{1f600}\n`.repeat(sequence % 4 === 0 ? 1 : 3_000 * (sequence % 4));
		const chunks = Array.from({ length: 24 }, (_, index) => createChunk("a", index + 1, toText(index + 1)));
		for (let from = 0; from < chunks.length; from += 8) await storage.insert("output_chunk", chunks.slice(from, from + 8));
		await storage.insert("output_chunk", [createChunk("b", 1, toText(2))]);
		await storage.remove("output_chunk", { where: { execution_id: "a", sequence: { lte: 5 } } });
		const found: unknown[] = [];
		for (let last = 0; last < 24; last += 7) {
			const where = { execution_id: "a", sequence: { gt: last, lte: last + 7 } };
			found.push(...(await storage.find("output_chunk", { where, orderBy: [["sequence", "asc"]] })));
		}
		assert.deepEqual(found, chunks.slice(5));
	});

	check("a limit of 0 returns nothing, and an offset works without a limit", async (storage) => {
		const traces = Array.from({ length: 4 }, () => createTrace("a"));
		await storage.insert("trace", traces);
		assert.deepEqual(await storage.find("trace", { limit: 0 }), []);
		assert.deepEqual(idsOf(await storage.find("trace", { offset: 3 })), idsOf(traces.slice(3)));
	});
}

function checkOrderedPages(check: Check): void {
	check("pages of in have the same order as pages of everything", async (storage) => {
		const statuses = ["running", "failed", "timeout"] as const;
		const executions = createMixed((index) => ({ status: statuses[index % 3] ?? "failed" }));
		await storage.insert("execution", executions);
		const where = { status: { in: ["failed", "running", "failed", "paused"] }, user: { not: "0" } } as const;
		for (const direction of ["asc", "desc"] as const) {
			const all = await storage.find("execution", { where, orderBy: [["start_timestamp", direction]] });
			assert.equal(all.length, 14);
			for (const [limit, offset] of [
				[5, 0],
				[5, 5],
				[100, 3],
				[0, 0],
			] as const) {
				const page = await storage.find("execution", { where, orderBy: [["start_timestamp", direction]], limit, offset });
				assert.deepEqual(page, all.slice(offset, offset + limit));
			}
		}
	});

	check("pages by a sparse field have the same order as the complete list", async (storage) => {
		const rules = [null, "b", null, "a", null];
		const executions = createMixed((index) => ({ rule_name: rules[index % 5] ?? null }));
		await storage.insert("execution", executions);
		const where = { user: { not: "0" } } as const;
		for (const direction of ["asc", "desc"] as const) {
			const orderBy = [
				["rule_name", direction],
				["start_timestamp", "desc"],
			] as const;
			const all = await storage.find("execution", { where, orderBy });
			assert.equal(all.length, 20);
			for (const [limit, offset] of [
				[5, 0],
				[10, 5],
				[100, 3],
			] as const) {
				assert.deepEqual(await storage.find("execution", { where, orderBy, limit, offset }), all.slice(offset, offset + limit));
			}
		}
		assert.equal(await storage.count("execution", { rule_name: null }), 24);
		assert.equal(await storage.count("execution", { rule_name: null, user: "0" }), 12);
	});
}

/** Creates 40 executions of two users, some with equal start times. */
function createMixed(toFields: (index: number) => Partial<ExecutionEntity>): ExecutionEntity[] {
	return Array.from({ length: 40 }, (_, index) =>
		createExecution({ ...toFields(index), start_timestamp: `2030-01-02T03:04:${10 + (index % 17)}.000000Z`, user: `${index % 2}` }),
	);
}

function checkCount(check: Check): void {
	check("count returns the number of matches, regardless of pages", async (storage) => {
		await storage.insert(
			"trace",
			["a", "a", "b"].map((tag) => createTrace(tag)),
		);
		assert.equal(await storage.count("trace", {}), 3);
		assert.equal(await storage.count("trace", { trace_tag: "a" }), 2);
		assert.equal(await storage.count("trace", { trace_tag: "c" }), 0);
		await storage.insert(
			"trace",
			Array.from({ length: 1_500 }, () => createTrace("many")),
		);
		assert.equal(await storage.count("trace", { trace_tag: "many" }), 1_500);
	});

	check("count with a limit stops at the limit", async (storage) => {
		await storage.insert(
			"execution",
			Array.from({ length: 12 }, (_, index) => createExecution({ user: `${index % 2}`, rule_name: index < 4 ? "a" : null })),
		);
		for (const [where, expected] of [
			[{}, 12],
			[{ user: "0" }, 6],
			[{ rule_name: null }, 8],
			[{ user: { in: ["0", "1"] }, rule_name: "a" }, 4],
			[{ user: "2" }, 0],
		] as const) {
			for (const limit of [1, expected, expected + 1, 1_000].filter((each) => each > 0)) {
				assert.equal(await storage.count("execution", where, limit), Math.min(limit, expected), JSON.stringify({ where, limit }));
			}
		}
	});
}

function checkDistinct(check: Check): void {
	check("distinct returns each value once, in ascending order, without null", async (storage) => {
		await storage.insert(
			"execution",
			["b", null, "a", "b", "c"].map((rule_name) => createExecution({ rule_name })),
		);
		assert.deepEqual(await storage.distinct("execution", "rule_name"), ["a", "b", "c"]);
		assert.deepEqual(await storage.distinct("execution", "rule_name", { rule_name: { not: "b" } }), ["a", "c"]);
		assert.deepEqual(await storage.distinct("execution", "trigger_name"), []);
		assert.deepEqual(await storage.distinct("pack", "name"), []);
	});

	check("distinct returns numbers, booleans and text even without an index", async (storage) => {
		await storage.insert(
			"execution",
			[3, 1, null, 3].map((delay) => createExecution({ delay, owner: delay === null ? null : `n\u0000${delay}` })),
		);
		assert.deepEqual(await storage.distinct("execution", "delay"), [1, 3]);
		assert.deepEqual(await storage.distinct("execution", "owner"), ["n\u00001", "n\u00003"]);
		await storage.insert("action", [createAction("on"), createAction("off", { enabled: false })]);
		assert.deepEqual(await storage.distinct("action", "enabled"), [false, true]);
	});
}
