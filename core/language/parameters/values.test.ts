import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError, type JsonValue, type ParameterDefinition } from "../../contract/index.ts";
import { renderLive } from "./render.ts";

const invalid = (message: RegExp) => (error: unknown) => {
	assert.ok(isSvcError(error, "SVC_INVALID"), String(error));
	assert.match(error.message, message);
	return true;
};

const one = (definition: ParameterDefinition, value: JsonValue) =>
	renderLive({ runnerSchema: {}, actionSchema: { x: definition }, callerValues: { x: value }, context: {} })["x"];

const casts: readonly (readonly [type: ParameterDefinition["type"], value: JsonValue, result: JsonValue])[] = [
	["string", "a", "a"],
	["integer", 5, 5],
	["integer", 5.9, 5],
	["integer", -5.9, -5],
	["integer", " 42 ", 42],
	["integer", true, 1],
	["number", 1.5, 1.5],
	["number", "1e3", 1000],
	["number", "-.5", -0.5],
	["boolean", true, true],
	["boolean", "TRUE", true],
	["boolean", "False", false],
	["boolean", "{{ 1 }}", true],
	["boolean", "{{ 2 > 3 }}", false],
	["object", '{"a": 1}', { a: 1 }],
	["object", "{'a': True, 'b': [None]}", { a: true, b: [null] }],
	["object", "{{ {'a': 1} }}", { a: 1 }],
	["object", "{{ {'a': 1} | to_complex }}", { a: 1 }],
	["array", "[1, 'a', False]", [1, "a", false]],
	["array", "(1, 2)", [1, 2]],
	["array", [1], [1]],
	["string", "%*****__%NONE%__*****%", null],
	["integer", "{{ none | use_none }}", null],
	["integer", null, null],
	["string", null, null],
];

test("values are cast to their declared type", () => {
	for (const [type, value, result] of casts)
		assert.deepEqual(one({ type: type ?? "string" }, value), result, `${type} ${JSON.stringify(value)}`);
	assert.deepEqual(one({}, [{ a: "1" }]), [{ a: "1" }]);
});

const refused: readonly (readonly [type: NonNullable<ParameterDefinition["type"]>, value: JsonValue])[] = [
	["string", 5],
	["string", true],
	["string", {}],
	["string", []],
	["integer", "5.5"],
	["integer", "x"],
	["integer", ""],
	["integer", {}],
	["integer", []],
	["integer", "9.5"],
	["integer", 1e300],
	["number", "x"],
	["number", true],
	["number", "1e999"],
	["number", "NaN"],
	["boolean", 1],
	["boolean", 0],
	["boolean", "1"],
	["boolean", "yes"],
	["object", "[1]"],
	["object", "{'a'"],
	["object", "x"],
	["object", []],
	["array", "{}"],
	["array", "a,b"],
	["array", {}],
	["array", 5],
];

test("what cannot be cast is refused, naming the parameter and never the value", () => {
	for (const [type, value] of refused)
		assert.throws(
			() => one({ type }, value),
			invalid(new RegExp(`^parameter "x" must be .*(${type}|null)`)),
			`${type} ${JSON.stringify(value)}`,
		);
	assert.throws(
		() => one({ type: "integer", secret: true }, "hunter2"),
		(error: Error) => !error.message.includes("hunter2"),
	);
});

const invalidValues: readonly (readonly [definition: ParameterDefinition, value: JsonValue, message: RegExp])[] = [
	[{ type: "string", enum: ["a", "b"] }, "c", /"x" must be one of "a", "b"/],
	[{ type: "integer", minimum: 1 }, 0, /"x" must be >= 1/],
	[{ type: "integer", minimum: 1, exclusiveMinimum: true }, 1, /"x" must be > 1/],
	[{ type: "integer", maximum: 5 }, 6, /"x" must be <= 5/],
	[{ type: "string", minLength: 2 }, "a", /"x" must NOT have fewer than 2/],
	[{ type: "string", pattern: "^a+$" }, "b", /"x" must match pattern/],
	[{ type: "string", format: "ipv4" }, "b", /"x" must match format "ipv4"/],
	[{ type: "array", items: { type: "integer" } }, [1, "a"], /"x.1" must be integer/],
	[{ type: "array", uniqueItems: true }, [1, 1], /"x" must NOT have duplicate items/],
	[{ type: "object", properties: { a: { type: "integer", required: true } } }, {}, /"x" must have required property 'a'/],
	[
		{ type: "object", properties: { a: { type: "object", properties: { b: { type: "string", enum: ["q"] } } } } },
		{ a: { b: "z" } },
		/"x.a.b" must be one of "q"/,
	],
	[{ type: "object", properties: { a: {} }, additionalProperties: false }, { z: 1 }, /"x" must not have the additional property "z"/],
	[{ anyOf: [{ type: "integer" }, { type: "boolean" }] }, "a", /"x" must be integer or boolean/],
	[{ anyOf: [{ type: "string" }, { type: "integer", minimum: 0, maximum: 59 }] }, 60, /"x" must be from 0 to 59/],
	[{ anyOf: [{ type: "string" }, { type: "integer", minimum: 0, maximum: 59 }] }, true, /"x" must be string or integer/],
	[{ type: "integer", minimum: 0, maximum: 59 }, -1, /"x" must be from 0 to 59/],
	[
		{ oneOf: [{ type: "string" }, { type: "object", properties: { a: { type: "integer", required: true } } }] },
		{ a: "q" },
		/"x.a" must be integer$/,
	],
	[{ type: "object", properties: { a: { anyOf: [{ type: "array" }, { type: "boolean" }] } } }, { a: 1 }, /"x.a" must be array or boolean/],
	[{ type: "string", pattern: "(" }, "b", /definition of parameter "x" is not a valid schema/],
];

test("values are validated, with a message that names the member and what is allowed", () => {
	for (const [definition, value, message] of invalidValues) assert.throws(() => one(definition, value), invalid(message));
	assert.throws(
		() => one({ type: "object", secret: true, additionalProperties: false }, { hunter2: 1 }),
		invalid(/^parameter "x" does not match its definition$/),
	);
});

test("what definitions allow passes", () => {
	assert.equal(one({ type: "integer", minimum: 1, exclusiveMinimum: false }, 1), 1);
	assert.deepEqual(
		one(
			{ type: "object", properties: { a: { type: "integer" }, b: { type: "string", enum: ["q"] }, c: { required: true, default: 1 } } },
			{ a: null, b: null },
		),
		{ a: null, b: null },
	);
	assert.deepEqual(one({ enum: [[1], { a: 1 }] }, { a: 1 }), { a: 1 });
	assert.equal(one({ type: "string", secret: true, position: 0, description: "d", title: "t", pattern: "^[\\w-.]+$" }, "a-b"), "a-b");
});

test("a pattern that would search for ever is given up, and says so", () => {
	const started = performance.now();
	assert.throws(() => one({ type: "string", pattern: "^(a+)+$" }, `${"a".repeat(40)}!`), {
		code: "SVC_INVALID",
		message: /"x".*pattern.*too long/,
	});
	// Searched to its end it would take hours; the limit is a tenth of a second.
	assert.ok(performance.now() - started < 10_000);
});

test.run();
