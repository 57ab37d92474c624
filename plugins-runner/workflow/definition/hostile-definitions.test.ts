// test-suite: full
import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { JsonObject, JsonValue } from "../../../core/contract/index.ts";
import { rounds } from "../../../core/testing/extent.test-support.ts";
import { inspect } from "./inspection.test-support.ts";
import { limits } from "./limits.ts";
import { readDefinition } from "./read-definition.ts";

const chain = (count: number) => Array.from({ length: count }, (_, index) => `  t${index}: {next: [{do: t${index + 1}}]}\n`).join("");

test("what is too large is refused by name", async () => {
	const laughs = [..."bcdefghij"].map((name, index) => `${name}: &${name} [${Array(9).fill(`*${"abcdefghij"[index]}`).join(",")}]`);
	const merged = `a: &a {${Array.from({ length: 5000 }, (_, index) => `k${index}: 1`).join(",")}}\nb:\n${"- <<: *a\n".repeat(1000)}`;
	const depth = `Objects and lists are nested more than ${limits.depth} levels deep.`;
	const repeated = `Including the contents of aliases, there are more than ${limits.values} values or ${limits.characters} characters.`;
	const rows: readonly [name: string, text: string, message: string][] = [
		["a megabyte", `tasks:\n${chain(50_000)}`, `The text has more than ${limits.size} bytes.`],
		["billions of laughs", `a: &a [x,x,x,x,x,x,x,x,x]\n${laughs.join("\n")}`, repeated],
		["a long text again and again", `a: &a ${"x".repeat(10_000)}\nb: [${"*a,".repeat(1000)}]`, repeated],
		["merged objects", merged, `More than ${limits.values} values are merged.`],
		["lists in lists", "[".repeat(200_000), depth],
		["objects in objects", "{a: ".repeat(100_000), depth],
		["lists in lists by dashes", "- ".repeat(200_000), depth],
		["names in names", "? ".repeat(200_000), depth],
		[
			"lists in lists by aliases",
			`a0: &a0 [[[[[[[[[[]]]]]]]]]]\n${Array.from({ length: 9 }, (_, index) => `a${index + 1}: &a${index + 1} [[[[[[[[[[*a${index}]]]]]]]]]]\n`).join("")}`,
			depth,
		],
		[
			"tasks",
			`tasks:\n${Array.from({ length: limits.tasks + 1 }, (_, index) => `  t${index}:\n`).join("")}`,
			`There are ${limits.tasks + 1} tasks; at most ${limits.tasks} are allowed.`,
		],
		[
			"targets",
			`tasks:\n  t0: {next: [&a {do: '${Array.from({ length: 600 }, (_, index) => `t${index}`)}'}${",*a".repeat(99)}]}`,
			"Transitions have 60000 targets; at most 50000 are allowed.",
		],
		["a name", `tasks: {${"a".repeat(limits.taskName + 1)}: {}}`, `The name of a task must have at most ${limits.taskName} characters.`],
	];
	for (const [name, text, message] of rows) {
		const [finding, ...others] = await inspect(text);
		assert.deepEqual([finding?.type, finding?.message, others], ["syntax", message, []], name);
	}
});

test("as many tasks as there may be are read, whatever leads where", async () => {
	const [last, some] = [limits.tasks - 1, 300];
	const definitions = [
		`tasks:\n${chain(last)}  t${last}: {}`,
		`tasks:\n  lead: {next: [{do: t0}]}\n${chain(some)}  t${some}: {next: [{do: t0}, {when: <% failed() %>, do: t5}]}`,
		`tasks:\n  t: {next: [{do: '${Array.from({ length: some }, (_, index) => `t${index}`)}'}]}\n${chain(some).replaceAll(/do: t\d+/g, "do: j")}  j: {join: all}`,
	];
	for (const text of definitions) assert.deepEqual(await inspect(text), []);
});

test("thousands of variables and findings are looked through", async () => {
	const variables = limits.findings + 100;
	const line = (index: number) =>
		`  t${index}: {delay: <% ctx(v${index}) + ctx(u${index}) %>, next: [{publish: [{v${index + 1}: 1}], do: t${index + 1}}]}\n`;
	const text = `vars: [{v0: 1}]\ntasks:\n${Array.from({ length: variables }, (_, index) => line(index)).join("")}  t${variables}: {}`;
	const findings = await inspect(text);
	assert.equal(findings.length, limits.findings + 1);
	assert.equal(findings.at(-1)?.message, `There are ${variables} findings; only the first ${limits.findings} are listed.`);
	assert.ok(findings.slice(0, -1).every(({ type, message }) => type === "context" && message.startsWith('Variable "u')));
});

test("messages quote the beginning of what is long", async () => {
	for (const text of [
		`tasks: {a: {join: ${"x".repeat(100_000)}}}`,
		`tasks: {a: {}}\n${"x".repeat(1000)}: 1`,
		`!${"x".repeat(100_000)} a`,
		`tasks: {a: {when: &a ${"x".repeat(9000)}}}`,
	])
		for (const { message } of await inspect(text)) assert.ok(message.length <= 501, message.slice(0, 100));
});

test("names that objects have of their own are names of tasks and of nothing else", async () => {
	const definition = readDefinition(
		"tasks:\n  __proto__: {next: [{do: constructor}]}\n  constructor: {action: core.noop, input: {__proto__: 1}}",
	);
	assert.deepEqual([...definition.tasks.keys()], ["__proto__", "constructor"]);
	assert.deepEqual(definition.graph.starts, ["__proto__"]);
	assert.ok(Object.hasOwn(definition.tasks.get("constructor")?.input as JsonObject, "__proto__"));
	const [finding] = await inspect("tasks: {a: {}}\n__proto__: {tasks: 1}");
	assert.equal(finding?.message, "Additional properties are not allowed ('__proto__' was unexpected)");
	const inherited = await inspect("__proto__: {tasks: {a: {}}}");
	assert.ok(inherited.some(({ message }) => message === "'tasks' is a required property"));
});

/** Of this many variations one is tried, other ones each day; 1 tries all of them, which takes half a minute. */
const step = rounds({ short: 20, full: 10 }, "DEFINITION_STEP");
const today = Math.floor(Date.now() / 86_400_000);
const isTried = (index: number) => (index + today) % step === 0;

/** Of every kind of value; texts are wrong, too, where there is neither an expression nor a word. */
const strange: readonly JsonValue[] = [null, true, 0, -1.5, "", "a b", [], [null], {}, { "": null }, { a: { b: {} } }];

const example: JsonObject = {
	version: "1.0",
	name: "n",
	tags: ["a"],
	timeout: 5,
	input: ["a", { b: 1 }],
	vars: [{ c: 1 }],
	tasks: {
		first: {
			action: "core.echo",
			input: { message: "x" },
			with: { items: "i in <% [1] %>", concurrency: 1, continue_on_failure: true },
			delay: 1,
			timeout: 1,
			retry: { when: "<% failed() %>", count: 1, delay: 1 },
			next: [{ when: "<% succeeded() %>", publish: [{ d: 1 }], do: ["second"] }],
		},
		second: { join: "all", with: "<% [1] %>", action: "core.noop", next: [{ publish: "e=1", do: "noop" }] },
	},
	output: [{ f: "<% ctx(d) %>" }],
};

/** The same with another value in each place, one after the other. */
function* replaceEach(value: JsonValue, replacement: JsonValue): Iterable<JsonValue> {
	yield replacement;
	if (typeof value !== "object" || value === null) return;
	for (const [name, member] of Object.entries(value))
		for (const changed of replaceEach(member as JsonValue, replacement)) {
			const entries = Object.entries(value).map(([each, old]) => [each, each === name ? changed : old]);
			yield Array.isArray(value) ? entries.map(([, each]) => each as JsonValue) : (Object.fromEntries(entries) as JsonObject);
		}
}

test("whatever stands anywhere, there are findings or there is a definition", async () => {
	assert.deepEqual(await inspect(JSON.stringify(example)), []);
	let [count, accepted, refused] = [0, 0, 0];
	for (const replacement of strange) {
		for (const changed of replaceEach(example, replacement)) {
			if (!isTried(count++)) continue;
			const text = JSON.stringify(changed);
			const findings = (await inspect(text)).filter(({ type }) => type === "syntax" || type === "semantic");
			if (findings.length === 0) readDefinition(text);
			else assert.throws(() => readDefinition(text), /the definition cannot be read/, text);
			if (findings.length === 0) accepted++;
			else refused++;
			for (const { message, spec_path } of findings)
				assert.ok(spec_path !== null || /required property|must be an object|unexpected/.test(message), `${message} in ${text}`);
		}
	}
	assert.ok(accepted > 50 / step && refused > 300 / step, `${accepted} accepted, ${refused} refused`);
});

test("a text with holes and doubled parts is read or refused, never anything else", async () => {
	const lines =
		`version: 1.0\ninput:\n  - a\ntasks:\n  t:\n    action: core.echo message=<% ctx(a) %>\n    with: x in <% [1] %>\n    next:\n      - when: <% succeeded() %>\n        publish: b=1\n        do: u, noop\n  u: &u {join: all}\noutput:\n  - b: *u`.split(
			"\n",
		);
	const text = lines.join("\n");
	const broken = [
		...lines.map((_, index) => lines.toSpliced(index, 1).join("\n")),
		...lines.map((line, index) => lines.toSpliced(index, 0, line).join("\n")),
		...Array.from(text, (_, index) => text.slice(0, index)),
		...Array.from(text, (_, index) => text.slice(0, index) + text.slice(index + 1)),
		...[..."'{]&*!|:\t"].flatMap((character) => Array.from(text, (_, index) => text.slice(0, index) + character + text.slice(index))),
	];
	for (const each of broken.filter((_, index) => isTried(index)))
		for (const { message } of await inspect(each)) assert.ok(message.length > 0);
});

test.run();
