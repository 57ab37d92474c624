import * as assert from "node:assert/strict";
import { test } from "uvu";
import { emptyDatastore } from "./datastore.ts";
import { isRenderProblem, TemplateError, TemplateSyntaxError } from "./errors.ts";
import { toScope } from "./scope.ts";
import { compileTemplate } from "./template.ts";

const scope = toScope(
	{ n: 3, name: "World", yes: true, list: [3, 1, 2], object: { k: "v" }, users: [{ name: "ann" }, { name: "bob" }] },
	emptyDatastore,
);

/** Milliseconds of the processor: a busy machine does no harm. */
function sinceStart(start: NodeJS.CpuUsage): number {
	const { user, system } = process.cpuUsage(start);
	return (user + system) / 1_000;
}

const render = (text: string) => compileTemplate(text).render(scope);

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
		"{{ object | attr('__proto__') }}",
		"{{ object | attr('constructor') }}",
		"{{ svckv }}",
		"{{ svckv.constructor }}",
		"{{ svckv['__proto__'] }}",
		"{{ svckv.system }}",
		"{{ svckv.system | tojson }}",
		"{{ svckv.system.resolve() }}",
		"{{ 'secret' | decrypt_kv }}",
		"{{ '!!js/function \"function() {}\"' | from_yaml_string | attr('call') }}",
	]) {
		assert.throws(
			() => render(text),
			(error: Error) => error instanceof TemplateError || error instanceof TemplateSyntaxError,
			text,
		);
	}
});

test("a member called __proto__ is an ordinary member", () => {
	const value = compileTemplate("{{ {'__proto__': {'polluted': 1}, 'a': 2} }}").renderNative(scope) as Record<string, unknown>;
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
		"{{ ('a' * 50000 ~ '!') | regex_match('(a+)+$') }}",
		"{{ ('a' * 50000) | regex_search('(a|a)*b') }}",
		"{{ ('a' * 30) | regex_search('a?' * 30 ~ 'a' * 31 ~ 'b') }}",
		"{{ ('a' * 500000) | regex_replace('a', 'b' * 1000) }}",
		"{{ ('a' * 500000) | regex_replace('(a+)', '\\\\1' * 1000) }}",
		"{{ ('ab' * 200000) | regex_substring('(a+)+c') }}",
		"{{ 'x' | center(1000000000) }}",
		"{{ ('x ' * 300000) | wordwrap(1, true, 'y' * 1000) }}",
		"{{ [1] | slice(1000000000) }}",
		"{{ ('[' * 200000) | from_yaml_string }}",
		"{{ ('[' * 200000) | from_json_string }}",
		"{{ 'a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c]' | from_yaml_string }}",
		"{{ ('9' * 100000 ~ '.0.0') | version_bump_major }}",
		`{% set a = [1, 1] %}${"{% set a = [a, a] %}".repeat(60)}{{ a | to_yaml_string }}`,
	];
	for (const text of attacks) {
		const start = process.cpuUsage();
		assert.throws(() => render(text), isRenderProblem, text.slice(0, 80));
		assert.ok(sinceStart(start) < 2_000, text.slice(0, 80));
	}
});

test("what is nested deeply and does not look so does not take the stack, which would end the process", async () => {
	for (const text of [
		`{{ ('["]",' * 5000) | from_yaml_string }}`,
		`{{ ('[ #]\n ' * 5000) | from_yaml_string }}`,
		"{{ ('? ' * 5000) | from_yaml_string }}",
		"{{ (('- ' * 60 ~ '\n' ~ ' ' * 130) * 50) | from_yaml_string }}",
	]) {
		// An expression of the parser is compiled at one of the first calls, and cannot be where there is no stack left.
		for (let call = 0; call < 12; call += 1) {
			assert.throws(() => render(text), isRenderProblem, text);
			await new Promise((resolve) => setImmediate(resolve));
		}
	}
});

test("hostile texts take linear time in the filters that look for something in them", () => {
	for (const text of [
		"{{ ('<' * 1000000) | striptags }}",
		"{{ ('<!--' * 200000) | striptags }}",
		"{{ ('www.' * 20000) | urlize is string }}",
		"{{ ('(.' * 40000) | urlize is string }}",
		"{{ ('/' * 1000000) | dirname }}",
	]) {
		const start = process.cpuUsage();
		render(text);
		assert.ok(sinceStart(start) < 2_000, text);
	}
});

test("a text with much white space that is not Base64 is refused at once", () => {
	const start = process.cpuUsage();
	assert.throws(() => render("{{ ('A' ~ ' ' * 500000 ~ '!') | b64decode }}"), /needs a Base64 string/);
	assert.ok(sinceStart(start) < 2_000);
	assert.equal(render("{{ 'aGVs\nbG8 \n\n' | b64decode }}"), "hello");
});

test("long but flat templates are no problem", () => {
	assert.equal(render(`{{ ${Array(2_000).fill("1").join(" + ")} }}`), "2000");
	assert.equal(render(`{{ ${Array(2_000).fill("'a'").join(" ~ ")} }}`).length, 2_000);
	assert.equal(render(`{{ ${Array(2_000).fill("false").join(" or ")} }}`), "False");
	assert.equal(render(`{% if false %}${"{% elif false %}".repeat(2_000)}{% else %}x{% endif %}`), "x");
});

test("hostile templates take linear time to read", () => {
	for (const text of [
		`${" ".repeat(300_000)}x{% if yes %}{% endif %}`,
		`{{ ${" ".repeat(300_000)} n }}`,
		`{{ '${"\\\\".repeat(100_000)}' }}`,
		"{".repeat(300_000),
		"{% ".repeat(100_000),
		"{#".repeat(100_000),
	]) {
		const start = process.cpuUsage();
		try {
			compileTemplate(text);
		} catch (error) {
			assert.ok(error instanceof TemplateSyntaxError || error instanceof TemplateError);
		}
		assert.ok(sinceStart(start) < 2_000, text.slice(0, 20));
	}
});

test.run();
