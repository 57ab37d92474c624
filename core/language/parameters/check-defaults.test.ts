import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { JsonValue, ParameterDefinition, ParameterDefinitions } from "../../contract/index.ts";
import { findDefaultProblems } from "./check-defaults.ts";

const one = (definition: ParameterDefinition) => findDefaultProblems({ x: definition });

const refused: readonly (readonly [definition: ParameterDefinition, message: RegExp])[] = [
	[{ type: "string", default: 1.1 }, /^default of parameter "x" must be a string, got a number; put it in quotes$/],
	[{ type: "string", default: true }, /got a boolean; put it in quotes/],
	[{ type: "string", default: ["a"] }, /must be a string, got an array$/],
	[{ type: "integer", default: "many" }, /must be an integer/],
	[{ type: "array", default: "a, b" }, /must be an array/],
	[{ type: "object", default: [] }, /must be an object/],
	[{ type: "boolean", default: "perhaps" }, /must be a boolean/],
	[{ type: "string", enum: ["a", "b"], default: "c" }, /must be one of "a", "b"/],
	[{ type: "array", items: { type: "integer" }, default: ["a"] }, /x\.0" must be integer/],
	[
		{ type: "object", properties: { y: { type: "integer", default: "5" } } },
		/^default of parameter "x\.properties\.y" must be of type integer/,
	],
	[{ type: "object", properties: { y: { type: "string" } }, default: { y: 5 } }, /must be string/],
];

test("a default that its definition does not allow is told by name", () => {
	for (const [definition, message] of refused) {
		const [problem = "", ...others] = one(definition);
		assert.match(problem, message, JSON.stringify(definition));
		assert.deepEqual(others, []);
	}
});

test("defaults that a run takes are left alone: texts of values, templates and null", () => {
	const allowed: readonly (readonly [ParameterDefinition["type"], JsonValue])[] = [
		["string", "1.10"],
		["string", null],
		["string", "{{ config_context.x }}"],
		["integer", "80"],
		["integer", "{{ config_context.port }}"],
		["integer", true],
		["number", "1e3"],
		["boolean", "True"],
		["array", "[1, 2]"],
		["array", "{{ list }}"],
		["object", "{'a': True}"],
		["object", {}],
	];
	for (const [type, value] of allowed)
		assert.deepEqual(one({ type: type ?? "string", default: value }), [], `${type} ${JSON.stringify(value)}`);
	assert.deepEqual(one({ default: 5 }), []);
	assert.deepEqual(one({ type: "object", properties: { y: { type: "integer", default: 5 } }, default: {} }), []);
});

test("a default that is nested too deep for a template is named", () => {
	assert.match(
		one({ type: "string", default: `{{ ${"-".repeat(200)}1 }}` }).join(),
		/default of parameter "x" cannot be read as a template: .*nested deeper/,
	);
});

test("a default for a parameter of the runner has the runner's type, and a secret one is not shown", () => {
	const runner: ParameterDefinitions = { cmd: { type: "string" }, timeout: { type: "integer", default: 60 } };
	assert.deepEqual(findDefaultProblems({ cmd: { default: "ls" } }, runner), []);
	assert.match(findDefaultProblems({ timeout: { default: "soon" } }, runner).join(), /parameter "timeout" must be an integer/);
	assert.ok(
		!findDefaultProblems({ word: { type: "string", secret: true, enum: ["hunter2"], default: "other" } })
			.join()
			.includes("hunter2"),
	);
});

test.run();
