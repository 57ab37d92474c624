import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { ActionSignature, JsonObject } from "../contract/index.ts";
import { findRuleProblems } from "./rule-problems.ts";

const echo: ActionSignature = {
	ref: "core.echo",
	enabled: true,
	parameters: {
		message: { type: "string", required: true },
		times: { default: 1, required: true },
		cmd: { immutable: true, default: "x" },
	},
};

function find(action_parameters: JsonObject, criteria: JsonObject = {}, action: ActionSignature | undefined = echo) {
	const problems = findRuleProblems({ action_ref: "core.echo", action_parameters, criteria }, action);
	return problems.map(({ path, message }) => `${path.join(".")}: ${message}`);
}

test("a rule that its action can carry out has no problems", () => {
	assert.deepEqual(find({ message: "{{ trigger.body.x | upper | default('y') }} {{ otherkv.system.a }} {{ times }}" }), []);
	assert.deepEqual(find({ message: "a" }, { "trigger.x": { type: "eq", pattern: "{{ svckv.system.b }}" } }), []);
});

test("parameters that the action does not have, does not let be set or misses are told", () => {
	assert.deepEqual(find({ mesage: "a", cmd: "b" }), [
		'action.parameters.mesage: action "core.echo" has no parameter "mesage"',
		'action.parameters.cmd: parameter "cmd" of action "core.echo" is immutable and cannot be set',
		'action.parameters: action "core.echo" requires the parameter "message"',
	]);
	assert.deepEqual(find({ message: "a" }, {}, { ...echo, enabled: false }), ['action.ref: action "core.echo" is disabled']);
});

test("an action that does not exist is named", () => {
	const rule = { action_ref: "core.ecko", action_parameters: { a: 1 }, criteria: {} };
	assert.deepEqual(findRuleProblems(rule, undefined), [
		{ type: "action", path: ["action", "ref"], message: 'action "core.ecko" does not exist' },
	]);
});

test("filters, tests, functions and variables that do not exist are told where they stand", () => {
	assert.deepEqual(
		find({ message: ["{{ triger.body.x }}", { a: "{{ trigger.x | uper }}" }] }, { "trigger.y": { pattern: "{{ nothing() is evenn }}" } }),
		[
			'criteria.trigger.y.pattern: unknown test "evenn"; did you mean "even"?',
			'criteria.trigger.y.pattern: unknown function "nothing"',
			'action.parameters.message.0: variable "triger" does not exist; did you mean "trigger"?',
			'action.parameters.message.1.a: unknown filter "uper"; did you mean "upper"?',
		],
	);
});

test.run();
