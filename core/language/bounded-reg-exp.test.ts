import * as assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "uvu";
import { isSvcError } from "../contract/index.ts";
import { createBoundedRegExp, isPattern } from "./bounded-reg-exp.ts";
import { roomInTurn } from "./loop-turn.ts";
import { asOneWork, currentWork, WorkBudget, workLimits } from "./work-budget.ts";

const endless = "^(a+)+$";
const text = `${"a".repeat(40)}b`;
const isTooLong = (error: unknown) => isSvcError(error, "SVC_INVALID") && /too long/.test(error.message);
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Where else an expression is made of a text that is no literal, and why it cannot be slow. */
const harmless: Readonly<Record<string, string>> = {
	"core/cli/terminal-text.ts": "a control character, which a literal may not name",
	"core/http/allowed-methods.ts": "the paths of the routes, in which nothing is repeated within what is repeated",
	"core/language/bounded-reg-exp.ts": "the one place for foreign patterns",
	"core/language/templates/filters/layout-filters.ts": "a number",
	"core/language/templates/filters/yaml-filters.ts": "a pattern of the YAML package",
	"core/service/banner.ts": "a control character, which a literal may not name",
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
	asOneWork(() => {
		for (let count = 0; count < 50; count++) assert.throws(search, isTooLong);
		// A search that is quick otherwise gets no time either.
		assert.throws(() => createBoundedRegExp("b").test(text), isTooLong);
	});
	const { user, system } = process.cpuUsage(cpu);
	assert.ok((user + system) / 1_000 < 20 * workLimits.searching);
	assert.equal(
		asOneWork(() => createBoundedRegExp("b$").test(text)),
		true,
	);
	assert.throws(() => new WorkBudget().run(() => asOneWork(search)), isTooLong);
	// Outside of any work a turn of the event loop has one budget.
	assert.throws(search, isTooLong);
	assert.throws(() => createBoundedRegExp("b").test(text), isTooLong);
	await turn();
	assert.equal(createBoundedRegExp("b").test(text), true);
});

test("work that is ended inside another leaves nothing behind", async () => {
	assert.throws(() => currentWork().checked(() => asOneWork(() => createBoundedRegExp(endless).test(text))), isTooLong);
	assert.throws(
		() =>
			currentWork().checked(() =>
				asOneWork(() => {
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
	assert.equal(roomInTurn(), undefined);
	assert.throws(() => asOneWork(() => createBoundedRegExp(endless).test(text)), isTooLong);
	const order: string[] = [];
	const waiting = ["first", "second"].map(async (name) => {
		await roomInTurn();
		order.push(name);
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

test.run();
