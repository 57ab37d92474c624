import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { JsonValue, ParameterType } from "../../core/contract/index.ts";
import { createScriptArguments } from "./script-arguments.ts";

const positional = (value: JsonValue, type?: ParameterType) =>
	createScriptArguments({ value }, { value: { position: 0, ...(type === undefined ? {} : { type }) } }, "--");
const named = (value: JsonValue, type?: ParameterType) =>
	createScriptArguments({ value }, { value: type === undefined ? {} : { type } }, "--");

test("positional arguments are written by their declared type", () => {
	const rows: readonly [ParameterType, JsonValue, string][] = [
		["string", "test string", "test string"],
		["string", "", ""],
		["integer", 1, "1"],
		["integer", 0, ""],
		["number", 2.55, "2.55"],
		["number", 3, "3.0"],
		["number", 0, "0.0"],
		["boolean", true, "1"],
		["boolean", false, "0"],
		["array", ["a", "b", "c"], "a,b,c"],
		["array", [1, true, null, "x y"], "1,True,None,x y"],
		["object", { foo: "bar" }, '{"foo":"bar"}'],
		["null", null, ""],
	];
	for (const [type, value, expected] of rows) assert.deepEqual(positional(value, type), [expected], `${type} ${JSON.stringify(value)}`);
	for (const type of ["string", "integer", "number", "boolean", "array", "object", "null"] as const)
		assert.deepEqual(positional(null, type), [""]);
	assert.deepEqual(positional(0), [""]);
	assert.deepEqual(positional("text"), ["text"]);
});

test("named arguments leave out what is unset, empty or false", () => {
	for (const value of [null, "", false]) assert.deepEqual(named(value), []);
	assert.deepEqual(named(true, "boolean"), ["--value"]);
	assert.deepEqual(named(0, "integer"), ["--value=0"]);
	assert.deepEqual(named(3, "number"), ["--value=3.0"]);
	assert.deepEqual(named(["a", "b"], "array"), ["--value=['a', 'b']"]);
	assert.deepEqual(named({ foo: "bar" }, "object"), ["--value={'foo': 'bar'}"]);
});

test("an unset positional argument in the middle keeps its place", () => {
	const schema = { a: { position: 0 }, b: { position: 1 }, c: { position: 2 } };
	assert.deepEqual(createScriptArguments({ c: "3", a: "1" }, schema, "--"), ["1", "", "3"]);
});

test("a parameter called __proto__ is an ordinary one", () => {
	assert.deepEqual(createScriptArguments(JSON.parse('{"__proto__": "x"}'), {}, ""), ["__proto__=x"]);
});

test.run();
