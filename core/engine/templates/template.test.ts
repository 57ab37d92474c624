import * as assert from "node:assert/strict";
import { test } from "uvu";
import { TemplateError, TemplateSyntaxError } from "./errors.ts";
import { toScope } from "./scope.ts";
import { compileTemplate, evaluateExpression, evaluateLiteral } from "./template.ts";

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
	"__proto__x": 1,
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

table("arithmetic follows the reference language", [
	["{{ 1 + 2 * 3 }} {{ (1 + 2) * 3 }} {{ 7 - 2 - 1 }}", "7 9 4"],
	["{{ 6 / 2 }} {{ 7 // 2 }} {{ -7 // 2 }} {{ 7 % 3 }} {{ (-7) % 3 }}", "3.0 3 -4 1 2"],
	["{{ 2 ** 3 }} {{ 2 ** -1 }} {{ 1.5 + 1.5 }} {{ true + 1 }}", "8 0.5 3.0 2"],
	["{{ 'ab' * 2 }} {{ [1] * 2 + [2] }} {{ 'a' + 'b' }}", "abab [1, 1, 2] ab"],
	["{{ 1 ~ 'a' ~ none }} {{ 'a' 'b' }}", "1aNone ab"],
	["{{ -n }} {{ +n }} {{ - n | abs }}", "-3 3 3"],
	["{{ '%s is %d, %.2f%%|%5s|%-4s|%05d' % ('x', 3.7, 1.005, 'a', 'b', 42) }}", "x is 3, 1.00%|    a|b   |00042"],
]);

table("comparisons, tests and logic", [
	["{{ 1 < 2 <= 2 }} {{ 1 == 1.0 }} {{ 'a' != 'b' }} {{ 'a' < 'b' }}", "True True True True"],
	["{{ 1 in list }} {{ 9 not in list }} {{ 'k' in object }} {{ 'or' in name }}", "True True True True"],
	["{{ [1, [2]] == [1, [2.0]] }} {{ {'a': 1} == {'a': 1} }} {{ [1, 2] < [1, 3] }}", "True True True"],
	["{{ not yes }} {{ yes and n }} {{ empty or 'x' }} {{ nothing or 0 }}", "False 3 x 0"],
	["{{ n is defined }} {{ missing is defined }} {{ object.zz is undefined }} {{ missing is not defined }}", "True False True True"],
	["{{ nothing is none }} {{ n is number }} {{ half is float }} {{ n is integer }} {{ yes is boolean }}", "True True True True True"],
	["{{ name is string }} {{ object is mapping }} {{ list is iterable }} {{ list is sequence }}", "True True True True"],
	["{{ n is odd }} {{ 4 is even }} {{ 9 is divisibleby 3 }} {{ 9 is divisibleby(2) }}", "True True True False"],
	["{{ n is in [1, 3] }} {{ n is eq 3 }} {{ n is gt(2) and n is lt 4 }}", "True True True"],
	["{{ 'a' if yes else 'b' }} {{ 'a' if n > 5 else 'b' if n > 4 else 'c' }}", "a c"],
]);

table("members and slices reach own data only", [
	["{{ object.k }} {{ object['k'] }} {{ object.inner.deep[0] }} {{ list.0 }} {{ list[-1] }}", "v v 1 3 2"],
	["{{ list[1:] }} {{ list[:-1] }} {{ list[::-1] }} {{ name[1:3] }} {{ name[::2] }} {{ list[:] }}", "[1, 2] [3, 1] [2, 1, 3] or Wrd [3, 1, 2]"],
	["{{ object.items }} {{ object.items() | length }} {{ object.get('zz') }} {{ object.get('zz', 5) }} {{ object.get('k') }}", "own 3 None 5 v"],
	["{{ users[1].name }} {{ 'héé😀'[3] }} {{ 'héé😀' | length }}", "bob 😀 4"],
]);

table("methods of texts, lists and objects", [
	["{{ name.upper() }} {{ name.lower() }} {{ ' a '.strip() }}| {{ 'xxaxx'.strip('x') }} {{ ' a'.lstrip() }} {{ 'a '.rstrip() }}", "WORLD world a| a a a"],
	["{{ 'a,b,c'.split(',') }} {{ 'a b  c'.split() }} {{ 'a,b,c'.split(',', 1) }} {{ 'a b c'.split(none, 1) }}", "['a', 'b', 'c'] ['a', 'b', 'c'] ['a', 'b,c'] ['a', 'b c']"],
	["{{ 'aXbX'.replace('X', '-') }} {{ 'aXbX'.replace('X', '-', 1) }} {{ 'a\\nb'.splitlines() }}", "a-b- a-bX ['a', 'b']"],
	["{{ name.startswith('Wo') }} {{ name.endswith(('x', 'd')) }} {{ name.find('r') }} {{ 'aaa'.count('a') }}", "True True 2 3"],
	["{{ '-'.join(['a', 'b']) }} {{ '{} {0} {x}'.format('a', x=1) }} {{ '42'.isdigit() }} {{ '-7'.zfill(4) }}", "a-b a a 1 True -007"],
	["{{ 'hello wORLD'.title() }} {{ 'hELLO'.capitalize() }}", "Hello World Hello"],
	["{{ object.keys() }} {{ {'a': 1}.values() }} {{ list.index(2) }} {{ [1, 1].count(1) }}", "['k', 'inner', 'items'] [1] 2 2"],
]);

table("filters on texts", [
	["{{ name | upper }} {{ name | lower }} {{ 'aB c' | capitalize }} {{ 'a-b cD' | title }} {{ ' x ' | trim }}|", "WORLD world Ab c A-B Cd x|"],
	["{{ 'aa' | replace('a', 'b') }} {{ 'aa' | replace('a', 'b', 1) }} {{ 1.0 | string }} {{ '%s-%s' | format(1, 2) }}", "bb ba 1.0 1-2"],
	["{{ [1, 'a', none] | join('-') }} {{ users | join(', ', attribute='name') }} {{ list | join }}", "1-a-None ann, bob 312"],
	["{{ 'a/b c?d=é' | urlencode }} {{ {'a b': 'c&d'} | urlencode }}", "a/b%20c%3Fd%3D%C3%A9 a+b=c%26d"],
	["{{ 'a\nb\n\nc' | indent(2) }}", "a\n  b\n\n  c"],
	["{{ 'a' | indent(2, true) }} {{ 'a b c' | wordcount }} {{ '<&>' | escape }} {{ '<' | safe }}", "  a 3 &lt;&amp;&gt; <"],
	["{{ 'one two three four' | truncate(9, false, '...', 0) }}", "one..."],
	["{{ \"a'b $(id)\" | shell_quote }} {{ '' | shell_quote }} {{ 'a-b' | shell_quote }}", "'a'\\''b $(id)' '' a-b"],
]);

table("filters on numbers", [
	["{{ '42' | int }} {{ '3.9' | int }} {{ 'x' | int }} {{ 'x' | int(7) }} {{ 'ff' | int(base=16) }} {{ -3.9 | int }}", "42 3 0 7 255 -3"],
	["{{ '1.5' | float }} {{ '2' | float }} {{ 'x' | float }} {{ 'x' | float(1) }}", "1.5 2.0 0.0 1"],
	["{{ 2.5 | round }} {{ 3.5 | round }} {{ 42.55 | round(1) }} {{ 0.125 | round(2) }} {{ 1.1 | round(0, 'ceil') }} {{ 1.9 | round(method='floor') }}", "2.0 4.0 42.5 0.12 2.0 1.0"],
	["{{ -3 | abs }} {{ -3.0 | abs }} {{ 1234 | round(-2) }}", "3 3.0 1200.0"],
]);

table("filters on lists and objects", [
	["{{ list | length }} {{ name | count }} {{ object | length }}", "3 5 3"],
	["{{ list | sort }} {{ list | sort(reverse=true) }} {{ ['b', 'A'] | sort }} {{ ['b', 'A'] | sort(case_sensitive=true) }}", "[1, 2, 3] [3, 2, 1] ['A', 'b'] ['A', 'b']"],
	["{{ users | sort(attribute='age') | map(attribute='name') | join(',') }}", "bob,ann"],
	["{{ [1, 1.0, 2, 'a', 'A'] | unique }} {{ list | reverse }} {{ 'abc' | reverse }}", "[1, 2, 'a'] [2, 1, 3] cba"],
	["{{ list | first }} {{ list | last }} {{ list | min }} {{ list | max }} {{ list | sum }} {{ users | sum(attribute='age') }}", "3 2 1 3 6 50"],
	["{{ users | max(attribute='age') | tojson }}", '{"active": true, "age": 30, "name": "ann"}'],
	["{{ 'abc' | list }} {{ [1, 2, 3] | batch(2) }} {{ [1, 2, 3] | batch(2, 0) }}", "['a', 'b', 'c'] [[1, 2], [3]] [[1, 2], [3, 0]]"],
	["{{ {'b': 1, 'a': 2} | dictsort }} {{ {'b': 1, 'a': 2} | dictsort(by='value') }} {{ {'a': 1} | items }}", "[['a', 2], ['b', 1]] [['b', 1], ['a', 2]] [['a', 1]]"],
	["{{ users | map('length') | list }} {{ ['a'] | map('upper') }} {{ ['a-b'] | map('replace', '-', '+') }}", "[3, 3] ['A'] ['a+b']"],
	["{{ users | map(attribute='zz', default=0) }} {{ [0, 1, 2] | select }} {{ list | select('odd') }} {{ list | reject('gt', 1) }}", "[0, 0] [1, 2] [3, 1] [1]"],
	["{{ users | selectattr('active') | map(attribute='name') }} {{ users | rejectattr('age', 'eq', 30) | map(attribute='name') }}", "['ann'] ['bob']"],
	["{{ users | selectattr('zz', 'defined') }}", "[]"],
	["{% for active, group in users | groupby('active') %}{{ active }}:{{ group | length }};{% endfor %}", "False:1;True:1;"],
]);

table("filters for JSON and null", [
	["{{ {'b': [1, none], 'a': '<é>'} | tojson }}", '{"a": "\\u003c\\u00e9\\u003e", "b": [1, null]}'],
	["{{ {'b': [1, 2], 'a': 1.0} | to_json_string }} {{ {'b': 1, 'a': 2} | to_json_string(sort_keys=true) }}", '{"b": [1,2],"a": 1.0} {"a": 2,"b": 1}'],
	["{{ [1, {}] | tojson(2) }}", "[\n  1,\n  {}\n]"],
	["{{ ('{\"a\": [1]}' | from_json_string).a[0] }} {{ nothing | from_json_string }}", "1 None"],
	["{{ nothing | use_none }} {{ 5 | use_none }} {{ object.inner | to_complex }}", '%*****__%NONE%__*****% 5 {"deep": [1, null, true]}'],
	["{{ missing | default('x') }} {{ object.zz | d('y') }} {{ empty | default('z', true) }} {{ nothing | default('w') }} {{ missing | default }}|", "x y z None |"],
]);

table("statements", [
	["{% if n > 2 %}a{% elif n > 1 %}b{% else %}c{% endif %}", "a"],
	["{% if n > 5 %}a{% elif n > 2 %}b{% else %}c{% endif %}{% if empty %}x{% endif %}", "b"],
	["{% for x in list %}{{ loop.index }}/{{ loop.length }}:{{ x }}{% if not loop.last %}, {% endif %}{% endfor %}", "1/3:3, 2/3:1, 3/3:2"],
	["{% for x in [] %}a{% else %}none{% endfor %}{% for x in list if x > 1 %}{{ x }}{% endfor %}", "none32"],
	["{% for k, v in object.inner.items() %}{{ k }}={{ v }}{% endfor %}{% for k in {'a': 1} %}{{ k }}{% endfor %}", "deep=[1, None, True]a"],
	["{% set x = 5 %}{% set a, b = [1, 2] %}{{ x + a + b }}{% set t %}<{{ n }}>{% endset %}{{ t }}{% set u | upper %}q{% endset %}{{ u }}", "8<3>Q"],
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
	for (const text of ["{{", "{{ a", "{% if a %}", "{% nope %}", "{{ }}", "{{ a b }}", "{{ 'open }}", "{% endif %}", "{{ a | }}", "{# open", "{% raw %}", "{{ 1 + }}", "{{ a[ }}", "{{ a.b.('x') }}", "{{ $ }}"]) {
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
		["{{ name | nope }}", /no filter "nope"/],
		["{{ name is nope }}", /no test "nope"/],
		["{{ nope() }}", /no function "nope"/],
		["{{ name.nope() }}", /no method "nope"/],
	];
	for (const [text, message] of rows) assert.throws(() => render(text), (error: Error) => error instanceof TemplateError && message.test(error.message), text);
});

test("wrong types and impossible operations are errors", () => {
	for (const text of ["{{ 1 + 'a' }}", "{{ 1 / 0 }}", "{{ 1 < 'a' }}", "{{ {} < {} }}", "{{ 1 in 2 }}", "{{ -'a' }}", "{{ 5 | length }}", "{{ '%d' % 'x' }}", "{{ '%s %s' % 'x' }}", "{{ '{x}' | from_json_string }}", "{{ range(1, 2, 0) }}", "{{ list[::0] }}", "{{ 'a'.split('') }}", "{% set n.x = 1 %}", "{{ {none: 1} }}", "{{ 2 ** 10000 }}", "{{ 'a'.format(1, '{a.b}') if '{0.x}'.format(1) else '' }}"]) {
		assert.throws(() => render(text), TemplateError, text);
	}
});

test("nothing leads to prototypes, constructors or functions", () => {
	for (const text of [
		"{{ ''.constructor }}",
		"{{ ''.constructor.constructor('return process')() }}",
		"{{ ''['constructor'] }}",
		"{{ object.__proto__ }}",
		"{{ object['__proto__'] }}",
		"{{ object.constructor }}",
		"{{ object.hasOwnProperty('k') }}",
		"{{ object.toString() }}",
		"{{ name.__class__ }}",
		"{{ n.__class__.__mro__ }}",
		"{{ list.map }}",
		"{{ list.constructor.prototype }}",
		"{{ name.length }}",
		"{{ loop.constructor }}",
		"{{ range.constructor }}",
		"{{ dict.constructor }}",
		"{{ self }}",
		"{{ process }}",
		"{{ globalThis }}",
		"{{ constructor }}",
		"{{ __proto__ }}",
		"{{ toString }}",
		"{{ name | constructor }}",
		"{{ name is constructor }}",
		"{{ users | map(attribute='__proto__') }}",
		"{{ users | map(attribute='constructor.name') }}",
		"{{ users | sort(attribute='constructor') }}",
		"{{ object.get('constructor').name }}",
		"{{ '{0.constructor}'.format(name) }}",
		"{{ namespace(a=1).constructor }}",
		"{{ namespace(a=1).members }}",
		"{{ 1.0.value }}",
	]) {
		assert.throws(() => render(text), (error: Error) => error instanceof TemplateError || error instanceof TemplateSyntaxError, text);
	}
});

test("a member called __proto__ is an ordinary member", () => {
	const value = evaluateExpression("{'__proto__': {'polluted': 1}, 'a': 2}", scope) as Record<string, unknown>;
	assert.equal(Object.getPrototypeOf(value), Object.prototype);
	assert.deepEqual(Object.keys(value), ["__proto__", "a"]);
	assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
	assert.equal(render("{% set o = {'__proto__': 5} %}{{ o.__proto__ }}{{ dict(__proto__=1) | length }}"), "51");
});

test("steps, sizes and nesting are limited", () => {
	const attacks = [
		"{{ 'x' * 1000000000 }}",
		"{{ 'x' * 10 ** 300 }}",
		"{{ [0] * 100000000 }}",
		"{{ range(100000000) }}",
		"{% for a in range(1000) %}{% for b in range(1000) %}{% endfor %}{% endfor %}",
		`{% set a = 'xxxxxxxxxx' %}${"{% set a = a ~ a %}".repeat(40)}{{ a }}`,
		`{% set a = [1, 1] %}${"{% set a = [a, a] %}".repeat(60)}{{ a }}`,
		`{% set a = [1, 1] %}${"{% set a = [a, a] %}".repeat(60)}{{ a | tojson }}`,
		`{% set a = [1, 1] %}{% set b = [1, 1] %}${"{% set a = [a, a] %}{% set b = [b, b] %}".repeat(60)}{{ a == b }}`,
		`{% set a = [] %}{% for i in range(5000) %}{% endfor %}${"{% set a = [a] %}".repeat(500)}{{ a }}`,
		"{{ '%1000000000d' % 1 }}",
		"{{ 'a'.zfill(1000000000) }}",
		"{{ 'a' | indent(1000000000, true) }}",
		`{{ ('x' * 100000).replace('x', 'y' * 100000) }}`,
		`{{ (['x' * 100000] * 100) | join('y' * 100000) }}`,
		"{% for i in range(20000) %}{{ 'x' * 1000 }}{% endfor %}",
		"{% set s = 'x' * 1000000 %}{% for i in range(30000) %}{{ s[0] == s.upper() }}{% endfor %}",
		`{{ ${"(".repeat(5000)}1${")".repeat(5000)} }}`,
		`{{ ${"[".repeat(5000)}${"]".repeat(5000)} }}`,
		`{{ ${"not ".repeat(5000)}true }}`,
		`{{ ${"-".repeat(5000)}1 }}`,
		`${"{% if true %}".repeat(5000)}${"{% endif %}".repeat(5000)}`,
		`{{ ${"1 if true else ".repeat(5000)}2 }}`,
	];
	for (const text of attacks) {
		const start = performance.now();
		assert.throws(() => render(text), TemplateError, text.slice(0, 80));
		assert.ok(performance.now() - start < 2_000, text.slice(0, 80));
	}
});

test("long but flat templates are no problem", () => {
	assert.equal(render(`{{ ${Array(2_000).fill("1").join(" + ")} }}`), "2000");
	assert.equal(render(`{{ ${Array(2_000).fill("'a'").join(" ~ ")} }}`).length, 2_000);
	assert.equal(render(`{{ ${Array(2_000).fill("false").join(" or ")} }}`), "False");
	assert.equal(render(`{% if false %}${"{% elif false %}".repeat(2_000)}{% else %}x{% endif %}`), "x");
});

test("hostile templates take linear time to read", () => {
	for (const text of [`${" ".repeat(300_000)}x{% if yes %}{% endif %}`, `{{ ${" ".repeat(300_000)} n }}`, `{{ '${"\\\\".repeat(100_000)}' }}`, "{".repeat(300_000), "{% ".repeat(100_000), "{#".repeat(100_000)]) {
		const start = performance.now();
		try {
			compileTemplate(text);
		} catch (error) {
			assert.ok(error instanceof TemplateSyntaxError || error instanceof TemplateError);
		}
		assert.ok(performance.now() - start < 2_000, text.slice(0, 20));
	}
});

test("references are the names taken from outside, with dotted paths", () => {
	const { references } = compileTemplate("{% set s = a %}{% for x in b if x > c %}{{ x.y }}{{ loop.index }}{{ s }}{% endfor %}{{ x }}{{ svckv.system.k.l | d(e.f['g.h']) }}{{ range(h) }}");
	assert.deepEqual(references.names, ["a", "b", "c", "x", "svckv", "e", "h"]);
	assert.deepEqual(references.paths, ["svckv.system.k.l", "e.f.g.h"]);
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

test("an expression can be evaluated without braces around it", () => {
	assert.equal(evaluateExpression("n + 1", scope), 4);
	assert.deepEqual(evaluateExpression("[n, {'a': half}]", scope), [3, { a: 2.5 }]);
	assert.throws(() => evaluateExpression("n }} {{ n", scope), TemplateSyntaxError);
});

test("a literal is evaluated, anything else is none", () => {
	assert.deepEqual(evaluateLiteral("{'a': [True, None, -1.5], \"b\": ('x', 2)}"), { a: [true, null, -1.5], b: ["x", 2] });
	for (const text of ["n", "1 + 1", "[n]", "'a' | upper", "{'a': }", "range(3)", ""]) assert.equal(evaluateLiteral(text), undefined, text);
});

test("a scope may answer whole paths", () => {
	const paths: string[] = [];
	const answering = {
		lookup: (name: string) => (name === "kv" ? { plain: 1 } : undefined),
		lookupPath: (path: readonly string[]) => {
			paths.push(path.join("."));
			return path[1] === "system" ? `value of ${path.slice(2).join(".")}` : undefined;
		},
	};
	assert.equal(compileTemplate("{{ kv.system.a.b }} {{ kv.plain }} {{ kv.system['c.d'].upper() }}").render(answering), "value of a.b 1 VALUE OF C.D");
	assert.deepEqual(paths, ["kv.system.a.b", "kv.plain", "kv.system.c.d"]);
});

test.run();
