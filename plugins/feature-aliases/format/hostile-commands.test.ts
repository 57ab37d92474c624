import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError } from "../../../core/contract/index.ts";
import { withWorkBudget } from "../../../core/language/work-budget.ts";
import { createAliasFormat } from "./alias-format.ts";
import { maxCommandLength, readCommand } from "./command-text.ts";

/** Milliseconds of the processor that one call takes. */
function toMilliseconds(work: () => unknown): number {
	const began = process.cpuUsage();
	work();
	const { user, system } = process.cpuUsage(began);
	return (user + system) / 1_000;
}

test("no command holds up the service, whatever it is made of", () => {
	const format = createAliasFormat("run {{cmd}} on {{hosts=all}} {{more={}}}");
	for (const piece of [
		'"',
		"'",
		"`",
		"{",
		"[",
		"a=",
		"a={",
		'a="',
		"a=b ",
		"x ",
		"{[",
		"\\",
		"run ",
		"on ",
		"“",
		" ",
		"```",
		"run a on ",
		"\n",
	]) {
		const command = `run ${piece.repeat(maxCommandLength)}`.slice(0, maxCommandLength);
		const took = toMilliseconds(() =>
			withWorkBudget(() => {
				try {
					format.read(readCommand(command));
				} catch (error) {
					assert.ok(isSvcError(error, "SVC_INVALID"), piece);
				}
			}),
		);
		assert.ok(took < 500, `${JSON.stringify(piece)} took ${took} ms`);
	}
});

test("a format whose search would never end is given up", () => {
	const format = createAliasFormat("run (a+)+ {{cmd}}b");
	const took = toMilliseconds(() =>
		assert.throws(
			() => withWorkBudget(() => format.read(readCommand(`run ${"a".repeat(5_000)} c`))),
			(error: unknown) => isSvcError(error, "SVC_INVALID") && /too long/.test(error.message),
		),
	);
	assert.ok(took < 500, `${took} ms`);
});

test("names of values that objects have of their own are names like others", () => {
	const [values = {}] = createAliasFormat("set {{constructor}} {{toString=x}}").read(readCommand("set a __proto__=b")) ?? [];
	assert.deepEqual(Object.entries(values), [
		["constructor", "a"],
		["toString", "x"],
		["__proto__", "b"],
	]);
	assert.equal(Object.getPrototypeOf(values), Object.prototype);
});

test.run();
