import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { JsonObject, JsonValue } from "../../../contract/index.ts";
import { compileCriteria } from "./index.ts";
import { isRejected } from "./pre-filter.ts";

const isOut = (criteria: JsonObject, payload: JsonObject) => {
	const { sieve } = compileCriteria(criteria);
	return sieve !== undefined && isRejected(sieve, sieve.read({ trigger: payload }));
};
const about = (type: string, pattern: JsonValue, key = "trigger.a.b"): JsonObject => ({ [key]: { type, pattern } });

test("what a sieve lets out does not match, and could be decided", () => {
	const patterns: readonly JsonValue[] = [
		"x",
		"",
		"x y",
		["x"],
		["x", "y"],
		[],
		["x", 1],
		[["x"]],
		1,
		true,
		{ x: 1 },
		"{{ trigger.a.b }}",
		"{x",
	];
	const values: readonly JsonValue[] = ["x", "X", "", "y", "x y", "{{ trigger.a.b }}", "1", 1, true, null, ["x"], { x: "x" }];
	const payloads: readonly JsonObject[] = [...values.map((b) => ({ a: { b } })), {}, { a: null }, { a: "x" }, { a: ["x"] }, { "a.b": "y" }];
	let out = 0;
	for (const type of [
		"equals",
		"eq",
		"inside",
		"in",
		"nequals",
		"ninside",
		"contains",
		"iequals",
		"startswith",
		"matchwildcard",
		"exists",
	]) {
		for (const pattern of patterns) {
			for (const key of [
				"trigger.a.b",
				"trigger.a.b#1",
				" trigger.a.b ",
				"$.trigger.a['b']",
				"trigger.a[*]",
				"trigger..b",
				"a.b",
				"trigger.a[",
			]) {
				for (const payload of payloads) {
					const criteria = about(type, pattern, key);
					if (!isOut(criteria, payload)) continue;
					out += 1;
					const verdict = compileCriteria(criteria).evaluate(payload, { now: 0 });
					assert.ok(
						!(verdict instanceof Promise) && !verdict.matched && verdict.error === undefined,
						JSON.stringify([criteria, payload, verdict]),
					);
				}
			}
		}
	}
	assert.ok(out > 100, `${out} were let out`);
});

test("a sieve lets out the events of a text that is none of those asked for, by the first criterion only", () => {
	const payload = { a: { b: "deploy" } };
	assert.ok(isOut(about("equals", "release"), payload));
	assert.ok(isOut(about("inside", ["release", "test"]), payload));
	assert.ok(!isOut(about("inside", ["release", "deploy"]), payload));
	assert.ok(isOut({ ...about("equals", "release"), "trigger.c": { type: "regex", pattern: "(" } }, payload));
	assert.ok(!isOut({ "trigger.c": { type: "exists", pattern: true }, ...about("equals", "release") }, payload));
});

test("what compares more than is certain to be decided has no sieve", () => {
	const many = Array.from({ length: 1_001 }, (_, index) => `name ${index}`);
	assert.equal(compileCriteria(about("inside", many)).sieve, undefined);
	assert.notEqual(compileCriteria(about("inside", many.slice(1))).sieve, undefined);
	assert.equal(compileCriteria(about("equals", "x".repeat(100_001))).sieve, undefined);
});

test.run();
