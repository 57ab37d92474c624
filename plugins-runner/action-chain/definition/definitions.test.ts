import * as assert from "node:assert/strict";
import { test } from "uvu";
import { type ActionSignature, isSvcError, type JsonObject } from "../../../core/contract/index.ts";
import { ChainFiles, chainExpressions, createChainContext, createRunner, untilChild } from "../chain.test-support.ts";
import { chainDefinitions } from "../index.ts";
import { readChain } from "./read-chain.ts";

const files = new ChainFiles();
test.after(() => files.remove());

const node = (more = "") => `chain:\n  - name: a\n    ref: t.a\n${more}`;

const refused: readonly (readonly [string, RegExp])[] = [
	["[]", /must be an object/],
	["chain: [", /^line 1: /],
	["chain: []", /^Failed to find default node in tests\.chain\.$/],
	["vars: {}", /chain: required, a list of nodes/],
	["chain: {}", /^line 1, chain: chain: required, a list of nodes/],
	[node("    on-success: b"), /^Unable to find node with name "b" referenced in "on-success" in task "a"\.$/],
	[node("    on-failure: b"), /^Unable to find node with name "b" referenced in "on-failure" in task "a"\.$/],
	[node("default: b"), /^Unable to find node with name "b" referenced in "default"\.$/],
	[node("other: 1"), /^line 4, other: the key "other" is unknown/],
	[node("    params: {}\n    parameters: {}"), /^line 4, chain\[0\]\.params: give either parameters or params/],
	[node("    publish: {a-b: 1}"), /"a-b" is not a valid name/],
	[node("vars: {a-b: 1}"), /"a-b" is not a valid name/],
	[node("vars: []"), /vars: must be an object/],
	[node("    notify: all"), /notify: must be an object/],
	[node("    on-success: [b]"), /on-success: must be the name of a node/],
	["chain:\n  - name: a", /^line 2, chain\[0\]: ref: required, a non-empty string/],
	["chain:\n  - {ref: t.a}", /name: required, a non-empty string/],
	["chain: [a]", /a node must be an object/],
	[`chain: [{name: ${"a".repeat(201)}, ref: t.a}]`, /at most 200 characters/],
	[node("    parameters: {{ x }}"), /put a value that begins with a brace in quotes/],
	[`x: ${"[".repeat(20_000)}`, /^line 1: objects and lists are nested more than 64 levels deep/],
	[`x: ${"[".repeat(100)}${"]".repeat(100)}`, /^line 1: objects and lists are nested more than 64/],
	["", /the document is empty|must be an object/],
	["vars: {}\n---\nvars: {}", /^line \d: .*document/],
	[node("    ref: t.b"), /^line 4: "ref" stands here twice/],
	[`chain: [{name: a, ref: t.a}] # ${"x".repeat(500_000)}`, /at most 500000 characters/],
	["a: &a [x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]", /cannot be read/],
];

for (const [text, message] of refused) {
	test(`a chain is refused that is ${JSON.stringify(text.slice(0, 60))}`, () => {
		assert.throws(
			() => readChain(text, "tests.chain"),
			(error) => isSvcError(error, "SVC_INVALID") && message.test(error.message),
		);
	});
}

test("a chain may be JSON, and its nodes may have what nobody knows", () => {
	const { nodes, start } = readChain(
		'{"chain":\t[{"name": "a", "ref": "t.a", "on-success": "", "__proto__": {"x": 1}, "description": "first"}]}',
	);
	assert.equal(start, "a");
	assert.equal(nodes[0]?.onSuccess, null);
	assert.deepEqual(Object.keys(nodes[0]?.parsed ?? {}), ["name", "ref", "on_success", "__proto__", "description"]);
});

const starts: readonly (readonly [string, string])[] = [
	["chain: [{name: a, ref: t.a, on-success: b}, {name: b, ref: t.b}]", "a"],
	["chain: [{name: b, ref: t.b}, {name: a, ref: t.a, on-failure: b}]", "a"],
	["chain: [{name: a, ref: t.a, on-success: b}, {name: b, ref: t.b, on-success: a}]", "a"],
	["chain: [{name: a, ref: t.a}, {name: b, ref: t.b}]", "a"],
	["default: b\nchain: [{name: a, ref: t.a}, {name: b, ref: t.b}]", "b"],
];

for (const [text, start] of starts) {
	test(`the chain ${text.replace("\n", " ")} begins with ${start}`, () => assert.equal(readChain(text).start, start));
}

const actions: Readonly<Record<string, Partial<ActionSignature>>> = {
	"t.a": { parameters: { must: { type: "string", required: true }, may: {}, fixed: { immutable: true, default: 1 } } },
	"t.off": { enabled: false },
};

async function findAction(ref: string): Promise<ActionSignature | undefined> {
	return actions[ref] && { ref, enabled: true, parameters: {}, ...actions[ref] };
}

test("inspection finds all that is wrong, with type, line and place", async () => {
	const text = `
vars:
  broken: "{{ x | }}"
chain:
  - name: a-b
    ref: t.a
    parameters: {other: 1, fixed: 2, may: ["{{ x | }}"]}
    on-success: "{{ next }}"
  - {name: c, ref: t.none, on-success: d}
  - {name: c, ref: nodot}
  - {name: e, ref: t.off}
`;
	const findings = await chainDefinitions.inspect(text, { expressions: chainExpressions, findAction });
	assert.deepEqual(
		findings.flatMap(({ missing_action }) => missing_action ?? []),
		["t.none"],
	);
	assert.deepEqual(
		findings.filter(({ type }) => type !== "expression").map(({ type, spec_path, line, message }) => [type, spec_path, line, message]),
		[
			["content", "chain[0].ref", 6, 'Action "t.a" is missing required input "must".'],
			["content", "chain[0].parameters.other", 7, 'Action "t.a" has unexpected input "other".'],
			["content", "chain[0].parameters.fixed", 7, 'Action "t.a" does not allow to set "fixed".'],
			["content", "chain[1].ref", 9, 'The action "t.none" is not registered in the database.'],
			["content", "chain[2].ref", 10, 'The action reference "nodot" is not formatted correctly.'],
			["content", "chain[3].ref", 11, 'The action "t.off" is disabled.'],
			["semantic", "chain[1].on-success", 9, 'Unable to find node with name "d" referenced in "on-success" in task "c".'],
			["warning", "chain[0].name", 5, 'templates cannot use the result of "a-b": its name must consist of letters, digits and underscores'],
			["warning", "chain[0].on-success", 8, 'Unable to find node with name "{{ next }}" referenced in "on-success" in task "a-b".'],
			["warning", "chain[2].name", 10, 'another node has the name "c", so this node never runs'],
		],
	);
	assert.deepEqual(
		findings.filter(({ type }) => type === "expression").map(({ spec_path, line, language }) => [spec_path, line, language]),
		[
			["vars.broken", 3, "jinja"],
			["chain[0].parameters.may", 7, "jinja"],
		],
	);
	const [call] = await chainDefinitions.inspect("chain: [{name: a, ref: t.x, publish: {b: '{{ a | uper }}'}}]", {
		expressions: chainExpressions,
	});
	assert.equal(call?.message, 'unknown filter "uper"; did you mean "upper"?');
	const [finding] = await chainDefinitions.inspect("chain: [", { expressions: chainExpressions });
	assert.deepEqual([finding?.type, finding?.line, finding?.spec_path], ["syntax", 1, null]);
	const many = await chainDefinitions.inspect(Array.from({ length: 50_000 }, (_, number) => `k${number}:`).join("\n"), {
		expressions: chainExpressions,
	});
	assert.equal(many.length, 1_000);
	assert.deepEqual(await chainDefinitions.inspect("chain: [{name: a, ref: t.x}]", { expressions: chainExpressions }), []);
});

test("the graph has the nodes that can run, and what leads where", async () => {
	const graph = await chainDefinitions.graph(`
chain:
  - {name: a, ref: t.a, on-success: b, on-failure: c}
  - {name: b, ref: t.b, on-success: "{{ x }}"}
  - {name: c, ref: t.c, on-success: a}
  - {name: c, ref: t.never}
default: b
`);
	assert.deepEqual(
		graph.nodes.map(({ id, kind, action, is_start }) => [id, kind, action, is_start]),
		[
			["a", "task", "t.a", false],
			["b", "task", "t.b", true],
			["c", "task", "t.c", false],
		],
	);
	assert.deepEqual(graph.edges, [
		{ from: "a", to: "b", transition: 0, when: "on-success" },
		{ from: "a", to: "c", transition: 1, when: "on-failure" },
		{ from: "c", to: "a", transition: 0, when: "on-success" },
	]);
});

test("the journal tells how far a chain has come", async () => {
	const text = 'vars: {x: "1"}\nchain:\n  - {name: a, ref: t.a, on-success: b, publish: {y: "2"}}\n  - {name: b, ref: t.b}\n';
	const context = createChainContext(files.write(text), { script: { b: { status: "running" } } });
	const run = createRunner().run(context);
	await untilChild(context, { key: "b.2" });
	assert.deepEqual(await chainDefinitions.progress([]), { definition: null, tasks: [], variables: {}, errors: [] });
	const progress = await chainDefinitions.progress(context.entries);
	assert.equal(progress.definition, text);
	assert.deepEqual(progress.variables, { x: "1", y: "2" });
	assert.deepEqual(progress.errors, []);
	assert.deepEqual(
		progress.tasks.map(({ name, status, action, execution_ids, next }) => ({ name, status, action, execution_ids, next })),
		[
			{
				name: "a",
				status: "succeeded",
				action: "t.a",
				execution_ids: [context.children.started[0]?.id],
				next: [{ to: "b", transition: 0 }],
			},
			{ name: "b", status: "running", action: "t.b", execution_ids: [context.children.started[1]?.id], next: [] },
		],
	);
	for (const { id } of progress.tasks) assert.match(id, /^[0-9a-f]{24}$/);
	context.abort("cancel");
	await run;
	const refusal = { type: "refused", name: "b", id: "0".repeat(24), at: "2026-01-01T00:00:00.000000Z", message: "no" } satisfies JsonObject;
	const { errors } = await chainDefinitions.progress([...context.entries.slice(0, -1), refusal]);
	assert.deepEqual(errors, [{ type: "error", task_id: "0".repeat(24), message: "no" }]);
});

test.run();
