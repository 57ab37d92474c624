import * as assert from "node:assert/strict";
import { test } from "uvu";
import { TemplateError, TemplateSyntaxError } from "./errors.ts";
import { toScope } from "./scope.ts";
import { compileTemplate } from "./template.ts";

const scope = toScope({
	n: 3,
	half: 2.5,
	name: "World",
	empty: "",
	nothing: null,
	yes: true,
	list: [3, 1, 2],
	object: { k: "v", inner: { deep: [1, null, true] }, items: "own" },
	users: [
		{ name: "ann", age: 30, active: true },
		{ name: "bob", age: 20, active: false },
	],
	__proto__x: 1,
});

const render = (text: string) => compileTemplate(text).render(scope);

const table = (title: string, rows: readonly (readonly [template: string, text: string])[]) =>
	test(title, () => {
		for (const [template, text] of rows) assert.equal(render(template), text, template);
	});

table("values print as in the reference language", [
	["{{ true }} {{ false }} {{ none }} {{ None }}", "True False None None"],
	["{{ n }} {{ half }} {{ 3.0 }} {{ 1e20 }} {{ 0.00001 }} {{ 10 ** 20 }}", "3 2.5 3.0 1e+20 1e-05 100000000000000000000"],
	["{{ list }} {{ [] }} {{ {} }}", "[3, 1, 2] [] {}"],
	["{{ object.inner }}", "{'deep': [1, None, True]}"],
	[`{{ ["it's", 'a "b"', "both ' and \\"", "a\\nb\\\\c"] }}`, `["it's", 'a "b"', 'both \\' and "', 'a\\nb\\\\c']`],
	["{{ 'plain' }}{{ empty }}", "plain"],
	["{{ [1.0, 'ü', '\\u0000'] }}", "[1.0, 'ü', '\\x00']"],
]);

table("statements", [
	["{% if n > 2 %}a{% elif n > 1 %}b{% else %}c{% endif %}", "a"],
	["{% if n > 5 %}a{% elif n > 2 %}b{% else %}c{% endif %}{% if empty %}x{% endif %}", "b"],
	["{% for x in list %}{{ loop.index }}/{{ loop.length }}:{{ x }}{% if not loop.last %}, {% endif %}{% endfor %}", "1/3:3, 2/3:1, 3/3:2"],
	["{% for x in [] %}a{% else %}none{% endfor %}{% for x in list if x > 1 %}{{ x }}{% endfor %}", "none32"],
	["{% for k, v in object.inner.items() %}{{ k }}={{ v }}{% endfor %}{% for k in {'a': 1} %}{{ k }}{% endfor %}", "deep=[1, None, True]a"],
	[
		"{% set x = 5 %}{% set a, b = [1, 2] %}{{ x + a + b }}{% set t %}<{{ n }}>{% endset %}{{ t }}{% set u | upper %}q{% endset %}{{ u }}",
		"8<3>Q",
	],
	["{% set x = 1 %}{% for i in list %}{% set x = i %}{% endfor %}{{ x }}", "1"],
	["{% set s = namespace(sum=0) %}{% for i in list %}{% set s.sum = s.sum + i %}{% endfor %}{{ s.sum }}", "6"],
	["{% for x in list %}{{ loop.cycle('a', 'b') }}{{ loop.previtem | default('-') }}{% endfor %}", "a-b3a1"],
	["{% for i in range(3) %}{{ i }}{% endfor %}{{ range(1, 10, 4) }}{{ range(3, 0, -1) }}{{ dict(a=1) }}", "012[1, 5, 9][3, 2, 1]{'a': 1}"],
	["{% raw %}{{ n }}{% if %}{% endraw %}{# a {{ comment }} #}x", "{{ n }}{% if %}x"],
]);

table("white space is controlled as in the reference", [
	["a\n  {% if yes %}\n  b\n  {% endif %}\nc\n", "a\n  b\nc"],
	["a {%- if yes -%} b {%- endif -%} c", "abc"],
	["a\n  {{- n -}}\n  b", "a3b"],
	["{{ n }}\n{{ n }}\n", "3\n3"],
	["a {% if yes %}\nb{% endif %}\n\nc", "a b\nc"],
	["  {%+ if yes %}x{% endif %}", "  x"],
	["a\n  {# c #}\nb", "a\nb"],
	["{{ {'a': {'b': 1}}['a']['b'] }}{{ '}}' }}", "1}}"],
]);

test("a text without templates is returned as it is", () => {
	for (const text of ["", "plain\n", "{ braces }", "100%", "{'a': 1}\n"]) assert.equal(render(text), text);
});

test("text that is no template is reported as such", () => {
	for (const text of [
		"{{",
		"{{ a",
		"{% if a %}",
		"{% nope %}",
		"{{ }}",
		"{{ a b }}",
		"{{ 'open }}",
		"{% endif %}",
		"{{ a | }}",
		"{# open",
		"{% raw %}",
		"{{ 1 + }}",
		"{{ a[ }}",
		"{{ a.b.('x') }}",
		"{{ $ }}",
	]) {
		assert.throws(() => compileTemplate(text), TemplateSyntaxError, text);
	}
});

test("what is undefined is an error that names it", () => {
	const rows: [string, RegExp][] = [
		["{{ missing }}", /"missing" is undefined/],
		["{{ object.zz }}", /no member "zz"/],
		["{{ missing.a | default('x') }}", /"missing" is undefined/],
		["{% if missing %}{% endif %}", /"missing" is undefined/],
		["{{ list[9] }}", /no member 9/],
		["{{ [] | first }}", /first element/],
		["{{ 'a' if false }}", /no else/],
		["{{ name | nope }}", /unknown filter "nope"/],
		["{{ name is nope }}", /unknown test "nope"/],
		["{{ nope() }}", /unknown function "nope"/],
		["{{ name.nope() }}", /no method "nope"/],
	];
	for (const [text, message] of rows)
		assert.throws(
			() => render(text),
			(error: Error) => error instanceof TemplateError && message.test(error.message),
			text,
		);
});

test("wrong types and impossible operations are errors", () => {
	for (const text of [
		"{{ 1 + 'a' }}",
		"{{ 1 / 0 }}",
		"{{ 1 < 'a' }}",
		"{{ {} < {} }}",
		"{{ 1 in 2 }}",
		"{{ -'a' }}",
		"{{ 5 | length }}",
		"{{ '%d' % 'x' }}",
		"{{ '%s %s' % 'x' }}",
		"{{ '{x}' | from_json_string }}",
		"{{ range(1, 2, 0) }}",
		"{{ list[::0] }}",
		"{{ 'a'.split('') }}",
		"{% set n.x = 1 %}",
		"{{ {none: 1} }}",
		"{{ 2 ** 10000 }}",
		"{{ 'a'.format(1, '{a.b}') if '{0.x}'.format(1) else '' }}",
	]) {
		assert.throws(() => render(text), TemplateError, text);
	}
});

test("references are the names taken from outside", () => {
	const { references } = compileTemplate(
		"{% set s = a %}{% for x in b if x > c %}{{ x.y }}{{ loop.index }}{{ s }}{% endfor %}{{ x }}{{ svckv.system.k.l | d(e.f['g.h']) }}{{ range(h) }}",
	);
	assert.deepEqual(references.names, ["a", "b", "c", "x", "svckv", "e", "h"]);
});

test("a template that is one expression keeps the type of its value", () => {
	const native = (text: string) => compileTemplate(text).renderNative(scope);
	assert.deepEqual(native("{{list}}"), [3, 1, 2]);
	assert.deepEqual(native("{{   object.inner   }}"), { deep: [1, null, true] });
	assert.equal(native("{{ 6 / 2 }}"), 3);
	assert.equal(native("{{ nothing }}"), null);
	assert.equal(native("x{{ n }}"), "x3");
	assert.equal(compileTemplate("{{ n }}").variable, "n");
	assert.equal(compileTemplate("{{ n.x }}").variable, undefined);
	assert.equal(compileTemplate("{{ n | to_complex }}").lastFilter, "to_complex");
	assert.throws(() => native("{{ missing }}"), TemplateError);
});

test.run();
