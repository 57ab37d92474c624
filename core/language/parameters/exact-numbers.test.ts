import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { JsonValue, ParameterDefinition } from "../../contract/index.ts";
import { cast } from "./cast.ts";
import { validateParameter } from "./validate.ts";

const large = 1234567890123456789n;
const accept = (value: JsonValue, definition: ParameterDefinition) => validateParameter("id", value, definition);
const refuse = (value: JsonValue, definition: ParameterDefinition, message: RegExp) =>
	assert.throws(() => validateParameter("id", value, definition), { code: "SVC_INVALID", message });

test("a large whole number is an integer and a number, and nothing else", () => {
	for (const definition of [
		{ type: "integer" },
		{ type: "number" },
		{ type: "integer", minimum: 1 },
		{ type: "number", minimum: 1 },
	] as const)
		accept(large, definition);
	accept({ ids: [large, 1] }, { type: "object", properties: { ids: { type: "array", items: { type: "integer" } } } });
	refuse(large, { type: "string" }, /must be of type string/);
	refuse(large, { type: "string", minLength: 1 }, /must be string/);
	refuse({ id: large }, { type: "object", properties: { id: { type: "boolean" } } }, /"id\.id" must be boolean or null/);
});

test("limits are compared exactly", () => {
	const limits: ParameterDefinition = {
		type: "integer",
		minimum: 9007199254740993n as unknown as number,
		maximum: 18446744073709551615n as unknown as number,
	};
	for (const value of [9007199254740993n, large, 18446744073709551615n]) accept(value, limits);
	refuse(9007199254740992n, limits, /must be >= 9007199254740993/);
	refuse(18446744073709551616n, limits, /must be <= 18446744073709551615/);
	refuse(5, limits, /must be >= 9007199254740993/);
	refuse(large, { type: "integer", maximum: 100 }, /must be <= 100/);
	refuse({ id: large }, { type: "object", properties: { id: { type: "integer", multipleOf: 10 } } }, /must be multiple of 10/);
	accept({ id: large + 1n }, { type: "object", properties: { id: { type: "integer", multipleOf: 10 } } });
});

test("allowed values are compared exactly", () => {
	accept(large, { type: "integer", enum: [large, 1] });
	accept(1, { type: "integer", enum: [large, 1] });
	refuse(large - 1n, { type: "integer", enum: [large, 1] }, /must be one of 1234567890123456789, 1/);
	const inside: ParameterDefinition = { type: "array", items: { enum: [large, "a", { b: [large] }] } };
	accept([large, "a", { b: [large] }], inside);
	refuse([large - 1n], inside, /must be equal to one of|must be one of/);
	refuse([{ b: [large - 1n] }], inside, /must be equal to one of|must be one of/);
	accept(["a"], inside);
	refuse(["c"], inside, /must be/);
	accept([large, large - 1n], { type: "array", uniqueItems: true });
	refuse([large, large], { type: "array", uniqueItems: true }, /duplicate/);
});

test("texts of large whole numbers are cast exactly", () => {
	for (const type of ["integer", "number"] as const) {
		assert.equal(cast("id", "1234567890123456789", { type }, { isTemplateOutput: true }), large);
		assert.equal(cast("id", large, { type }, { isTemplateOutput: false }), large);
	}
	assert.deepEqual(cast("id", `{"a":[${large}]}`, { type: "object" }, { isTemplateOutput: true }), { a: [large] });
	assert.throws(() => cast("id", large, { type: "string" }, { isTemplateOutput: false }), {
		code: "SVC_INVALID",
		message: /a string, got a number/,
	});
	assert.throws(() => cast("id", "9".repeat(2_000), { type: "integer" }, { isTemplateOutput: false }), /more than 1000 digits/);
});

test.run();
