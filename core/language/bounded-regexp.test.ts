import * as assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "uvu";
import { isSvcError } from "../contract/index.ts";
import { CompiledRegExpCache, createBoundedRegExp, isPattern, type RegExpSource } from "./bounded-regexp.ts";
import { waitForLoopBudget } from "./event-loop-budget.ts";
import { currentWorkBudget, WorkBudget, withWorkBudget, workLimits } from "./work-budget.ts";

const endless = "^(a+)+$";
const text = `${"a".repeat(40)}b`;
const isTooLong = (error: unknown) => isSvcError(error, "SVC_INVALID") && /too long/.test(error.message);
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Where else an expression is made of a text that is no literal, and why it cannot be slow. */
const harmless: Readonly<Record<string, string>> = {
	"core/cli/context.ts": "a control character, which a literal may not name",
	"core/contract/json.ts": "a mark of the module's own and digits",
	"core/http/allowed-methods.ts": "the paths of the routes, in which nothing is repeated within what is repeated",
	"core/language/bounded-regexp.ts": "foreign patterns, which come of bounded-reg-exp.ts alone",
	"core/language/templates/filters/layout-filters.ts": "a number",
	"core/language/templates/filters/yaml-filters.ts": "a pattern of the YAML package",
	"core/service/serve.ts": "a control character, which a literal may not name",
};

test("nothing else in the service makes an expression of a foreign text", async () => {
	const root = fileURLToPath(new URL("../../", import.meta.url));
	// Compiled tests lie in a folder of their own.
	const source = root.replace(/build\/tests\/$/, "");
	const found: string[] = [];
	for (const folder of ["core", "plugins", "plugins-auth", "plugins-runner"]) {
		for (const name of await readdir(join(source, folder), { recursive: true })) {
			if (!/\.tsx?$/.test(name) || /\.test(-support)?\.tsx?$/.test(name)) continue;
			const content = await readFile(join(source, folder, name), "utf8");
			// A text given to these becomes an expression, too.
			if (
				/(?<!Bounded)\bRegExp\((?!\))/.test(content) ||
				/\.(?:match|matchAll|search)\((?:text|pattern|value|given|input)\b/.test(content)
			) {
				found.push(`${folder}/${name}`);
			}
		}
	}
	const advice = "use createBoundedRegExp for what comes from outside; what cannot be slow is listed in this test";
	assert.deepEqual(found.sort(), Object.keys(harmless).sort(), advice);
});

test("all searches of one piece of work share its time, and others have their own", async () => {
	const search = () => createBoundedRegExp(endless).test(text);
	const cpu = process.cpuUsage();
	withWorkBudget(() => {
		for (let count = 0; count < 50; count++) assert.throws(search, isTooLong);
		// A search that is quick otherwise gets no time either.
		assert.throws(() => createBoundedRegExp("b").test(text), isTooLong);
	});
	const { user, system } = process.cpuUsage(cpu);
	assert.ok((user + system) / 1_000 < 20 * workLimits.searchMs);
	assert.equal(
		withWorkBudget(() => createBoundedRegExp("b$").test(text)),
		true,
	);
	assert.throws(() => new WorkBudget().run(() => withWorkBudget(search)), isTooLong);
	// Outside of any work a turn of the event loop has one budget.
	assert.throws(search, isTooLong);
	assert.throws(() => createBoundedRegExp("b").test(text), isTooLong);
	await turn();
	assert.equal(createBoundedRegExp("b").test(text), true);
});

test("work that is ended inside another leaves nothing behind", async () => {
	assert.throws(() => currentWorkBudget().checkWithTimeout(() => withWorkBudget(() => createBoundedRegExp(endless).test(text))), isTooLong);
	assert.throws(
		() =>
			currentWorkBudget().checkWithTimeout(() =>
				withWorkBudget(() => {
					for (;;);
				}),
			),
		isTooLong,
	);
	await turn();
	assert.equal(createBoundedRegExp("b").test(text), true);
});

test("after slow work the next waits for a turn of its own, one after another", async () => {
	await turn();
	await turn();
	assert.equal(waitForLoopBudget(), undefined);
	const workSlowly = () => assert.throws(() => withWorkBudget(() => createBoundedRegExp(endless).test(text)), isTooLong);
	workSlowly();
	const order: string[] = [];
	const waiting = ["first", "second"].map(async (name) => {
		await waitForLoopBudget();
		order.push(name);
		workSlowly();
	});
	setImmediate(() => order.push("sockets"));
	await Promise.all(waiting);
	assert.deepEqual(order, ["first", "sockets", "second"]);
});

test("expressions that would take the stack of the compiler are refused", () => {
	assert.equal(isPattern("(".repeat(501) + ")".repeat(501)), false);
	assert.equal(isPattern("a".repeat(20_001)), false);
	assert.equal(isPattern("^a+$"), true);
	assert.equal(isPattern(5), false);
});

test("expressions take no long time to be compiled, which nothing could end", async () => {
	for (const [pattern, flags] of [
		["\\P{L}".repeat(8), "u"],
		["[^\\p{L}\\p{M}\\p{N}_]".repeat(20), "u"],
		["(?:^|x)".concat("[^\\p{L}\\p{M}\\p{N}_]".repeat(8)), "iu"],
		["[\\u{10000}-\\u{10010}\\u{1f600}\\u{20000}-\\u{30000}]".repeat(10), "iu"],
		["(?:".repeat(60).concat("a", "?){3}".repeat(60)), ""],
		["(?:a|b)?".repeat(500), ""],
	] as const) {
		const began = process.cpuUsage();
		const expression = createBoundedRegExp(pattern, flags);
		for (const subject of ["x", "x", "\u4e00", "\u4e00"]) {
			// It is compiled for each kind of texts, and better when it is used again.
			await turn();
			try {
				expression.test(subject);
			} catch (error) {
				assert.ok(isTooLong(error), String(error));
			}
		}
		const { user, system } = process.cpuUsage(began);
		assert.ok((user + system) / 1_000 < 1_000, `${pattern.slice(0, 40)} took ${(user + system) / 1_000} ms`);
	}
});

test("expressions that would take long to be compiled are refused", () => {
	for (const pattern of ["\\p{L}".repeat(400), "(?:a{2}){3}".repeat(100), "a?".repeat(5_000), "ab|".repeat(6_000)]) {
		assert.equal(isPattern(pattern), false, pattern.slice(0, 40));
	}
	const address = Array.from({ length: 8 }, (_, index) => `(?:[0-9a-f]{1,4}:){${index}}[0-9a-f]{1,4}`).join("|");
	const words = Array.from({ length: 1_000 }, (_, index) => `word${index}`).join("|");
	for (const pattern of [address, words, "\\w+".repeat(100), "(\\d{1,3}\\.?)".repeat(4)])
		assert.equal(isPattern(pattern), true, pattern.slice(0, 40));
});

test("expressions that are kept compiled have room together; others are compiled again when they are used", () => {
	const expressions = new CompiledRegExpCache(10);
	const sources = Array.from({ length: 20 }, (_, index) => ({ pattern: `^${index}$`, flags: "", cost: 2 }));
	const [first, second, ...others] = sources as [RegExpSource, RegExpSource, ...RegExpSource[]];
	const kept = expressions.get(first);
	const dropped = expressions.get(second);
	for (const source of others) {
		assert.equal(expressions.get(source).test(source.pattern.slice(1, -1)), true);
		assert.equal(expressions.get(first), kept);
		assert.ok(expressions.cost <= 10);
	}
	assert.notEqual(expressions.get(second), dropped);
	assert.equal(expressions.get(second).test("1"), true);
	assert.equal(expressions.get({ pattern: "x", flags: "", cost: 50 }).test("x"), true);
	assert.throws(() => expressions.get({ pattern: "(", flags: "", cost: 1 }), SyntaxError);
	assert.ok(expressions.cost <= 50);
});

test("an expression that the runtime finds too large when it is used is no failure of the service", async () => {
	const isRefused = (error: unknown) => isSvcError(error, "SVC_INVALID") && /too large|too long/.test(error.message);
	const expression = createBoundedRegExp(".".repeat(20_000), "u");
	for (const subject of ["x", "\u4e00", "\u4e00"]) {
		await turn();
		try {
			expression.test(subject.repeat(10));
		} catch (error) {
			assert.ok(isRefused(error), String(error));
		}
	}
});

test.run();
