import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { DefinitionFinding } from "../../../core/contract/index.ts";
import { workflowDefinitions } from "../index.ts";
import { inspect, tools } from "./inspection.test-support.ts";
import { readDefinition } from "./read-definition.ts";

type Finding = Pick<DefinitionFinding, "type" | "message" | "spec_path" | "schema_path" | "line">;
type Row = readonly [
	text: string,
	...findings: (readonly [message: string, specPath: string | null, schemaPath: string | null, line: number | null])[],
];

const task = "properties.tasks.patternProperties.^\\w+$";
const transition = `${task}.properties.next.items`;

const misread = (name: string, kind: string) => `The key ${name} means ${kind} in YAML; put a key that is a string in quotes: "${name}".`;

/** Each text has these findings of one type, and none of any other. */
async function assertFindings(type: Finding["type"], rows: readonly Row[]): Promise<void> {
	for (const [text, ...expected] of rows) {
		const found = (await inspect(text)).map(({ type, message, spec_path, schema_path, line }) => ({
			type,
			message,
			spec_path,
			schema_path,
			line,
		}));
		const findings = expected.map(([message, spec_path, schema_path, line]) => ({ type, message, spec_path, schema_path, line }));
		assert.deepEqual(found, findings, text);
	}
}

/** A definition whose task `t` has this line. */
const withTask = (line: string) => `tasks:\n  lead:\n    next: [{ do: t }]\n  t:\n    action: core.noop\n    ${line}\n`;

test("a definition without mistakes has no findings", async () => {
	assert.deepEqual(await inspect(withTask("delay: 1")), []);
	assert.deepEqual(await inspect("version: '1.0'\ntasks: {a: {}}"), []);
	assert.deepEqual(await inspect("version: 1.0\ntasks: {a: {}}"), []);
});

test("what is wrong with the notation is told with its line", async () => {
	const row = (text: string, message: string, line: number | null): Row => [text, [message, null, null, line]];
	await assertFindings("syntax", [
		row("", "The definition must be an object.", 1),
		row("- a", "The definition must be an object.", 1),
		row("just a text", "The definition must be an object.", 1),
		row("tasks:\n  a: {}\n---\ntasks: {}", "The text contains more than one document.", 3),
		row("tasks:\n  a: {}\n  a: {}", 'The key "a" occurs more than once in the same object.', 3),
		row("tasks:\n  a: {}\n  yes: {}", misread("yes", "the boolean true"), 3),
		row("tasks:\n  a: {}\n  Off: {}", misread("Off", "the boolean false"), 3),
		row("tasks:\n  a: {}\n  1: {}", misread("1", "the number 1"), 3),
		row("tasks:\n  a: {}\n  null: {}", misread("null", "null"), 3),
		row("tasks:\n  a: {}\nvars:\n  - x: .nan", "the number .nan cannot be represented in JSON.", 4),
		row("tasks:\n  a: {}\nvars:\n  - x: *b", 'The alias "b" has no anchor before it.', 4),
		row("tasks:\n  a: {}\nvars:\n  - x: &b [*b]", "An anchor contains an alias of itself.", 4),
		row("tasks:\n  a: {<<: 1}", 'The key "<<" merges objects: its value must be an object or a list of objects.', 2),
		row("tasks:\n  a: {}\n  ? [b]\n  : {}", "A key must be a string; put a key that begins with a brace or bracket in quotes.", 3),
		row("tasks:\n  a: !!python/name:os.system x", "Unresolved tag: tag:yaml.org,2002:python/name:os.system.", 2),
	]);
	const [braces] = await inspect("tasks: {a: {}}\nvars:\n  - x: {{ ctx('y') }}");
	assert.deepEqual([braces?.type, braces?.line], ["syntax", 3]);
});

test("a name that YAML 1.1 reads as something else is told besides what it leads to", async () => {
	const found = await inspect("tasks: {a: {}}\non: 1");
	assert.deepEqual(
		found.map(({ message }) => message),
		[misread("on", "the boolean true"), "Additional properties are not allowed ('on' was unexpected)"],
	);
});

test("values are those of YAML 1.1, dates and single letters stay texts, and objects may be merged", () => {
	const { tasks, vars } = readDefinition(
		"vars: [{a: on}, {b: y}, {c: 010}, {d: 2020-01-01}]\ntasks:\n  a: &a {delay: 1, timeout: 2}\n  b:\n    timeout: 3\n    <<: *a",
	);
	assert.deepEqual(
		vars.map(({ value }) => value),
		[true, "y", 8, "2020-01-01"],
	);
	assert.deepEqual(tasks.get("b")?.delay, { spec_path: "tasks.b.delay", line: 3, value: 1 });
	assert.equal(tasks.get("b")?.timeout?.value, 3);
});

test("what an object may not have, misses, or has of a wrong kind is told as validators of JSON schema do", async () => {
	await assertFindings("syntax", [
		["version: 1.0", ["'tasks' is a required property", null, "required", 1]],
		["tasks: {a: {}}\n\nfoo: 1", ["Additional properties are not allowed ('foo' was unexpected)", null, "additionalProperties", 3]],
		["version: 2.0\ntasks: {a: {}}", ["2.0 is not one of ['1.0', 1.0]", "version", "properties.version.enum", 1]],
		["version: '2'\ntasks: {a: {}}", ["'2' is not one of ['1.0', 1.0]", "version", "properties.version.enum", 1]],
		["name: ''\ntasks: {a: {}}", ["'' is too short", "name", "properties.name.minLength", 1]],
		["name: 1\ntasks: {a: {}}", ["1 is not of type 'string'", "name", "properties.name.type", 1]],
		["tags: [a, a]\ntasks: {a: {}}", ["['a', 'a'] has non-unique elements", "tags", "properties.tags.uniqueItems", 1]],
		["tags: []\ntasks: {a: {}}", ["[] is too short", "tags", "properties.tags.minItems", 1]],
		["tasks: {}", ["{} does not have enough properties", "tasks", "properties.tasks.minProperties", 1]],
		["tasks: [a]", ["['a'] is not of type 'object'", "tasks", "properties.tasks.type", 1]],
		["tasks: null", ["None is not of type 'object'", "tasks", "properties.tasks.type", 1]],
		["tasks:\n  a: null", ["None is not of type 'object'", "tasks.a", `${task}.type`, 2]],
		[
			"tasks:\n  a: {}\n  b-c: {}",
			["'b-c' does not match any of the regexes: '^\\w+$'", "tasks", "properties.tasks.additionalProperties", 3],
		],
		["vars: {a: 1}\ntasks: {a: {}}", ["{'a': 1} is not of type 'array'", "vars", "properties.vars.type", 1]],
		[
			"input:\n  - a\n  - 1\ntasks: {a: {}}",
			["1 is not valid under any of the given schemas", "input[1]", "properties.input.items.oneOf", 3],
		],
		[
			"input:\n  - {a: 1, b: 2}\ntasks: {a: {}}",
			["{'a': 1, 'b': 2} is not valid under any of the given schemas", "input[0]", "properties.input.items.oneOf", 2],
		],
		[
			"vars:\n  - {a: 1, b: 2}\ntasks: {a: {}}",
			["{'a': 1, 'b': 2} has too many properties", "vars[0]", "properties.vars.items.maxProperties", 2],
		],
		[
			"output:\n  - {a: {c: 1, d: 2}}\n  - {a: {d: 2, c: 1}}\ntasks: {a: {}}",
			["[{'a': {'c': 1, 'd': 2}}, {'a': {'d': 2, 'c': 1}}] has non-unique elements", "output", "properties.output.uniqueItems", 1],
		],
		["timeout: 0\ntasks: {a: {}}", ["0 is not valid under any of the given schemas", "timeout", "properties.timeout.oneOf", 1]],
	]);
});

test("what a task may not have is told", async () => {
	const wrong = (line: string, message: string, path: string, keyword: string): Row => {
		const parts = path.split(".").filter((part) => part !== "");
		const properties = parts.map((part) => `.properties.${part}`).join("");
		return [withTask(line), [message, ["tasks.t", ...parts].join("."), `${task}${properties}.${keyword}`, 6]];
	};
	const none = "is not valid under any of the given schemas";
	const itemsPattern = "'^\\s*(?:(?:\\w+(?:\\s*,\\s*\\w+)*)\\s+in\\s+)?(?:<%.*%>|\\{\\{.*\\}\\})\\s*$'";
	await assertFindings("syntax", [
		wrong("foo: 1", "Additional properties are not allowed ('foo' was unexpected)", "", "additionalProperties"),
		wrong("input: [{'cmd': x}]", `[{'cmd': 'x'}] ${none}`, "input", "oneOf"),
		wrong("input: {}", `{} ${none}`, "input", "oneOf"),
		wrong("join: some", `'some' ${none}`, "join", "oneOf"),
		wrong("join: true", `True ${none}`, "join", "oneOf"),
		wrong("join: -1", `-1 ${none}`, "join", "oneOf"),
		wrong("delay: -1", `-1 ${none}`, "delay", "oneOf"),
		wrong("delay: 1.5", `1.5 ${none}`, "delay", "oneOf"),
		wrong("delay: yes", `True ${none}`, "delay", "oneOf"),
		wrong("timeout: 0", `0 ${none}`, "timeout", "oneOf"),
		wrong("retry: {}", "'count' is a required property", "retry", "required"),
		wrong("retry: {count: -1}", `-1 ${none}`, "retry.count", "oneOf"),
		wrong("retry: {count: 1, when: 1}", "1 is not of type 'string'", "retry.when", "type"),
		wrong("retry: {count: 1, foo: 1}", "Additional properties are not allowed ('foo' was unexpected)", "retry", "additionalProperties"),
		wrong("with: {items: some words}", `'some words' does not match ${itemsPattern}`, "with.items", "pattern"),
		wrong("with: some words", `'some words' does not match ${itemsPattern}`, "with.items", "pattern"),
		wrong(
			"with: {items: '<% [1] %>', foo: 1}",
			"Additional properties are not allowed ('foo' was unexpected)",
			"with",
			"additionalProperties",
		),
		wrong("with: {items: '<% [1] %>', continue_on_failure: 1}", "1 is not one of [True, False]", "with.continue_on_failure", "enum"),
		wrong("with: {concurrency: 1}", "'items' is a required property", "with", "required"),
		wrong("with: 1", "1 is not of type 'object'", "with", "type"),
		wrong("next: {}", "{} is not of type 'array'", "next", "type"),
	]);
	await assertFindings("syntax", [
		[withTask("next: [a]"), ["'a' is not of type 'object'", "tasks.t.next[0]", `${transition}.type`, 6]],
		[withTask("next: [{}, {when: 1}]"), ["1 is not of type 'string'", "tasks.t.next[1].when", `${transition}.properties.when.type`, 6]],
		[withTask("next: [{publish: {a: 1}}]"), [`{'a': 1} ${none}`, "tasks.t.next[0].publish", `${transition}.properties.publish.oneOf`, 6]],
		[withTask("next: [{do: [noop, noop]}]"), [`['noop', 'noop'] ${none}`, "tasks.t.next[0].do", `${transition}.properties.do.oneOf`, 6]],
		[
			withTask("next: [{foo: it's}]"),
			["Additional properties are not allowed ('foo' was unexpected)", "tasks.t.next[0]", `${transition}.additionalProperties`, 6],
		],
	]);
});

test("what cannot be meant is told", async () => {
	await assertFindings("semantic", [
		["tasks:\n  noop: {}\n", ['The task name "noop" is reserved: it is a command of the engine.', "tasks.noop", task, 2]],
		["tasks:\n  retry: {}\n", ['The task name "retry" is reserved: it is a command of the engine.', "tasks.retry", task, 2]],
		[
			"tasks:\n  a:\n    next:\n      - do: [zz, noop]",
			['The task "zz" is not defined.', "tasks.a.next[0].do", `${transition}.properties.do`, 4],
		],
		["tasks:\n  a:\n    with: <% [1] %>", ["The action property is required for with items task.", "tasks.a", task, 2]],
		[
			"tasks:\n  a: {next: [{do: 'b, c'}]}\n  b: {next: [{do: d}]}\n  c: {next: [{do: d}, {do: e}]}\n  d: {next: [{do: e}]}\n  e: {join: all}",
			[
				'The join task "e" is unreachable. The routes to it were split differently, so it is ambiguous which of them belong together.',
				"tasks.e",
				task,
				6,
			],
		],
	]);
	const [start, ...warnings] = await inspect("tasks:\n  a: {next: [{do: b}]}\n  b: {next: [{do: a}]}");
	assert.deepEqual([start?.type, start?.spec_path, start?.schema_path, start?.line], ["semantic", "tasks", "properties.tasks", 1]);
	assert.deepEqual(
		warnings.map(({ type, spec_path }) => [type, spec_path]),
		[
			["warning", "tasks.a"],
			["warning", "tasks.b"],
		],
	);
});

test("a join that all ways reach through the same splits is none", async () => {
	const splits = "tasks:\n  a: {next: [{do: 'b, c'}]}\n  b: {next: [{do: d}]}\n  c: {next: [{do: d}]}\n";
	assert.deepEqual(
		await inspect(`${splits}  d: {next: [{do: 'e, f'}]}\n  e: {next: [{do: g}]}\n  f: {next: [{do: g}]}\n  g: {join: all}`),
		[],
	);
});

test("expressions that cannot be read are told, with themselves", async () => {
	const text = "vars:\n  - a: 1\n  - b:\n      c: '<% <% a %>'\n      d: '<% ctx(a) %> {{ ctx(a) }}'\ntasks: {a: {}}";
	const place = { type: "expression", spec_path: "vars[1]", schema_path: "properties.vars" };
	assert.deepEqual(await inspect(text), [
		{
			...place,
			message: "Expression with multiple types is not supported.",
			line: 5,
			language: "jinja",
			expression: "<% ctx(a) %> {{ ctx(a) }}",
		},
		{ ...place, message: "Lexical error: illegal character '%' at position 1", line: 4, language: "yaql", expression: "<% <% a %>" },
	]);
	assert.deepEqual(await inspect("tasks: {a: {action: 'core.echo message=<% result() %> times={{ result() }}'}}"), []);
});

test("calls of functions, methods, filters and tests that do not exist are told, wherever they stand", async () => {
	const text = `version: 1.0
vars:
  - a: <% 'x'.toUper() %>
  - b: "{{ 'x' | uper }}"
tasks:
  t:
    action: core.noop
    next:
      - when: <% suceeded() and task(t) and task_status(t) %>
        publish: c=<% results() %>
output:
  - d: <% ctx(b).toUpper() %>
`;
	const findings = await workflowDefinitions.inspect(text, tools);
	assert.deepEqual(
		findings.map(({ type, message, line, spec_path }) => [type, message, line, spec_path]),
		[
			["expression", 'unknown function "results"; did you mean "result"?', 10, "tasks.t.next[0].publish"],
			["expression", 'unknown function "suceeded"; did you mean "succeeded"?', 9, "tasks.t.next[0].when"],
			["expression", 'unknown method "toUper"; did you mean "toUpper"?', 3, "vars[0]"],
			["expression", 'unknown filter "uper"; did you mean "upper"?', 4, "vars[1]"],
		],
	);
	// A run goes as far as it gets.
	assert.deepEqual(await inspect(text), []);
});

test("a value of a shorthand that is cut at an inner quote is told", async () => {
	const text = String.raw`tasks:
  t:
    action: core.echo message="a \"q\" b" times=2
    next:
      - publish: a="b" c='it's' d="<% ctx().a %>", e='"x"'
`.replaceAll("\\\\", "\\");
	assert.deepEqual(
		(await inspect(text)).filter(({ type }) => type === "warning").map(({ message, line }) => [/"(\w+)"/.exec(message)?.[1], line]),
		[
			["message", 3],
			["c", 5],
		],
	);
	assert.deepEqual(await inspect("tasks: {t: {action: 'core.echo message=\"a q b\" times=2'}}"), []);
});

test("expressions are found wherever they may stand", async () => {
	const rows: readonly [text: string, path: string][] = [
		[withTask('delay: "X"'), "tasks.t.delay"],
		[withTask('timeout: "X"'), "tasks.t.timeout"],
		[withTask('with: "i in X"'), "tasks.t.with.items"],
		[withTask("with: {items: '<% [] %>', concurrency: \"X\"}"), "tasks.t.with.concurrency"],
		[withTask('input: "X"'), "tasks.t.input"],
		['tasks: {t: {action: "X"}}', "tasks.t.action"],
		['tasks: {t: {action: "core.echo message=X"}}', "tasks.t.action"],
		['tasks: {t: {action: core.echo, input: {message: [{"X": 1}]}}}', "tasks.t.input"],
		[withTask('retry: {count: "X"}'), "tasks.t.retry.count"],
		[withTask('retry: {count: 1, delay: "X"}'), "tasks.t.retry.delay"],
		[withTask('retry: {count: 1, when: "X"}'), "tasks.t.retry.when"],
		[withTask('next: [{when: "X"}]'), "tasks.t.next[0].when"],
		[withTask('next: [{}, {publish: [{a: 1}, {b: "X"}]}]'), "tasks.t.next[1].publish[1]"],
		[withTask('next: [{publish: "a=X"}]'), "tasks.t.next[0].publish"],
		['input: [{a: "X"}]\ntasks: {a: {}}', "input[0]"],
		['vars: [{a: "X"}]\ntasks: {a: {}}', "vars[0]"],
		['output: [{a: "X"}]\ntasks: {a: {}}', "output[0]"],
		['timeout: "X"\ntasks: {a: {}}', "timeout"],
	];
	for (const [text, path] of rows) {
		for (const expression of ["<% ctx(unset) %>", "{{ ctx('unset') }}"]) {
			const found = await inspect(text.replace("X", expression));
			const expected = [[path, 'Variable "unset" is referenced before assignment.', expression]];
			assert.deepEqual(
				found.map((each) => [each.spec_path, each.message, each.expression]),
				expected,
				text,
			);
		}
	}
});

test.run();
