import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { FoundExpression, JsonValue } from "../../contract/index.ts";
import { createExpressions } from "./expressions.ts";

const expressions = createExpressions();
const find = (value: JsonValue) => expressions.find(value);
const only = (text: string): FoundExpression => {
	const found = find(text);
	assert.equal(found.length, 1, text);
	return found[0] as FoundExpression;
};

test("expressions are found anywhere, in the order of the text", () => {
	const value = {
		a: ["<% 1 %> and <% ctx(x) %>", 5, null, true, "plain <% \n %>"],
		"{{ ctx('key') }}": { deep: "{{ ctx().y }}" },
		last: "{% if ctx().z %}\n{{ result() }}{% endif %}",
	};
	assert.deepEqual(
		find(value).map(({ language, expression }) => [language, expression]),
		[
			["yaql", "<% 1 %>"],
			["yaql", "<% ctx(x) %>"],
			["jinja", "{{ ctx('key') }}"],
			["jinja", "{{ ctx().y }}"],
			["jinja", "{% if ctx().z %}\n{{ result() }}{% endif %}"],
		],
	);
	assert.deepEqual(find("plain"), []);
	assert.deepEqual(find(5), []);
});

const variables: readonly (readonly [string, readonly string[]])[] = [
	["<% ctx(x) %>", ["x"]],
	["<% ctx('x y') %>", ["x y"]],
	["<% ctx().x.y %>", ["x"]],
	["<% ctx()?.x %>", ["x"]],
	["<% ctx()['a.b'] %>", ["a.b"]],
	["<% ctx()[a] %>", ["a"]],
	["<% ctx()[a, 5] %>", []],
	["<% ctx().get(x, 5) %>", []],
	["<% ctx().get(x) %>", []],
	["<% ctx() %>", []],
	["<% ctx(ctx(a)) %>", ["a"]],
	["<% ctx(b) + ctx(a) + ctx(b) %>", ["b", "a"]],
	["<% ctx(list).where($.x = ctx().y).select({k => ctx(z)}) %>", ["list", "y", "z"]],
	["<% switch(ctx(a) => ctx(b), true => [ctx(c)]) %>", ["a", "b", "c"]],
	["<% let(v => ctx(a)) -> not $v and -ctx(b) > 1 %>", ["a", "b"]],
	["<% ctx(key => x) %>", ["x"]],
	["{{ ctx('x') }}", ["x"]],
	['{{ ctx("x").y }}', ["x"]],
	["{{ ctx().x.y }}", ["x"]],
	["{{ ctx()['a.b'] }}", ["a.b"]],
	["{{ ctx().get('x', 5) }}", []],
	["{{ ctx().x | default(5) }}", []],
	["{{ ctx().x | d(ctx().y) }}", ["y"]],
	["{{ ctx().x is defined }}", []],
	["{{ ctx().x is not defined and ctx().y }}", ["y"]],
	["{{ ctx('x') | default(5) }}", ["x"]],
	["{{ ctx().x.y | default(5) }}", ["x"]],
	["{{ ctx(x) }}", []],
	["{{ [ctx().a, {'k': ctx('b')}] | map('upper', ctx().c) }}", ["a", "b", "c"]],
	["{% for i in ctx().a if i > ctx().b %}{{ ctx().c }}{% endfor %}", ["a", "b", "c"]],
	["{% set y = ctx().a %}{{ y }}", ["a"]],
];

test("variables are those that are surely read, each once", () => {
	for (const [text, expected] of variables) assert.deepEqual(only(text).variables, expected, text);
});

test("functions are those that are called by name", () => {
	for (const [text, expected] of [
		["<% ctx(x).select(len($)).sum() %>", ["ctx", "len"]],
		["<% task_status(a) = succeeded %>", ["task_status"]],
		["<% succeeded() and result().x %>", ["succeeded", "result"]],
		["{{ succeeded() and result().x.upper() }}", ["succeeded", "result"]],
		["{{ range(3) | list }}", []],
		["{{ item('x') | json }}", ["item"]],
	] as const) {
		assert.deepEqual(only(text).functions, expected, text);
	}
});

test("what is no expression by its grammar says why", () => {
	for (const [text, problem] of [
		["<% 1 + %>", "Parse error: unexpected end of statement"],
		["<% <% x %>", "Lexical error: illegal character '%' at position 1"],
		["<% ctx(__x) %>", "Lexical error: illegal character '_' at position 4"],
		["<% 1e3 %>", "Lexical error: illegal character '1' at position 0"],
		["<%%>", "Parse error: unexpected end of statement"],
		["{{ 1 + }}", "the expression ends too early (line 1)"],
		["{{ }}", "the expression ends too early (line 1)"],
		["{% if x %}", '"endif" is missing (line 1)'],
		["{% nonsense %}", 'unknown statement "nonsense" (line 1)'],
		["<% x %> {{ y }}", "Expression with multiple types is not supported."],
	] as const) {
		assert.equal(only(text).problem, problem, text);
	}
	assert.equal("problem" in only("<% ctx(x) %>"), false);
	assert.equal("problem" in only("<% unknown() %>"), false);
});

test("of a text in both languages there is one use; with Jinja alone the other is plain text", () => {
	const both = "<% ctx(x) %> {{ ctx('y') }}";
	assert.deepEqual(find(both), [
		{ language: "jinja", expression: both, problem: "Expression with multiple types is not supported.", variables: [], functions: [] },
	]);
	assert.deepEqual(
		expressions.find([both, "<% 1 %>"], "jinja").map(({ expression }) => expression),
		["{{ ctx('y') }}"],
	);
});

test("what is called and does not exist is named, with what is probably meant", () => {
	const functions = ["succeeded", "result"];
	for (const [text, unknown] of [
		["<% suceeded() %>", ['unknown function "suceeded"; did you mean "succeeded"?']],
		["{{ suceeded() }}", ['unknown function "suceeded"; did you mean "succeeded"?']],
		["<% ctx(x).toUper() %>", ['unknown method "toUper"; did you mean "toUpper"?']],
		["<% ctx(x).len() + len($) + nothing($.unheard()) %>", ['unknown function "nothing"', 'unknown method "unheard"']],
		["{{ ctx('x') | uper }}", ['unknown filter "uper"; did you mean "upper"?']],
		[
			"{% for x in ctx('y') if x is evenn %}{{ x.uper() }}{% endfor %}",
			['unknown test "evenn"; did you mean "even"?', 'unknown method "uper"; did you mean "upper"?'],
		],
	] as const)
		assert.deepEqual(expressions.find(text, undefined, functions)[0]?.unknown, unknown, text);
});

test("functions of the language, of the place and of dialects, and what exists under another kind of name, are known", () => {
	const named = createExpressions({ names: { otherkv: "svckv" } });
	for (const text of [
		"<% ctx(x).select(len($)).sum() + json_dump(result()) %>",
		"<% succeeded() and otherkv('a') = svckv('b') %>",
		"<% let(v => dict(a => 1)) -> $v.get(a, datetime('2020-01-01')) %>",
		"{{ result() | json | default(1) | d(2) | to_json_string }}",
		"{{ range(3) | list is iterable and namespace(a=1) and otherkv('a').upper().split() }}",
	])
		assert.deepEqual(named.find(text, undefined, ["succeeded", "result"])[0]?.unknown, [], text);
	assert.equal("unknown" in only("<% nothing() %>"), false);
});

test.run();
