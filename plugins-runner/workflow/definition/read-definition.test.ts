import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError } from "../../../core/contract/index.ts";
import type { TaskDefinition } from "./definition.ts";
import { readDefinition } from "./read-definition.ts";
import { toGraph } from "./to-graph.ts";

/** The task `t` of a definition that has this line in it, with tasks `a` and `b` beside it. */
function readTask(line: string): TaskDefinition {
	const { tasks } = readDefinition(
		`tasks:\n  lead:\n    next: [{do: "t, a, b"}]\n  t:\n    action: core.noop\n    ${line}\n  a: {}\n  b: {}\n`,
	);
	const task = tasks.get("t");
	assert.ok(task);
	return task;
}

test("everything that a definition may have is read, with the places where it stands", () => {
	const definition = readDefinition(`version: 1.0
name: a name
tags: [one, two]
timeout: 60
input:
  - name
  - count: 3
vars:
  - x.y: <% ctx(name) %>
tasks:
  first:
    action: core.echo
    input:
      message: <% ctx(name) %>
    delay: 1
    timeout: <% ctx(count) %>
    retry: { when: <% failed() %>, count: 2, delay: 5 }
    next:
      - when: <% succeeded() %>
        publish:
          - said: <% result() %>
        do: [second]
  second:
    action: core.echo message="x"
    with:
      items: a, b in <% zip(ctx(x), ctx(y)) %>
      concurrency: 2
      continue_on_failure: true
    join: 1
output:
  - said: <% ctx(said) %>
`);
	assert.deepEqual(definition.input, [
		{ spec_path: "input[0]", line: 6, name: "name", default: undefined },
		{ spec_path: "input[1]", line: 7, name: "count", default: 3 },
	]);
	assert.deepEqual(definition.vars, [{ spec_path: "vars[0]", line: 9, name: "x.y", value: "<% ctx(name) %>" }]);
	assert.deepEqual(definition.output, [{ spec_path: "output[0]", line: 31, name: "said", value: "<% ctx(said) %>" }]);
	assert.deepEqual(definition.timeout, { spec_path: "timeout", line: 4, value: 60 });
	assert.deepEqual(definition.tasks.get("first"), {
		spec_path: "tasks.first",
		line: 11,
		name: "first",
		action: "core.echo",
		input: { message: "<% ctx(name) %>" },
		items: null,
		join: null,
		delay: { spec_path: "tasks.first.delay", line: 15, value: 1 },
		timeout: { spec_path: "tasks.first.timeout", line: 16, value: "<% ctx(count) %>" },
		retry: {
			spec_path: "tasks.first.retry",
			line: 17,
			when: "<% failed() %>",
			count: { spec_path: "tasks.first.retry.count", line: 17, value: 2 },
			delay: { spec_path: "tasks.first.retry.delay", line: 17, value: 5 },
		},
		next: [
			{
				spec_path: "tasks.first.next[0]",
				line: 19,
				index: 0,
				when: "<% succeeded() %>",
				publish: [{ spec_path: "tasks.first.next[0].publish[0]", line: 21, name: "said", value: "<% result() %>" }],
				targets: ["second"],
			},
		],
	});
	const { items, join, input } = definition.tasks.get("second") ?? {};
	const concurrency = { spec_path: "tasks.second.with.concurrency", line: 27, value: 2 };
	const place = { spec_path: "tasks.second.with", line: 25 };
	assert.deepEqual(items, { ...place, names: ["a", "b"], list: "<% zip(ctx(x), ctx(y)) %>", concurrency, continuesOnFailure: true });
	assert.deepEqual([join, input], [1, { message: "x" }]);
});

test("arguments that stand behind an action are its parameters", () => {
	const rows: readonly [string, string | null, unknown][] = [
		["action: core.local cmd=<% ctx(x) %> timeout=5", "core.local", { cmd: "<% ctx(x) %>", timeout: 5 }],
		[
			`action: core.a a="x y" b='it "is"' c=-1.5 d=.5 e=TRUE f=false g=null`,
			"core.a",
			{ a: "x y", b: 'it "is"', c: -1.5, d: 0.5, e: true, f: false, g: null },
		],
		[
			`action: core.a a="1" b="true" c='{"k": [1]}' d=[1, "]", [2]] e={{ x }}`,
			"core.a",
			{ a: "1", b: "true", c: { k: [1] }, d: [1, "]", [2]], e: "{{ x }}" },
		],
		["action: core.a a=1,b=2;c=3", "core.a", { a: 1, b: 2, c: 3 }],
		["action: core.a k.y=1 b=abc c=2", "core.a", { y: 1, c: 2 }],
		["action: core.a b=abc", "core.a b=abc", {}],
		["action: core.a a=[1, b=2", "core.a", { b: 2 }],
		["action: core.a __proto__=1", "core.a", JSON.parse('{"__proto__": 1}')],
		["action: <% ctx(x) %>", "<% ctx(x) %>", {}],
	];
	for (const [line, action, input] of rows) {
		const { tasks } = readDefinition(
			`tasks:\n  t:\n    ${line.replace(": ", ": >-\n      ")}\n    ${line.includes("=") ? "input: {replaced: 1}" : "delay: 0"}`,
		);
		const task = tasks.get("t");
		const expected = line === "action: core.a b=abc" ? { replaced: 1 } : input;
		assert.deepEqual([task?.action, task?.input], [action, expected], line);
	}
});

test("what is published may be a text with arguments", () => {
	const [transition] = readTask(`next: [{publish: 'a=1 b="x y", c=<% result() %>; d=word', do: a}]`).next;
	const place = { spec_path: "tasks.t.next[0].publish", line: 6 };
	const names = transition?.publish.map(({ name, value }) => [name, value]);
	assert.deepEqual(names, [
		["a", 1],
		["b", "x y"],
		["c", "<% result() %>"],
	]);
	assert.deepEqual({ ...transition?.publish[0] }, { ...place, name: "a", value: 1 });
});

test("items may be a text", () => {
	const rows: readonly [string, readonly string[], string][] = [
		["with: <% ctx(xs) %>", [], "<% ctx(xs) %>"],
		["with: ' {{ ctx().xs }} '", [], "{{ ctx().xs }}"],
		["with: i in <% ctx(xs) %>", ["i"], "<% ctx(xs) %>"],
		["with: a,b , c in <% zip(ctx(a), ctx(b)) %>", ["a", "b", "c"], "<% zip(ctx(a), ctx(b)) %>"],
		["with: <% 1 in ctx(xs) %>", [], "<% 1 in ctx(xs) %>"],
	];
	for (const [line, names, list] of rows) {
		const { items } = readTask(line);
		assert.deepEqual([items?.names, items?.list, items?.concurrency, items?.continuesOnFailure], [names, list, null, false], line);
		assert.deepEqual([items?.spec_path, items?.line], ["tasks.t.with", 6]);
	}
});

test("targets may be a text with commas, and are continue without any", () => {
	const rows: readonly [string, readonly string[]][] = [
		["next: [{do: 'a, b,noop'}]", ["a", "b", "noop"]],
		["next: [{do: [b, a]}]", ["b", "a"]],
		["next: [{do: a}]", ["a"]],
		["next: [{do: 'a, a'}]", ["a"]],
		["next: [{when: <% failed() %>}]", ["continue"]],
	];
	for (const [line, targets] of rows) assert.deepEqual(readTask(line).next[0]?.targets, targets, line);
});

test("the command retry is another way to write that a task is tried again", () => {
	const place = { spec_path: "tasks.t.next[1]", line: 6 };
	const retry = { ...place, count: { ...place, value: 3 }, delay: null };
	const plain = readTask("next: [{do: a}, {do: retry}]");
	assert.deepEqual([plain.retry, plain.next.length], [{ ...retry, when: "<% completed() %>" }, 1]);
	const conditional = readTask("next: [{do: a}, {when: <% failed() %>, do: 'b, retry'}]");
	assert.deepEqual([conditional.retry, conditional.next[1]?.targets], [{ ...retry, when: "<% failed() %>" }, ["b"]]);
});

test("the graph tells starts, edges with their numbers, sources and splits", () => {
	const { graph, tasks } = readDefinition(
		`tasks:
  z:
    next: [{do: [a, noop]}, {do: noop}, {do: "a, b"}]
  y:
    next: [{do: a}, {do: j}]
  a: {}
  b: { next: [{do: c}, {do: j}] }
  c: { next: [{do: d}] }
  d: { next: [{do: c}, {do: d}] }
  j: { join: all }
  lost: { next: [{do: lost}, {do: j}] }
`,
	);
	assert.deepEqual(graph.starts, ["y", "z"]);
	assert.deepEqual(
		graph.from.get("z")?.map(({ id, transition }) => [id, transition.index]),
		[
			["a__t0", 0],
			["noop__t0", 0],
			["noop__t1", 1],
			["a__t1", 2],
			["b__t0", 2],
		],
	);
	assert.deepEqual(graph.sources.get("j"), ["y", "b"]);
	assert.deepEqual([...graph.splits].sort(), ["a", "noop"]);
	assert.deepEqual([...tasks.keys()], ["z", "y", "a", "b", "c", "d", "j", "lost"]);
});

test("a graph for people has commands behind the tasks", () => {
	const definition = readDefinition(
		"tasks:\n  a: {action: core.noop, with: 'i in <% [1] %>', next: [{when: '<% failed() %>', publish: [{x: 1}, {y: 2}], do: [b, fail]}]}\n  b: {join: all}",
	);
	assert.deepEqual(toGraph(definition), {
		nodes: [
			{ id: "a", kind: "task", action: "core.noop", join: null, items: "i in <% [1] %>", is_start: true },
			{ id: "b", kind: "task", action: null, join: "all", items: null, is_start: false },
			{ id: "fail", kind: "command", action: null, join: null, items: null, is_start: false },
		],
		edges: [
			{ from: "a", to: "b", transition: 0, when: "<% failed() %>", publish: ["x", "y"] },
			{ from: "a", to: "fail", transition: 0, when: "<% failed() %>", publish: ["x", "y"] },
		],
	});
});

test("a definition with mistakes is refused, naming them and their lines", () => {
	assert.throws(
		() => readDefinition("tasks:\n  a: {next: [{do: zz}]}\nfoo: 1"),
		(error) => {
			assert.ok(isSvcError(error, "SVC_INVALID"));
			assert.equal(
				error.message,
				"the definition cannot be read: tasks.a.next[0].do, line 2: The task \"zz\" is not defined.; line 3: Additional properties are not allowed ('foo' was unexpected)",
			);
			assert.equal((error.facts["findings"] as unknown[]).length, 2);
			return true;
		},
	);
});

test.run();
