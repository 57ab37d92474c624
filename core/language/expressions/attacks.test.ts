import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError, type JsonValue } from "../../contract/index.ts";
import { createExpressions } from "./expressions.ts";

const expressions = createExpressions();
const variables = {
	n: 3,
	text: "text",
	list: [3, 1, 2],
	object: { k: "v" },
	long: "a".repeat(40),
	json: '{"a": 1}',
	many: Array.from({ length: 20_000 }, (_, index) => index),
};
const evaluate = (value: JsonValue) => expressions.evaluate(value, { variables, functions: { result: () => ({ x: 1 }) } });
const isRefused = (error: unknown) => isSvcError(error, "SVC_INVALID");

const names = [
	"constructor",
	"__proto__",
	"prototype",
	"toString",
	"valueOf",
	"hasOwnProperty",
	"length",
	"then",
	"__defineGetter__",
	"name",
];
const subjects = [
	"ctx()",
	"ctx(text)",
	"ctx(n)",
	"ctx(list)[0]",
	"ctx(object)",
	"ctx(json)",
	"result()",
	"{}",
	"x",
	"null",
	"true",
	"now()",
	"regex(a)",
];

test("nothing leads to prototypes, constructors or functions", async () => {
	for (const name of names) {
		for (const subject of subjects) {
			if (name === "name" && subject === "regex(a)") continue;
			for (const text of [`<% ${subject}.${name} %>`, `<% ${subject}.${name}() %>`, `<% ${subject}['${name}'] %>`]) {
				await assert.rejects(evaluate(text), isRefused, text);
			}
		}
		for (const text of [
			`<% ${name}(1) %>`,
			`<% [ctx(object)].${name} %>`,
			`<% ctx(list).${name}() %>`,
			`<% ctx(${name}) %>`,
			`<% ctx(list).select($.${name}) %>`,
			`{{ ctx().${name} }}`,
			`{{ ctx('${name}') }}`,
			`{{ ctx().object['${name}'] }}`,
			`{{ ctx().text.${name} }}`,
			`{{ ctx().json.${name} }}`,
			`{{ result().${name} }}`,
			`{{ ${name}() }}`,
			`{{ ctx.${name} }}`,
			`{{ ctx() | ${name.replace("length", "length2")} }}`,
		]) {
			await assert.rejects(evaluate(text), isRefused, text);
		}
	}
	assert.equal(await evaluate("<% ctx(object).get(constructor, none) %>"), "none");
	assert.equal(await evaluate("<% $constructor %>"), null);
	assert.equal(await evaluate("<% ctx().containsKey('__proto__') %>"), false);
});

test("a member called __proto__ is an ordinary member", async () => {
	for (const text of [
		"<% {'__proto__' => {polluted => 1}, a => 2} %>",
		"<% dict('__proto__' => {polluted => 1}, a => 2) %>",
		"<% {a => 2}.set('__proto__', {polluted => 1}) %>",
		"<% {a => 2} + {'__proto__' => {polluted => 1}} %>",
		"<% ['__proto__', a].toDict($, {polluted => 1}) %>",
		"<% {a => 2}.mergeWith({'__proto__' => {polluted => 1}}) %>",
		"<% dict([['__proto__', {polluted => 1}], [a, 2]]) %>",
		'<% json(\'{"__proto__": {"polluted": 1}, "a": 2}\') %>',
	]) {
		const value = (await evaluate(text)) as object;
		assert.equal(Object.getPrototypeOf(value), Object.prototype, text);
		assert.deepEqual(Object.keys(value).sort(), ["__proto__", "a"], text);
	}
	assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
});

const tooMuch: readonly string[] = [
	"<% a * 1000000000 %>",
	"<% [1] * 1000000000 %>",
	"<% range(1000000000) %>",
	"<% range(1000000000).sum() %>",
	"<% range(100000).select(range(100000)) %>",
	"<% sequence() %>",
	"<% sequence().last() %>",
	"<% sequence().select($ + 1).where($ < 0) %>",
	"<% sequence().any($ < 0) %>",
	"<% sequence().skip(100000000) %>",
	"<% sequence().len() %>",
	"<% sequence().join(',') %>",
	"<% sequence().orderBy($) %>",
	"<% sequence().distinct().contains(null) %>",
	"<% sequence().toSet() %>",
	"<% sequence().zip(sequence()) %>",
	"<% sequence().flatten().len() %>",
	"<% sequence() + [1] %>",
	"<% list(sequence()) %>",
	"<% sequence() = sequence() %>",
	"<% sequence().reverse() %>",
	"<% sequence().slice(3).len() %>",
	"<% sequence().slice(1000000000) %>",
	"<% sequence().indexOf(null) %>",
	"<% sequence().aggregate($1 + $2) %>",
	"<% sequence().accumulate($1 + $2).last() %>",
	"<% sequence().groupBy($) %>",
	"<% sequence().unpack(a, b) -> 1 %>",
	"<% sequence().unpack() -> 1 %>",
	"<% x.repeat() %>",
	"<% x.repeat(1000000000) %>",
	"<% ctx(long).repeat().join('') %>",
	"<% [1, 2].cycle() %>",
	"<% [].cycle().concat([1].cycle()).last() %>",
	"<% generate(1, true, $) %>",
	"<% generateMany(1, [$, $]) %>",
	"<% generateMany(1, [$, $], depthFirst => true) %>",
	"<% ctx(many).join(ctx(many), $1 = $2, $1) %>",
	"<% ctx(many).where(ctx(many).contains($)) %>",
	"<% ctx(many).select([$]).distinct() %>",
	"<% ctx(many).groupBy([$]) %>",
	"<% 'a'.replace('', ctx(long)).replace('', ctx(long)).replace('', ctx(long)).replace('', ctx(long)).replace('', ctx(long)) %>",
	"<% regex('').replace(ctx(long) * 1000, ctx(long) * 1000) %>",
	"<% regex('').replaceBy(ctx(long) * 1000, ctx(long) * 1000) %>",
	"<% let(ctx(long) * 1000) -> let($ + $ + $ + $ + $ + $) -> let($ + $ + $ + $ + $ + $) -> $ %>",
	"<% let([1, 1]) -> let([$, $, $, $, $, $, $, $]) -> let([$, $, $, $, $, $, $, $]) -> let([$, $, $, $, $, $, $, $]) -> let([$, $, $, $, $, $, $, $]) -> let([$, $, $, $, $, $, $, $]) -> let([$, $, $, $, $, $, $, $]) -> let([$, $, $, $, $, $, $, $]) -> $ %>",
	"x <% let([xxxxxxxxxxxxxxxxxxxx, 1]) -> let([$, $, $, $, $, $, $, $]) -> let([$, $, $, $, $, $, $, $]) -> let([$, $, $, $, $, $, $, $]) -> let([$, $, $, $, $, $, $, $]) -> let([$, $, $, $, $, $, $, $]) -> let([$, $, $, $, $, $, $, $]) -> str($) %>",
	"<% let(range(1000).toList()) -> let([$] * 1000) -> let([$] * 1000) -> [$] * 1000 %>",
	"<% let(range(1000).toDict(str($))) -> let([$] * 1000) -> let([$] * 1000) -> [$] * 1000 %>",
	"<% regex('^(a+)+$').matches(ctx(long) + b) %>",
	"<% ctx(long) + b =~ '^(a|aa)+$' %>",
	"<% (ctx(long) + b).replace(regex('^(a|a)*$'), x) %>",
	"<% regex('(a*)*b').search(ctx(long)) %>",
	"<% regex_search(ctx(long) + b, '^(a+)+$') %>",
	"<% pow(9, 999999999) %>",
	"<% shiftBitsLeft(1, 999999999) %>",
	"<% round(1.5, 99999999999) + pow(9, 9999) %>",
	"<% timespan(days => 9007199254740991) %>",
	"<% datetime(9007199254740991) %>",
	`<% ${"(".repeat(101)}1${")".repeat(101)} %>`,
	`<% ${"[".repeat(1_000)}${"]".repeat(1_000)} %>`,
	`<% ${"-".repeat(10_000)}1 %>`,
	`<% ${"not ".repeat(10_000)}1 %>`,
	`<% x${".a".repeat(1_000)} %>`,
	`<% x${"[0]".repeat(1_000)} %>`,
	`<% ${"let(1) -> ".repeat(1_000)}1 %>`,
	`<% json('${"[".repeat(5_000)}${"]".repeat(5_000)}') %>`,
	"{{ 'a' * 1000000000 }}",
	"{{ range(1000000000) }}",
	"{{ ctx().many | map('string') | join(ctx().many | join) }}",
	"{{ zip(ctx().many, ctx().many, ctx().many, ctx().many, ctx().many, ctx().many, ctx().many, ctx().many, ctx().many, ctx().many, ctx().many) | length }}{{ ctx().many | map('list') }}",
];

test("nothing takes more than its share of time, steps, size and depth", async () => {
	for (const text of tooMuch) {
		const began = process.cpuUsage();
		await assert.rejects(evaluate(text), isRefused, text.slice(0, 100));
		const { user, system } = process.cpuUsage(began);
		assert.ok((user + system) / 1_000 < 3_000, text.slice(0, 100));
	}
});

test("all expressions of a value share what they may use", async () => {
	const one = "<% ctx(many).select($ + 1).sum() %>";
	assert.equal(await evaluate(one), 200_010_000);
	await assert.rejects(evaluate(Array.from({ length: 50 }, () => one)), /too many steps|more than 250000 steps/);
	await assert.rejects(evaluate(Array.from({ length: 50 }, () => "<% regex('(a*)*b').matches(ctx(long)) %>")), /takes too long/);
});

test("hostile texts take linear time to read", () => {
	const mega = 300_000;
	for (const text of [
		"<%".repeat(mega),
		"{{".repeat(mega),
		`${"{{".repeat(mega)}}}`,
		`${"<% ".repeat(mega)}%>`,
		"<% ".repeat(mega).replaceAll(" ", "\n"),
		"{{ ' }} ".repeat(100_000),
		"{{ { }} ".repeat(100_000),
		"{% ".repeat(mega),
		`<% ${"a".repeat(1_000_000)} %>`,
		`<% '${"\\\\".repeat(mega)}' %>`,
		`<% '${"\\\\".repeat(mega)} %>`,
		`<% ${" ".repeat(1_000_000)} %>`,
		`<% ${"1".repeat(mega)} %>`,
		`<% 1${".".repeat(mega)} %>`,
		`<% ${"$a.".repeat(mega)} %>`,
		`<% ${"[".repeat(mega)} %>`,
		`<% ${"1 + ".repeat(49_000)}1 %>`,
	]) {
		const began = process.cpuUsage();
		expressions.find(text);
		const { user, system } = process.cpuUsage(began);
		assert.ok((user + system) / 1_000 < 4_000, `${text.slice(0, 20)} ${(user + system) / 1_000}`);
	}
});

test("an expression that is far too long is not read", async () => {
	const text = `<% ${"1 + ".repeat(50_000)}1 %>`;
	assert.equal(expressions.find(text)[0]?.problem, "an expression has more than 200000 characters");
	await assert.rejects(evaluate(text), isRefused);
});

test("large values are passed on as they are", async () => {
	const large = Array.from({ length: 100_000 }, (_, index) => ({ index, text: "x".repeat(20) }));
	const scope = { variables: { large }, functions: { result: () => large } };
	for (const text of ["<% ctx(large) %>", "{{ ctx('large') }}", "<% result() %>", "<% ctx().large %>"]) {
		assert.equal(await expressions.evaluate(text, scope), large, text);
	}
	assert.equal(await expressions.evaluate("<% ctx(large).len() + ctx(large)[-1].index %>", scope), 199_999);
	const long = "é".repeat(3_000_000);
	assert.equal(await expressions.evaluate("<% ctx(long) %>", { variables: { long } }), long);
});

test("long but flat expressions are no problem", async () => {
	assert.equal(await evaluate(`<% ${Array(4_000).fill("1").join(" + ")} %>`), 4_000);
	assert.equal(await evaluate(`<% ${Array(2_000).fill("false").join(" or ")} %>`), false);
	assert.equal(((await evaluate(`<% [${Array(4_000).fill("x").join(", ")}] %>`)) as string[]).length, 4_000);
	assert.equal(await evaluate(`<% switch(${Array(1_000).fill("false => 1").join(", ")}, true => 2) %>`), 2);
});

test("values nested too deeply are refused, not walked", async () => {
	let deep: JsonValue = "<% 1 %>";
	for (let level = 0; level < 5_000; level++) deep = [deep];
	await assert.rejects(evaluate(deep), isRefused);
	assert.throws(() => expressions.find(deep), isRefused);
	const nested = () => JSON.parse(`${"[".repeat(5_000)}1${"]".repeat(5_000)}`) as JsonValue;
	for (const text of [
		"<% ctx(d) %>",
		"a <% ctx(d) %>",
		"<% ctx(d).flatten() %>",
		"<% ctx(d) = ctx(e) %>",
		"<% str(ctx(d)) %>",
		"{{ ctx().d }}",
	]) {
		await assert.rejects(expressions.evaluate(text, { variables: { d: nested(), e: nested() } }), isRefused, text);
	}
});

test("messages hold no values", async () => {
	const secret = "s3cr3t-value";
	const scope = { variables: { secret, list: [secret], object: { [secret]: secret } } };
	for (const text of [
		"<% ctx(secret) + 1 %>",
		"<% ctx(secret).foo() %>",
		"<% ctx(secret).x %>",
		"<% ctx(object)[ctx(secret) + '!'] %>",
		"<% int(ctx(secret)) %>",
		"<% datetime(ctx(secret)) %>",
		"<% float(ctx(secret)) %>",
		"<% ctx(list).sum(0) %>",
		"<% ctx(list) > 1 %>",
		"<% json(ctx(secret)) %>",
		"<% yaml_parse(concat('{', ctx(secret))) %>",
		"<% regex(ctx(secret) + '(').matches(a) %>",
		"<% {ctx(list) => 1} %>",
		"{{ ctx('secret') + 1 }}",
		"{{ ctx().object[ctx().secret ~ '!'] }}",
		"{{ ctx().secret.foo() }}",
	]) {
		await assert.rejects(expressions.evaluate(text, scope), (error: Error) => isRefused(error) && !error.message.includes(secret), text);
	}
});

test.run();
