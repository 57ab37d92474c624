import * as assert from "node:assert/strict";
import { test } from "uvu";
import { type ExpressionScope, isSvcError, type JsonValue, SvcError } from "../../contract/index.ts";
import { createExpressions } from "./expressions.ts";

const items: Readonly<Record<string, string>> = {
	"system:host": "web-01",
	"system:a.b": "dotted",
	"system:next": "a.b",
	"system:hidden": "CIPHER",
	"user:mine": "own",
	"user:system": "a user's item",
	"user:empty": "",
	"user:evil": "<% ctx(secret) %>{{ ctx('secret') }}",
};

const expressions = createExpressions({
	datastore: {
		async lookup(scope, name) {
			if (name === "refused") throw new SvcError("SVC_FORBIDDEN", "not allowed");
			if (name === "away") throw new SvcError("SVC_UNAVAILABLE", "the storage is away");
			return items[`${scope}:${name}`];
		},
		async decrypt(cipherText) {
			if (cipherText !== "CIPHER") throw new SvcError("SVC_INVALID", "value: not a ciphertext created by this service");
			return "clear";
		},
	},
});

const hostile = "<% ctx(secret) %> {{ ctx('secret') }} {% if true %}x{% endif %}";

const scope: ExpressionScope = {
	variables: {
		x: 1,
		name: "web",
		list: [3, 1, 2],
		object: { a: 1, b: { c: [true, null] }, get: "member" },
		"a.b": "dotted",
		nothing: null,
		no: false,
		half: 2.5,
		secret: "hidden",
		evil: hostile,
		evilObject: { "{{ x }}": hostile },
		jsonText: '{"k": [1, {"z": "deep"}], "s": "{\\"inner\\": 5}"}',
		jsonList: '[{"n": 1}, {"n": 2}]',
		__state: "private",
		path: "/var/log/app.log",
		users: [{ name: "ann" }, { name: "bob" }],
	},
	functions: {
		result: () => ({ stdout: '{"some_key": {"id": 7}}', return_code: 0 }),
		succeeded: () => true,
		item: ([name]) => (name === undefined ? { host: "h1" } : `part ${String(name)}`),
		task: ([name], named) => {
			if (name !== "known") throw new Error(`Unable to find task execution for "${String(name)}".`);
			return { task_id: name, route: named["route"] ?? 0, result: { stdout: "{}" } };
		},
		typed: () => {
			throw Object.assign(new Error("wrong"), { name: "VariableUndefinedError" });
		},
		away: () => {
			throw new SvcError("SVC_UNAVAILABLE", "not now");
		},
	},
};

const evaluate = (value: JsonValue) => expressions.evaluate(value, scope);

const values: readonly (readonly [string, JsonValue])[] = [
	["plain", "plain"],
	["<% 1 %>", 1],
	["<% 1 %> ", "1 "],
	[" {{ 1 }}", " 1"],
	["{{ 1 }}", 1],
	["<% ctx(object) %>", { a: 1, b: { c: [true, null] }, get: "member" }],
	["{{ ctx('list') }}", [3, 1, 2]],
	["<% ctx(nothing) %>", null],
	["{{ ctx().nothing }}", null],
	["x <% ctx(nothing) %> <% ctx(no) %> <% ctx(half) %> <% ctx(list) %>", "x None False 2.5 [3, 1, 2]"],
	["x {{ ctx().nothing }} {{ ctx().no }} {{ [1, 'x'] }} {{ {'k': 'v'} }}", "x None False [1, 'x'] {'k': 'v'}"],
	["<% [1, x] %>-<% {k => v} %>-<% 1.0 %>-<% true %>", "[1, 'x']-{'k': 'v'}-1.0-True"],
	["<% ctx(x) %><% ctx(name) %>", "1web"],
	["<%ctx(x)%>", 1],
	["{{ctx('x')}}", 1],
	["<%\nctx(x)\n%>", "<%\nctx(x)\n%>"],
	["{{ ctx('x')\n}}", "{{ ctx('x')\n}}"],
	["{%\nif true %}", "{%\nif true %}"],
	["<% ctx(x) %>\n", "1\n"],
	["{{ ctx('x') }}\n", "1\n"],
	["line\n<% ctx(x) %> {\n", "line\n1 {\n"],
	["%> <% ", "%> <% "],
	["50% <% 1 %> %>", "50% 1 %>"],
	["{{ {'a': {'b': 1}} }}", { a: { b: 1 } }],
	["{{ '}}' }}", "}}"],
	['{{ "it\'s }}" }} {{ 1 }}', "it's }} 1"],
	["{# no comment #}", "{# no comment #}"],
	["{% if succeeded() %}yes{% else %}no{% endif %}", "yes"],
	["{% if true %}1{% endif %}", "1"],
	["{% for i in ctx('list') %}\n  {{ i }}\n{% endfor %}\n", "  3\n  1\n  2\n"],
	["  {% if true %}\nkept\n  {% endif %}\nend", "kept\nend"],
	["{% raw %}{{ ctx('x') }} {% no %}{% endraw %}", "{{ ctx('x') }} {% no %}"],
	["{% raw %}{% if %}{% endraw %}", "{% if %}"],
	["{% set y = ctx('x') + 1 %}{{ y }}", "2"],
	["<% ctx().x %>", 1],
	["<% ctx('x') %>", 1],
	['<% ctx("x") %>', 1],
	["<% ctx()['a.b'] %>", "dotted"],
	["{{ ctx()['a.b'] }}", "dotted"],
	["<% ctx('a.b') %>", "dotted"],
	["<% ctx().get(x, 5) %>", 1],
	["<% ctx().get(nope, 5) %>", 5],
	["{{ ctx().get('nope', 5) }}", 5],
	["<% ctx().get(nope) %>", null],
	["<% ctx().get('__state', none) %>", "none"],
	["<% ctx().containsKey('__state') %>", false],
	["{{ '__state' in ctx() }}", false],
	["{{ ctx().get('__state', 'none') }}", "none"],
	["<% ctx().object.b.c[0] %>", true],
	["<% ctx(users).name %>", ["ann", "bob"]],
	["{{ ctx('users') | map(attribute='name') | list }}", ["ann", "bob"]],
	["{{ ctx().x | default(5) }}{{ ctx().nope | default('d') }}", "1d"],
	["{{ ctx().nope is defined }}", false],
	["<% result().return_code = 0 and succeeded() %>", true],
	["<% item() %>", { host: "h1" }],
	["<% item(host) %>", "part host"],
	["{{ item('host') }}", "part host"],
	["<% item().host %>", "h1"],
	["<% task(known, route => 3).route %>", 3],
	["{{ task('known', route=3).route }}", 3],
	["{{ 'known' | task(route=2) | attr('route') }}", 2],
];

test("texts become what the rules of expressions say", async () => {
	for (const [text, expected] of values) assert.deepEqual(await evaluate(text), expected, text);
});

const functions: readonly (readonly [string, JsonValue])[] = [
	["<% svckv('system.host') %>", "web-01"],
	["{{ svckv('system.host') }}", "web-01"],
	["{{ 'system.host' | svckv }}", "web-01"],
	["<% svckv('system.a.b') %>", "dotted"],
	["<% svckv(concat('system.', svckv('system.next'))) %>", "dotted"],
	["<% svckv(mine) %>", "own"],
	["<% svckv(system) %>", "a user's item"],
	["<% svckv(empty) %>", ""],
	["<% svckv(empty, decrypt => true) %>", ""],
	["<% svckv('system.hidden') %>", "CIPHER"],
	["<% svckv('system.hidden', decrypt => true) %>", "clear"],
	["{{ svckv('system.hidden', decrypt=true) }}", "clear"],
	["{{ svckv('system.hidden') | decrypt_kv }}", "clear"],
	["<% svckv(none, default => '') %>", ""],
	["{{ svckv('none', default=None) }}", null],
	["<% svckv(none, false, 5) %>", 5],
	["<% ctx(list).select(svckv('system.host')) %>", ["web-01", "web-01", "web-01"]],
	["<% json('[1, {\"a\": null}]') %>", [1, { a: null }]],
	["{{ json('{}') }}", {}],
	["<% json({a => 1}) %>", { a: 1 }],
	[
		"<% zip([1, 2], [a]) %>",
		[
			[1, "a"],
			[2, null],
		],
	],
	[
		"{{ zip([1, 2], ['a'], pad='z') }}",
		[
			[1, "a"],
			[2, "z"],
		],
	],
	["<% zip(null, [1]) %>", [[null, 1]]],
	["<% zip([1, 2]) %>", [1, 2]],
	["<% zip([]) %>", []],
	["<% basename(ctx(path)) + dirname(ctx(path)) %>", "app.log/var/log"],
	["{{ ctx().path | basename }}{{ dirname(ctx().path) }}", "app.log/var/log"],
	["<% from_json_string('{\"a\": 1}') %>", { a: 1 }],
	["<% json_parse('[1]') %>", [1]],
	["{{ json_parse('[1]') }}{{ '[2]' | json_parse }}", "[1][2]"],
	["<% to_json_string({a => {b => 1}}) %>", '{"a": {"b": 1}}'],
	["<% json_dump([1, 2]) %>", "[1,2]"],
	["{{ [1] | json_dump(indent=2) }}", "[\n  1\n]"],
	["<% json_dump([1], indent => 2) %>", "[\n  1\n]"],
	["<% from_yaml_string('a: [1, x]') %>", { a: [1, "x"] }],
	["<% yaml_parse('a: 1') %>", { a: 1 }],
	["<% to_yaml_string({a => [1]}) %>", "a:\n- 1\n"],
	["<% yaml_dump({a => 1}) %>", "a: 1\n"],
	["<% json_escape('a\"b') %>", 'a\\"b'],
	["<% jsonpath_query({a => [{b => 1}, {b => 2}]}, 'a[*].b') %>", [1, 2]],
	["<% jsonpath_query({a => 1}, 'z') %>", null],
	["<% regex_match('abc', 'b') %>", false],
	["<% regex_search('abc', 'b') %>", true],
	["<% regex_replace('abc', 'b', 'X') %>", "aXc"],
	["<% regex_substring('a1b22', '\\\\d+', 1) %>", "22"],
	["{{ regex_substring('a1b22', '[0-9]+') }}", "1"],
	["<% to_human_time_from_seconds(12345) %>", "3h25m45s"],
	["<% use_none(null) %>", "%*****__%NONE%__*****%"],
	["<% version_compare('1.2.3', '1.3.0') %>", -1],
	["<% version_equal('1.2.3', '1.2.3') %>", true],
	["<% version_more_than('1.2.3', '1.2.2') %>", true],
	["<% version_less_than('1.2.3', '1.2.2') %>", false],
	["<% version_match('1.2.3', '>=1.0.0') %>", true],
	["<% version_bump_major('1.2.3') %>", "2.0.0"],
	["<% version_bump_minor('1.2.3') %>", "1.3.0"],
	["{{ version_bump_patch('1.2.3') }}", "1.2.4"],
	["<% version_strip_patch('1.2.3') %>", "1.2"],
	["<% to_json_string(range(3)) %>", "[0,1,2]"],
	["<% to_json_string({at => timespan(hours => 1)}) %>", '{"at": "1:00:00"}'],
];

test("functions of the service and of runs can be called in both languages", async () => {
	for (const [text, expected] of functions) assert.deepEqual(await evaluate(text), expected, text);
});

const jsonTexts: readonly (readonly [string, JsonValue])[] = [
	["<% result().stdout %>", '{"some_key": {"id": 7}}'],
	["<% result().stdout.some_key.id %>", 7],
	["<% result().stdout['some_key'] %>", { id: 7 }],
	["{{ result().stdout.some_key.id }}", 7],
	["{{ result().stdout['some_key'].id }}", 7],
	["<% ctx(jsonText).k[1].z %>", "deep"],
	["<% ctx(jsonText).s.inner %>", 5],
	["{{ ctx().jsonText.s.inner }}", 5],
	["<% ctx(jsonList).n %>", [1, 2]],
	["<% ctx(jsonList)[0].n %>", 1],
	["<% ctx(jsonList).select($.n + 1) %>", [2, 3]],
	["<% ctx(jsonText).keys() %>", ["k", "s"]],
	["{{ ctx().jsonText.keys() | list }}", ["k", "s"]],
	["<% ctx(jsonText).len() %>", 48],
	["{{ ctx().jsonText[0] }}", "{"],
	["{{ ctx().jsonText.nope is defined }}", false],
];

test("members of a text that is JSON are read, while it stays a text", async () => {
	for (const [text, expected] of jsonTexts) assert.deepEqual(await evaluate(text), expected, text);
	await assert.rejects(evaluate("<% ctx(name).x %>"), /Unknown function "#property#x"/);
	await assert.rejects(evaluate("<% ctx(jsonText).nope %>"), /Unable to resolve key 'nope'/);
	await assert.rejects(evaluate("{{ ctx().name.x }}"), /There are unresolved variables: ctx\(\).name.x/);
});

test("expressions stand anywhere in a value, names of members included", async () => {
	const value = { "<% ctx(name) %>": ["<% ctx(x) %>", { "{{ ctx().x }}": "{{ ctx('list') }}", plain: 5 }], "k <% true %>": null };
	assert.deepEqual(await evaluate(value), { web: [1, { "1": [3, 1, 2], plain: 5 }], "k True": null });
	assert.deepEqual(await evaluate({ "<% null %>": 1 }), { None: 1 });
	await assert.rejects(evaluate({ "<% ctx(list) %>": 1 }), /the key of an object must be a string/);
	const plain = { a: ["b", { c: null }] };
	assert.equal(await evaluate(plain), plain);
	const named = (await evaluate({ "<% '__proto__' %>": { polluted: 1 } })) as object;
	assert.equal(Object.getPrototypeOf(named), Object.prototype);
	assert.deepEqual(Object.keys(named), ["__proto__"]);
});

test("what an expression yields is never evaluated again", async () => {
	for (const [text, expected] of [
		["<% ctx(evil) %>", hostile],
		["{{ ctx('evil') }}", hostile],
		["a <% ctx(evil) %>", `a ${hostile}`],
		["{{ ctx('evil') }}{{ ctx().evil }}", hostile + hostile],
		["{% if true %}{{ ctx().evil }}{% endif %}", hostile],
		["<% svckv(evil) %>", "<% ctx(secret) %>{{ ctx('secret') }}"],
		["{{ svckv('evil') }}", "<% ctx(secret) %>{{ ctx('secret') }}"],
		["<% concat('<', '% ctx(secret) %', '>') %>", "<% ctx(secret) %>"],
		["{{ '{' ~ '{ ctx(\"secret\") }' ~ '}' }}", '{{ ctx("secret") }}'],
		["<% '<' %>% ctx(secret) %<% '>' %>", "<% ctx(secret) %>"],
		["<% ctx(evilObject) %>", { "{{ x }}": hostile }],
		["<% [ctx(evil)] %>", [hostile]],
	] as const) {
		assert.deepEqual(await evaluate(text), expected, text);
	}
	assert.deepEqual(await evaluate({ "<% ctx(evil) %>": ["<% ctx(evil) %>"] }), { [hostile]: [hostile] });
});

const yaqlProblem = (expression: string, reason: string) =>
	`YaqlEvaluationException: Unable to evaluate expression '${expression}'. ${reason}`;
const jinjaProblem = (expression: string, reason: string) =>
	`JinjaEvaluationException: Unable to evaluate expression '${expression}'. ${reason}`;

const errors: readonly (readonly [string, string])[] = [
	["<% ctx().nope %>", "YaqlEvaluationException: Unable to resolve key 'nope' in expression '<% ctx().nope %>' from context."],
	["<% ctx()[nope] %>", "YaqlEvaluationException: Unable to resolve key 'nope' in expression '<% ctx()[nope] %>' from context."],
	["<% ctx()[ctx(secret)] %>", "YaqlEvaluationException: Unable to resolve key in expression '<% ctx()[ctx(secret)] %>' from context."],
	["<% ctx(nope) %>", yaqlProblem("<% ctx(nope) %>", 'VariableUndefinedError: The variable "nope" is undefined.')],
	["{{ ctx('nope') }}", jinjaProblem("{{ ctx('nope') }}", 'VariableUndefinedError: The variable "nope" is undefined.')],
	["{{ ctx().nope }}", "JinjaEvaluationException: There are unresolved variables: ctx().nope"],
	["x {{ ctx().x }} {{ ctx().object.z }}", "JinjaEvaluationException: There are unresolved variables: ctx().object.z"],
	["{{ ctx().nope + 1 }}", jinjaProblem("{{ ctx().nope + 1 }}", 'UndefinedError: an object has no member "nope"')],
	["{{ x }}", "JinjaEvaluationException: There are unresolved variables: x"],
	[
		"<% ctx('__state') %>",
		yaqlProblem("<% ctx('__state') %>", 'VariableInaccessibleError: The variable "__state" is for internal use and inaccessible.'),
	],
	[
		"{{ ctx('__state') }}",
		jinjaProblem("{{ ctx('__state') }}", 'VariableInaccessibleError: The variable "__state" is for internal use and inaccessible.'),
	],
	["<% ctx(__state) %>", yaqlProblem("<% ctx(__state) %>", "YaqlLexicalException: Lexical error: illegal character '_' at position 4")],
	["{{ ctx().__state }}", "JinjaEvaluationException: There are unresolved variables: ctx().__state"],
	[
		"<% ctx()['__state'] %>",
		"YaqlEvaluationException: Unable to resolve key '__state' in expression '<% ctx()['__state'] %>' from context.",
	],
	["<% 1 + %>", yaqlProblem("<% 1 + %>", "YaqlGrammarException: Parse error: unexpected end of statement")],
	["{{ 1 + }}", jinjaProblem("{{ 1 + }}", "TemplateSyntaxError: the expression ends too early (line 1)")],
	["<% 1 + a %>", yaqlProblem("<% 1 + a %>", 'NoMatchingFunctionException: No function "#operator_+" matches supplied arguments')],
	["<% foo() %>", yaqlProblem("<% foo() %>", 'NoFunctionRegisteredException: Unknown function "foo"')],
	["{{ foo() }}", jinjaProblem("{{ foo() }}", 'TemplateError: unknown function "foo"')],
	["<% 1 / 0 %>", yaqlProblem("<% 1 / 0 %>", "ZeroDivisionError: integer division or modulo by zero")],
	["<% svckv(zz) %>", yaqlProblem("<% svckv(zz) %>", 'ExpressionEvaluationException: The key "zz" does not exist in the datastore.')],
	[
		"{{ svckv('system.zz') }}",
		jinjaProblem("{{ svckv('system.zz') }}", 'ExpressionEvaluationException: The key "system.zz" does not exist in the datastore.'),
	],
	["<% svckv(refused) %>", yaqlProblem("<% svckv(refused) %>", "ExpressionEvaluationException: not allowed")],
	[
		"<% svckv(mine, decrypt => true) %>",
		yaqlProblem("<% svckv(mine, decrypt => true) %>", "ExpressionEvaluationException: value: not a ciphertext created by this service"),
	],
	["<% svckv() %>", yaqlProblem("<% svckv() %>", 'TemplateError: "svckv" needs the argument "key"')],
	["<% task(zz) %>", yaqlProblem("<% task(zz) %>", 'ExpressionEvaluationException: Unable to find task execution for "zz".')],
	["{{ typed() }}", jinjaProblem("{{ typed() }}", "VariableUndefinedError: wrong")],
	["<% json(5) %>", yaqlProblem("<% json(5) %>", "TypeError: Given object is not typeof string.")],
	["<% json('{') %>", yaqlProblem("<% json('{') %>", 'TemplateError: "json" needs a JSON string')],
	["<% zip(1, 2) %>", yaqlProblem("<% zip(1, 2) %>", 'TemplateError: "zip" needs lists')],
	["<% ctx(a, b) %>", yaqlProblem("<% ctx(a, b) %>", 'TemplateError: "ctx" takes at most one name')],
	["<% ctx(5) %>", yaqlProblem("<% ctx(5) %>", 'TemplateError: "ctx" needs a string as the name of a variable')],
	["<% ctx(x) %> {{ ctx('x') }}", "Expression with multiple types is not supported."],
	["<% ctx(x) %> {% if true %}{% endif %}", "Expression with multiple types is not supported."],
	["{{ '<% x %>' }}", "Expression with multiple types is not supported."],
];

test("an error names its kind, the expression and the reason", async () => {
	for (const [text, message] of errors) {
		await assert.rejects(evaluate({ deep: [text] }), (error) => {
			assert.ok(isSvcError(error, "SVC_INVALID"), text);
			assert.equal(error.message, message, text);
			assert.equal(error.facts["language"], text.startsWith("<%") && !/\{[{%]/.test(text) ? "yaql" : "jinja", text);
			assert.ok(text.includes(String(error.facts["expression"])), text);
			return true;
		});
	}
});

test("filters that name an attribute read into a text that is JSON, as members do", async () => {
	const variables = { results: [{ stdout: '{"n": 2, "name": "b"}' }, { stdout: '{"n": 1, "name": "a"}' }, { stdout: "{}" }] };
	const evaluate = (text: string) => createExpressions().evaluate(text, { variables });
	for (const [text, expected] of [
		["{{ ctx().results | map(attribute='stdout.n', default=0) | list }}", [2, 1, 0]],
		["{{ ctx().results[:2] | sum(attribute='stdout.n') }}", 3],
		["{{ ctx().results[:2] | sort(attribute='stdout.name') | map(attribute='stdout.name') | join('') }}", "ab"],
		["{{ ctx().results | selectattr('stdout.n', 'defined') | list | length }}", 2],
	] as const)
		assert.deepEqual(await evaluate(text), expected, text);
});

test("what cannot be reached now is no fault of the expression", async () => {
	for (const text of ["<% svckv(away) %>", "{{ svckv('away') }}", "<% away() %>", "{{ away() }}"]) {
		await assert.rejects(evaluate(text), (error) => isSvcError(error, "SVC_UNAVAILABLE"), text);
	}
});

test("Jinja alone knows variables by their plain names, and leaves the other language as it is", async () => {
	const names = { host: "web", n: 5, object: { a: 1 }, none: null, __results: { t: 2 }, svckv_like: 1 };
	const plain = (value: JsonValue, more: Partial<ExpressionScope> = {}) =>
		expressions.evaluate(value, { variables: {}, names, language: "jinja", keepsText: true, ...more });
	for (const [text, expected] of [
		["{{ host }}", "web"],
		["{{ n }}", "5"],
		["{{ object }}", "{'a': 1}"],
		["{{ none }}", null],
		["{{ none is none }} {{ none }}", "True None"],
		["{{ none | default('x', true) }}", "x"],
		["{{ __results.t }}", "2"],
		["{{ svckv.system.host }} {{ system.a.b }} {{ svckv.user.mine }}", "web-01 dotted own"],
		["{{ svckv.system.hidden | decrypt_kv }}", "clear"],
		["{{ svckv.system.none }}", ""],
		["<% ctx(x) %> {{ n }}", "<% ctx(x) %> 5"],
		["<% ctx(x) %>", "<% ctx(x) %>"],
	] as const) {
		assert.equal(await plain(text), expected, text);
	}
	assert.equal(await plain("{{ n }}", { keepsText: false }), 5);
	assert.equal(await plain("{{ system }}", { names: { system: "own" } }), "own");
	await assert.rejects(plain("{{ nope }}"), /There are unresolved variables: nope/);
	await assert.rejects(plain("{{ svckv.other.x }}"), /the datastore has no member "other"/);
});

test("without a datastore there is no item", async () => {
	const without = createExpressions();
	await assert.rejects(without.evaluate("<% svckv(x) %>", { variables: {} }), /The key "x" does not exist/);
	assert.equal(await without.evaluate("<% svckv(x, default => 1) %>", { variables: {} }), 1);
});

test.run();
