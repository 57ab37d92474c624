import * as assert from "node:assert/strict";
import { test } from "uvu";
import { inspectDefinition } from "./inspect-definition.ts";
import { inspect, tools } from "./inspection.test-support.ts";

const task = "properties.tasks.patternProperties.^\\w+$";
const withAction = (lines: string) => `tasks:\n  t:\n    ${lines.replaceAll("\n", "\n    ")}`;

test("actions and their parameters are those that there are", async () => {
	const rows: readonly [lines: string, message: string, path: string, schemaPath: string, line: number][] = [
		["action: echo", 'The action reference "echo" is not formatted correctly.', "action", "action", 3],
		["action: core.echo message=word", 'The action reference "core.echo message=word" is not formatted correctly.', "action", "action", 3],
		["action: core.echoz", 'The action "core.echoz" is not registered in the database.', "action", "action", 3],
		["action: core.echo", 'Action "core.echo" is missing required input "message".', "input", "input", 2],
		["action: core.echo\ninput:\n  times: 1", 'Action "core.echo" is missing required input "message".', "input", "input", 4],
		["action: core.noop\ninput:\n  a: 1", 'Action "core.noop" has unexpected input "a".', "input.a", "input.patternProperties.^\\w+$", 5],
		["action: core.noop a=1", 'Action "core.noop" has unexpected input "a".', "input.a", "input.patternProperties.^\\w+$", 2],
		[
			"action: core.noop\ninput: {constructor: 1}",
			'Action "core.noop" has unexpected input "constructor".',
			"input.constructor",
			"input.patternProperties.^\\w+$",
			4,
		],
		[
			"action: core.fixed\ninput: {a: 1}",
			'Input "a" of action "core.fixed" is immutable and cannot be set.',
			"input.a",
			"input.patternProperties.^\\w+$",
			4,
		],
	];
	for (const [lines, message, path, schemaPath, line] of rows) {
		const schema_path = `${task}.properties.${schemaPath}`;
		const missing = lines === "action: core.echoz" ? { missing_action: "core.echoz" } : {};
		assert.deepEqual(
			await inspect(withAction(lines)),
			[{ type: "content", message, spec_path: `tasks.t.${path}`, schema_path, line, ...missing }],
			lines,
		);
	}
});

test("nothing is told of what only a run knows, nor without a way to look actions up", async () => {
	for (const lines of [
		"action: <% 'a.b' %>",
		"action: core.<% 'b' %>",
		"action: core.echo\ninput: <% {} %>",
		"action: core.echo\ninput: {<% 'message' %>: 1}",
		"action: core.echo message=<% 1 %>",
		"action: core.fixed",
	])
		assert.deepEqual(await inspect(withAction(lines)), [], lines);
	assert.deepEqual(await inspectDefinition(withAction("action: nothing"), { expressions: tools.expressions }), []);
});

test("an action is looked up once", async () => {
	const asked: string[] = [];
	const findAction = (ref: string) => {
		asked.push(ref);
		return tools.findAction(ref);
	};
	await inspectDefinition("tasks: {a: {action: core.noop}, b: {action: core.noop}, c: {action: core.none}, d: {action: core.none}}", {
		...tools,
		findAction,
	});
	assert.deepEqual(asked, ["core.noop", "core.none"]);
});

test("what runs and is perhaps not meant is a warning", async () => {
	const when = (text: string) => withAction(`next:\n  - when: ${text}`);
	const text = "because it is a string that contains more than one expression";
	const rows: readonly [text: string, message: string, path: string, line: number][] = [
		[when("succeeded()"), 'The condition "succeeded()" is always true, because it contains no expression.', "t.next[0].when", 4],
		[when('"false"'), 'The condition "false" is always true, because it contains no expression.', "t.next[0].when", 4],
		[when("<% true %>"), 'The condition "<% true %>" is always true, because its expression is.', "t.next[0].when", 4],
		[when("'{{ True }}'"), 'The condition "{{ True }}" is always true, because its expression is.', "t.next[0].when", 4],
		[when("'<% failed() %> '"), `The condition "<% failed() %> " is always true, ${text}.`, "t.next[0].when", 4],
		[when("<% failed() %> and <% true %>"), `The condition "<% failed() %> and <% true %>" is always true, ${text}.`, "t.next[0].when", 4],
		[
			withAction("retry:\n  count: 1\n  when: failed()"),
			'The condition "failed()" is always true, because it contains no expression.',
			"t.retry.when",
			5,
		],
		[withAction("action: core.off"), 'The action "core.off" is disabled.', "t.action", 3],
		[
			withAction("retry: {count: 1}\nnext: [{do: retry}]"),
			"The attribute retry has no effect: a transition leads to the command retry, which replaces it.",
			"t.retry",
			3,
		],
		["tasks:\n  a: {}\n  b: {next: [{do: b}]}", 'The task "b" is never reached: only tasks that follow it lead to it.', "b", 3],
	];
	for (const [definition, message, path, line] of rows) {
		const [found, ...others] = await inspect(definition);
		assert.deepEqual([found?.type, found?.message, found?.spec_path, found?.line], ["warning", message, `tasks.${path}`, line]);
		assert.deepEqual(others, []);
	}
	for (const fine of ["<% false %>", "<% succeeded() %>", "'{{ succeeded() }}'", "'{% if succeeded() %}1{% endif %}'"])
		assert.deepEqual(
			(await inspect(when(fine))).filter(({ message }) => !message.includes("no expression")),
			[],
			fine,
		);
});

test("findings of all kinds come at once, sorted by kind and place", async () => {
	const findings = await inspect(`vars: [{b: <% ctx(a) %>}]
tasks:
  noop: {action: core.none, delay: true}
  t: {delay: "<% <% %>", next: [{when: always, do: zz}]}
  a: {action: noref, with: some}`);
	assert.deepEqual(
		findings.map(({ type, spec_path }) => [type, spec_path]),
		[
			["content", "tasks.a.action"],
			["content", "tasks.noop.action"],
			["context", "vars[0]"],
			["expression", "tasks.t.delay"],
			["semantic", "tasks.noop"],
			["semantic", "tasks.t.next[0].do"],
			["syntax", "tasks.noop.delay"],
			["syntax", "tasks.a.with.items"],
			["warning", "tasks.t.next[0].when"],
		],
	);
});

test.run();
