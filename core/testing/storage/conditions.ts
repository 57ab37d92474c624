import * as assert from "node:assert/strict";
import type { ActionEntity, ExecutionEntity, Storage, TraceEntity, Where } from "../../contract/index.ts";
import type { Check } from "./check.ts";
import { assertRejectsWith, createAction, createChunk, createExecution, createTrace } from "./fixtures.ts";

/** Registers the tests of every form of condition, in each method that takes one. */
export function checkConditions(check: Check): void {
	checkComparisons(check);
	checkPrefix(check);
	checkMember(check);
	checkRefusals(check);
}

const rules = [null, "a", "b", "c"] as const;

async function findRules(storage: Storage, where: Where<ExecutionEntity>): Promise<(string | null)[]> {
	const found = await storage.find("execution", { where, orderBy: [["rule_name", "asc"]] });
	assert.equal(await storage.count("execution", where), found.length);
	return found.map(({ rule_name }) => rule_name);
}

function checkComparisons(check: Check): void {
	const checkRules = (statement: string, cases: readonly (readonly [Where<ExecutionEntity>, readonly (string | null)[]])[]) =>
		check(statement, async (storage) => {
			await storage.insert(
				"execution",
				rules.map((rule_name) => createExecution({ rule_name })),
			);
			for (const [where, expected] of cases) assert.deepEqual(await findRules(storage, where), expected, JSON.stringify(where));
		});

	checkRules("a value matches equal values, and null matches null", [
		[{ rule_name: "b" }, ["b"]],
		[{ rule_name: "B" }, []],
		[{ rule_name: null }, [null]],
		[{}, rules],
	]);
	checkRules("in matches each of its values, nothing if it is empty, and never null", [
		[{ rule_name: { in: ["a", "c", "x", "a"] } }, ["a", "c"]],
		[{ rule_name: { in: [] } }, []],
		[{ rule_name: { in: [null, "a"] } }, ["a"]],
		[{ rule_name: { in: Array.from({ length: 40_000 }, (_, index) => `${index}`).concat("b") } }, ["b"]],
	]);
	checkRules("not matches all other values, including null", [
		[{ rule_name: { not: "b" } }, [null, "a", "c"]],
		[{ rule_name: { not: null } }, ["a", "b", "c"]],
	]);
	checkRules("gt, gte, lt and lte compare, alone and combined, and never match null", [
		[{ rule_name: { gt: "a" } }, ["b", "c"]],
		[{ rule_name: { gte: "b" } }, ["b", "c"]],
		[{ rule_name: { lt: "b" } }, ["a"]],
		[{ rule_name: { lte: "b" } }, ["a", "b"]],
		[{ rule_name: { gt: "a", lt: "c" } }, ["b"]],
		[{ rule_name: { gte: "a", lte: "b" } }, ["a", "b"]],
		[{ rule_name: { gt: null } }, []],
		[{ rule_name: { lte: null } }, []],
	]);
	checkRules("all conditions must match", [
		[{ rule_name: { not: null }, user: "admin", status: "requested" }, ["a", "b", "c"]],
		[{ rule_name: "a", user: "nobody" }, []],
	]);

	check("numbers and booleans are compared by type", async (storage) => {
		const delays = [null, -5, 0, 9, 10, 2 ** 40];
		await storage.insert(
			"execution",
			delays.map((delay) => createExecution({ delay })),
		);
		const find = async (where: Where<ExecutionEntity>) =>
			(await storage.find("execution", { where, orderBy: [["delay", "asc"]] })).map(({ delay }) => delay);
		assert.deepEqual(await find({ delay: { gt: 9 } }), [10, 2 ** 40]);
		assert.deepEqual(await find({ delay: { lt: 0 } }), [-5]);
		assert.deepEqual(await find({ delay: { in: [10, 2 ** 40] } }), [10, 2 ** 40]);
		assert.deepEqual(await find({ delay: 0 }), [0]);
		await storage.insert("action", [createAction("on"), createAction("off", { enabled: false })]);
		assert.equal(await storage.count("action", { enabled: false }), 1);
		assert.equal(await storage.count("action", { enabled: { not: false } }), 1);
		assert.equal(await storage.count("action", { enabled: { in: [true, false] } }), 2);
	});
}

function checkPrefix(check: Check): void {
	check("prefix treats every character literally", async (storage) => {
		const tags = [
			"100%",
			"100 %",
			"a_b",
			"axb",
			"a*b",
			"a[b",
			"a\\b",
			"A_b",
			"",
			"\u{10ffff}",
			"\u{10ffff}z",
			"\ud7ffx",
			"\ue000x",
			"é",
			"e",
		];
		await storage.insert(
			"trace",
			tags.map((tag) => createTrace(tag)),
		);
		const prefixes = ["", "100%", "a_", "a*", "a[", "a\\", "A", "%", "_", "*", "?", "\u{10ffff}", "\ud7ff", "\ue000", "é", "zzz"];
		for (const prefix of prefixes) {
			const found = await storage.find("trace", { where: { trace_tag: { prefix } } });
			assert.deepEqual(toTags(found).sort(), tags.filter((tag) => tag.startsWith(prefix)).sort(), JSON.stringify(prefix));
		}
	});

	check("prefix never matches null", async (storage) => {
		await storage.insert("execution", [createExecution(), createExecution({ rule_name: "x" })]);
		assert.deepEqual(await findRules(storage, { rule_name: { prefix: "" } }), ["x"]);
	});
}

function checkMember(check: Check): void {
	check("member matches lists and objects by their members, with any characters", async (storage) => {
		const names = ["team", "tea", "te%am", 'te"am', "te\\am", "\u0000", "\u0001", "\ud800", "té", "name", "TEAM", ""];
		await storage.insert("action", [
			createAction("none"),
			createAction("other-member", { tags: [{ title: "team", name: "other" }] }),
			createAction("quoted", { tags: [{ name: 'x","name":"team' }, { text: '"name":"team"' }] }),
			createAction("second", { tags: [{ name: "first" }, { name: "deep", more: [{ name: "down", value: 1 }] }] }),
			...names.map((name, index) => createAction(`action-${index}`, { tags: [{ name, value: "v" }] })),
		]);
		const find = async (name: string) =>
			(await storage.find("action", { where: { tags: { member: ["name", name] } } })).map((one) => one.name);
		for (const [index, name] of names.entries()) assert.deepEqual(await find(name), [`action-${index}`], JSON.stringify(name));
		for (const name of ["first", "deep", "down"]) assert.deepEqual(await find(name), ["second"]);
		assert.deepEqual(await find("value"), []);
		assert.equal(await storage.count("action", { tags: { member: ["name", "team"] }, name: { prefix: "action-" } }), 1);
	});

	check("only json fields that are not bulky have members", async (storage) => {
		const untyped = (where: object) => where as Where<TraceEntity>;
		await assertRejectsWith("SVC_INVALID", storage.count("trace", untyped({ trace_tag: { member: ["a", "b"] } })));
		await assertRejectsWith("SVC_INVALID", storage.count("trace", untyped({ nothing: { member: ["a", "b"] } })));
		await assertRejectsWith("SVC_INVALID", storage.count("output_chunk", { data: { member: ["a", "b"] } }));
		await assert.rejects(storage.count("action", { tags: { member: ["name"] } } as unknown as Where<ActionEntity>), TypeError);
	});
}

function checkRefusals(check: Check): void {
	// Field names that come from a request can bypass the types.
	const untyped = (where: object) => where as Where<TraceEntity>;

	check("fields that do not exist or are json cannot be filtered by", async (storage) => {
		await assertRejectsWith("SVC_INVALID", storage.count("trace", untyped({ nothing: 1 })));
		await assertRejectsWith("SVC_INVALID", storage.find("trace", { where: untyped({ constructor: "x" }) }));
		await assertRejectsWith("SVC_INVALID", storage.count("execution", { result: null }));
		await assertRejectsWith("SVC_INVALID", storage.find("execution", { orderBy: [["log", "asc"]] }));
		await assertRejectsWith("SVC_INVALID", storage.distinct("execution", "context"));
	});

	check("a bulky field cannot be filtered by", async (storage) => {
		await storage.insert("output_chunk", [createChunk("a", 1, "x")]);
		await assertRejectsWith("SVC_INVALID", storage.count("output_chunk", { data: "x" }));
		await assertRejectsWith("SVC_INVALID", storage.find("output_chunk", { orderBy: [["data", "asc"]] }));
		await assertRejectsWith("SVC_INVALID", storage.distinct("output_chunk", "data"));
	});

	check("an undefined condition is refused and does not match everything", async (storage) => {
		const trace = createTrace("kept");
		await storage.insert("trace", [trace]);
		for (const where of [{ trace_tag: undefined }, { trace_tag: {} }, { trace_tag: { gt: undefined } }, { trace_tag: { like: "k" } }]) {
			await assert.rejects(storage.remove("trace", { where: untyped(where) }), TypeError);
		}
		assert.equal(await storage.count("trace", {}), 1);
	});
}

function toTags(traces: readonly TraceEntity[]): string[] {
	return traces.map(({ trace_tag }) => trace_tag);
}
