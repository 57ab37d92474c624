import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { Expressions, JsonObject } from "../../../core/contract/index.ts";
import { createTestExpressions } from "../../../core/testing/expressions.ts";
import { readDefinition } from "../definition/read-definition.ts";
import { Conductor } from "./conductor.ts";
import { JournalValues } from "./journal-values.ts";
import { PersistentMap } from "./persistent-map.ts";
import { readProgress } from "./progress.ts";
import { Variables } from "./variables.ts";

/** Runs a definition whose children all succeed with what `toResult` says; the entries of its journal. */
async function run(
	text: string,
	toResult: (task: string, count: number) => JsonObject,
	{ parameters = {}, expressions = createTestExpressions() }: { parameters?: JsonObject; expressions?: Expressions } = {},
) {
	const results = new Map<string, JsonObject>();
	const loads: string[] = [];
	const tools = {
		expressions,
		executionId: "e",
		workflowExecutionId: "e",
		result: async (id: string) => {
			loads.push(id);
			return results.get(id) ?? null;
		},
	};
	const conductor = new Conductor(readDefinition(text), tools);
	const entries: string[] = [];
	let step = await conductor.handle([{ type: "begin", parameters, system: {} }], 1);
	const names = new Map<string, string>();
	for (let count = 0; ; ) {
		for (const { key, context } of step.start) names.set(key, nameOf(context ?? {}));
		if (step.entry !== undefined) entries.push(JSON.stringify(step.entry));
		if (step.end !== undefined) return { end: step.end, entries, results, loads, tools, progress: conductor.progress() };
		const [key] = conductor.openChildKeys();
		if (key === undefined) {
			step = await conductor.handle([{ type: "wake" }], conductor.nextWake() ?? 1);
			continue;
		}
		const id = String(count++).padStart(24, "0");
		const name = names.get(key) ?? "";
		results.set(id, toResult(name, count));
		step = await conductor.handle([{ type: "child", key, id, status: "succeeded" }], 1);
	}
}

const nameOf = (context: JsonObject) => String((context["workflow"] as JsonObject)["task_name"]);
const sequence = (names: readonly string[], publish: (at: number) => string) =>
	names
		.map(
			(name, at) =>
				`  ${name}:\n    action: core.noop\n    next:\n      - publish: ${publish(at)}\n        do: ${names[at + 1] ?? "noop"}\n`,
		)
		.join("");
const chain = (count: number) => Array.from({ length: count }, (_, at) => `t${String(at).padStart(4, "0")}`);

test("what tasks pass on of a large result is written nowhere", async () => {
	const big = { rows: Array.from({ length: 4_000 }, (_, at) => ({ at, text: `row ${at}` })), text: "x".repeat(100_000) };
	for (const language of [(what: string) => `<% ${what} %>`, (what: string) => `"{{ ${what} }}"`]) {
		const publish = (at: number) =>
			at === 0
				? `\n          - v0: ${language("result().rows")}\n          - w0: ${language("result().text")}`
				: `\n          - v${at}: ${language(`ctx().v${at - 1}`)}\n          - w${at}: ${language(`ctx().w${at - 1}`)}`;
		const text = `tasks:\n${sequence(chain(10), publish)}output:\n  - v: ${language("ctx().v9")}\n  - w: ${language("ctx().w9")}\n`;
		const { end, entries } = await run(text, (_, count) => (count === 1 ? big : {}));
		assert.equal(end.status, "succeeded", JSON.stringify(end).slice(0, 500));
		assert.deepEqual(end.result.output, { v: big.rows, w: big.text });
		const bytes = entries.join("").length;
		assert.ok(bytes < 20_000, `${bytes} bytes`);
	}
});

test("a large value that no child has given is written once", async () => {
	const text = `input:\n  - rows\ntasks:\n${sequence(chain(10), (at) => `\n          - v${at}: ${at === 0 ? "<% ctx().rows %>" : `<% ctx().v${at - 1} %>`}`)}output:\n  - v: <% ctx().v9 %>\n`;
	const rows = Array.from({ length: 10_000 }, (_, at) => ({ at }));
	const { end, entries, progress } = await run(text, () => ({}), { parameters: { rows } });
	assert.deepEqual(end.result.output, { v: rows });
	const bytes = entries.join("").length;
	assert.ok(bytes < JSON.stringify(rows).length + 20_000, `${bytes} bytes`);
	assert.deepEqual(await readProgress(entries.map((entry) => JSON.parse(entry))), progress);
	assert.deepEqual(progress.variables["v9"], rows);
});

test("the journal of a sequence grows with its length, whatever is known by then", async () => {
	const sizes: number[] = [];
	for (const length of [50, 500]) {
		const text = `tasks:\n${sequence(chain(length), (at) => `\n          - v${at}: <% result().text %>`)}`;
		const { end, entries } = await run(text, () => ({ text: "x".repeat(2000) }));
		assert.equal(end.status, "succeeded");
		sizes.push(entries.slice(1).join("").length / length);
	}
	assert.ok((sizes[1] ?? 0) < (sizes[0] ?? 0) * 1.2, sizes.join(" and "));
});

test("results are read when something asks for them, and kept", async () => {
	const text =
		"tasks:\n  a:\n    action: core.noop\n    next:\n      - when: <% succeeded() %>\n        do: b\n  b:\n    action: core.noop\n    next:\n      - when: <% succeeded() and result().x = 1 %>\n        publish:\n          - y: <% result().x %>\n          - z: <% task(b).status %>\n        do: noop\n";
	const { loads, end } = await run(text, () => ({ x: 1 }));
	assert.deepEqual([end.status, loads], ["succeeded", [`${"0".repeat(23)}1`]]);
});

test("values come out of the journal as they have gone in", async () => {
	const results: Readonly<Record<string, JsonObject>> = {
		r: { list: [{ a: "x".repeat(900) }, 1], $: { n: 5 } } as JsonObject,
	};
	const held = new JournalValues();
	const result = results["r"] ?? {};
	held.addResult("r", result);
	const long = { text: "y".repeat(1000) };
	const values = [
		1,
		null,
		"a",
		"z".repeat(300),
		[],
		{},
		{ $: 1 },
		{ $: { n: 0 } },
		{ $: [1] },
		result,
		result["list"] ?? null,
		{ part: result["list"] ?? null, own: long },
		long,
		[long, long],
		JSON.parse('{"__proto__":{"a":1},"$":{"o":1}}'),
	];
	const facts = values.map((value) => held.encode(value));
	const again = new JournalValues();
	for (const fact of JSON.parse(JSON.stringify(facts))) again.readFact(fact);
	for (const values2 of [held, again])
		assert.deepEqual(
			facts.map((fact) => values2.decode(fact, (id) => results[id])),
			values,
		);
	assert.ok(JSON.stringify(facts).length < 6000, String(JSON.stringify(facts).length));
});

test("a map that is changed leaves the one before as it was, and what is joined is what both have", () => {
	let map = new PersistentMap<number>();
	const names = Array.from({ length: 2000 }, (_, at) => `name ${at}`);
	const halves = [new PersistentMap<number>(), new PersistentMap<number>()];
	for (const [at, name] of names.entries()) {
		const before = map;
		map = map.set(name, at);
		assert.equal(before.get(name), undefined);
		halves[at % 2] = (halves[at % 2] ?? map).set(name, at);
	}
	const [even = map, odd = map] = halves;
	const joined = even.set("name 1", -1).join(odd, (own, others) => own * 1000 + others);
	assert.equal(joined.get("name 1"), -999);
	for (const [at, name] of names.entries()) if (at !== 1) assert.equal(joined.get(name), at);
	assert.equal([...map.entries()].length, names.length);
});

test("a branch that has not written a variable does not bring back what it was", () => {
	const start = Variables.empty.publish(0, { x: 0, y: 0 });
	const left = start.publish(1, { x: 1 }).publish(2, { x: 2 });
	const right = start.publish(3, { y: 3 });
	const both = start.publish(4, { x: 4 });
	const read = (variables: Variables) => [variables.get("x")?.held, variables.get("y")?.held];
	assert.deepEqual(read(left.join(right)), [2, 3]);
	assert.deepEqual(read(right.join(left)), [2, 3]);
	assert.deepEqual(read(left.join(both)), [4, 0]);
	assert.deepEqual(read(both.join(left).join(right).join(left)), [2, 3]);
});

test.run();
