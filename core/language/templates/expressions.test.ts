import * as assert from "node:assert/strict";
import { test } from "uvu";
import { toScope } from "./scope.ts";
import { compileTemplate } from "./template.ts";

const scope = toScope({
	n: 3,
	id: 1234567890123456789n,
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
});

const table = (title: string, rows: readonly (readonly [template: string, text: string])[]) =>
	test(title, () => {
		for (const [template, text] of rows) assert.equal(compileTemplate(template).render(scope), text, template);
	});

table("whole numbers are exact, however large", [
	[
		"{{ 1234567890123456789 }} {{ -1234567890123456789 }} {{ 0x1000000000000001 }}",
		"1234567890123456789 -1234567890123456789 1152921504606846977",
	],
	[
		"{{ id }} {{ id | string }} {{ [id] }} {{ {'a': id} }}",
		"1234567890123456789 1234567890123456789 [1234567890123456789] {'a': 1234567890123456789}",
	],
	[
		"{{ id + 1 }} {{ id - 1 }} {{ id * 10 }} {{ -id }} {{ id // 10 }} {{ id % 10 }}",
		"1234567890123456790 1234567890123456788 12345678901234567890 -1234567890123456789 123456789012345678 9",
	],
	[
		"{{ 2 ** 64 }} {{ 9007199254740991 + 2 }} {{ 3037000500 * 3037000500 }} {{ id - id }}",
		"18446744073709551616 9007199254740993 9223372037000250000 0",
	],
	["{{ -id // 10 }} {{ -id % 10 }} {{ id / 10 }}", "-123456789012345679 1 1.2345678901234568e+17"],
	[
		"{{ id == 1234567890123456789 }} {{ id == 1234567890123456788 }} {{ id > 1234567890123456788 }} {{ id in [1234567890123456789] }}",
		"True False True True",
	],
	[
		"{{ id is number }} {{ id is integer }} {{ id is float }} {{ id is odd }} {{ id is divisibleby 9 }} {{ id is defined }}",
		"True True False True True True",
	],
	[
		"{{ '1234567890123456789' | int }} {{ 'ffffffffffffffff' | int(base=16) }} {{ id | int }} {{ -id | abs }}",
		"1234567890123456789 18446744073709551615 1234567890123456789 1234567890123456789",
	],
	[
		"{{ id | tojson }} {{ {'a': id} | to_json_string }} {{ [id] | to_complex }}",
		'1234567890123456789 {"a": 1234567890123456789} [1234567890123456789]',
	],
	[
		"{{ ('{\"a\": 1234567890123456789}' | from_json_string).a + 0 }} {{ ('a: 1234567890123456789' | from_yaml_string).a + 0 }}",
		"1234567890123456789 1234567890123456789",
	],
	["{{ {'a': id} | to_yaml_string }}", "a: 1234567890123456789\n"],
	["{{ '%d %x' % (id, id) }} {{ '{}'.format(id) }}", "1234567890123456789 112210f47de98115 1234567890123456789"],
	[
		"{{ [id, 1234567890123456788] | sort | join(',') }} {{ [id, 1234567890123456788] | max }} {{ [id, id] | unique | join }} {{ [id, 1] | sum }}",
		"1234567890123456788,1234567890123456789 1234567890123456789 1234567890123456789 1234567890123456790",
	],
]);

test("now() gives the time in UTC, in the form of timestamps or in one that is asked for", () => {
	const render = (template: string) => compileTemplate(template).render(scope);
	const before = Date.now();
	const text = String(render("{{ now() }}"));
	assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
	assert.ok(Date.parse(text) >= before && Date.parse(text) <= Date.now(), text);
	assert.match(String(render("{{ now('%Y-%m-%d') }}")), /^\d{4}-\d\d-\d\d$/);
	assert.throws(() => render("{{ now(1) }}"));
});

test("a whole number of more than 1,000 digits is an error", () => {
	assert.throws(() => compileTemplate("{{ 10 ** 1000 }}").render(scope), /too many digits/);
	assert.throws(() => compileTemplate("{{ 9 ** 999999999999 }}").render(scope), /too many digits/);
});

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
	[
		"{{ list[1:] }} {{ list[:-1] }} {{ list[::-1] }} {{ name[1:3] }} {{ name[::2] }} {{ list[:] }}",
		"[1, 2] [3, 1] [2, 1, 3] or Wrd [3, 1, 2]",
	],
	[
		"{{ object.items }} {{ object.items() | length }} {{ object.get('zz') }} {{ object.get('zz', 5) }} {{ object.get('k') }}",
		"own 3 None 5 v",
	],
	["{{ users[1].name }} {{ 'héé😀'[3] }} {{ 'héé😀' | length }}", "bob 😀 4"],
]);

table("methods of texts, lists and objects", [
	[
		"{{ name.upper() }} {{ name.lower() }} {{ ' a '.strip() }}| {{ 'xxaxx'.strip('x') }} {{ ' a'.lstrip() }} {{ 'a '.rstrip() }}",
		"WORLD world a| a a a",
	],
	[
		"{{ 'a,b,c'.split(',') }} {{ 'a b  c'.split() }} {{ 'a,b,c'.split(',', 1) }} {{ 'a b c'.split(none, 1) }}",
		"['a', 'b', 'c'] ['a', 'b', 'c'] ['a', 'b,c'] ['a', 'b c']",
	],
	["{{ 'aXbX'.replace('X', '-') }} {{ 'aXbX'.replace('X', '-', 1) }} {{ 'a\\nb'.splitlines() }}", "a-b- a-bX ['a', 'b']"],
	["{{ name.startswith('Wo') }} {{ name.endswith(('x', 'd')) }} {{ name.find('r') }} {{ 'aaa'.count('a') }}", "True True 2 3"],
	["{{ '-'.join(['a', 'b']) }} {{ '{} {0} {x}'.format('a', x=1) }} {{ '42'.isdigit() }} {{ '-7'.zfill(4) }}", "a-b a a 1 True -007"],
	["{{ 'hello wORLD'.title() }} {{ 'hELLO'.capitalize() }}", "Hello World Hello"],
	["{{ object.keys() }} {{ {'a': 1}.values() }} {{ list.index(2) }} {{ [1, 1].count(1) }}", "['k', 'inner', 'items'] [1] 2 2"],
]);

table("filters on texts", [
	[
		"{{ name | upper }} {{ name | lower }} {{ 'aB c' | capitalize }} {{ 'a-b cD' | title }} {{ ' x ' | trim }}|",
		"WORLD world Ab c A-B Cd x|",
	],
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
	[
		"{{ 2.5 | round }} {{ 3.5 | round }} {{ 42.55 | round(1) }} {{ 0.125 | round(2) }} {{ 1.1 | round(0, 'ceil') }} {{ 1.9 | round(method='floor') }}",
		"2.0 4.0 42.5 0.12 2.0 1.0",
	],
	["{{ -3 | abs }} {{ -3.0 | abs }} {{ 1234 | round(-2) }}", "3 3.0 1200.0"],
]);

table("filters on lists and objects", [
	["{{ list | length }} {{ name | count }} {{ object | length }}", "3 5 3"],
	[
		"{{ list | sort }} {{ list | sort(reverse=true) }} {{ ['b', 'A'] | sort }} {{ ['b', 'A'] | sort(case_sensitive=true) }}",
		"[1, 2, 3] [3, 2, 1] ['A', 'b'] ['A', 'b']",
	],
	["{{ users | sort(attribute='age') | map(attribute='name') | join(',') }}", "bob,ann"],
	["{{ [1, 1.0, 2, 'a', 'A'] | unique }} {{ list | reverse }} {{ 'abc' | reverse }}", "[1, 2, 'a'] [2, 1, 3] cba"],
	[
		"{{ list | first }} {{ list | last }} {{ list | min }} {{ list | max }} {{ list | sum }} {{ users | sum(attribute='age') }}",
		"3 2 1 3 6 50",
	],
	["{{ users | max(attribute='age') | tojson }}", '{"active": true, "age": 30, "name": "ann"}'],
	["{{ 'abc' | list }} {{ [1, 2, 3] | batch(2) }} {{ [1, 2, 3] | batch(2, 0) }}", "['a', 'b', 'c'] [[1, 2], [3]] [[1, 2], [3, 0]]"],
	[
		"{{ {'b': 1, 'a': 2} | dictsort }} {{ {'b': 1, 'a': 2} | dictsort(by='value') }} {{ {'a': 1} | items }}",
		"[['a', 2], ['b', 1]] [['b', 1], ['a', 2]] [['a', 1]]",
	],
	["{{ users | map('length') | list }} {{ ['a'] | map('upper') }} {{ ['a-b'] | map('replace', '-', '+') }}", "[3, 3] ['A'] ['a+b']"],
	[
		"{{ users | map(attribute='zz', default=0) }} {{ [0, 1, 2] | select }} {{ list | select('odd') }} {{ list | reject('gt', 1) }}",
		"[0, 0] [1, 2] [3, 1] [1]",
	],
	[
		"{{ users | selectattr('active') | map(attribute='name') }} {{ users | rejectattr('age', 'eq', 30) | map(attribute='name') }}",
		"['ann'] ['bob']",
	],
	["{{ users | selectattr('zz', 'defined') }}", "[]"],
	["{% for active, group in users | groupby('active') %}{{ active }}:{{ group | length }};{% endfor %}", "False:1;True:1;"],
]);

table("filters for JSON and null", [
	["{{ {'b': [1, none], 'a': '<é>'} | tojson }}", '{"a": "\\u003c\\u00e9\\u003e", "b": [1, null]}'],
	[
		"{{ {'b': [1, 2], 'a': 1.0} | to_json_string }} {{ {'b': 1, 'a': 2} | to_json_string(sort_keys=true) }}",
		'{"b": [1,2],"a": 1.0} {"a": 2,"b": 1}',
	],
	["{{ [1, {}] | tojson(2) }}", "[\n  1,\n  {}\n]"],
	["{{ ('{\"a\": [1]}' | from_json_string).a[0] }} {{ nothing | from_json_string }}", "1 None"],
	["{{ nothing | use_none }} {{ 5 | use_none }} {{ object.inner | to_complex }}", '%*****__%NONE%__*****% 5 {"deep": [1, null, true]}'],
	[
		"{{ missing | default('x') }} {{ object.zz | d('y') }} {{ empty | default('z', true) }} {{ nothing | default('w') }} {{ missing | default }}|",
		"x y z None |",
	],
]);

test.run();
