import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError, type ParameterDefinitions } from "../../contract/index.ts";
import { checkParameterDefinitions } from "./check-definitions.ts";
import { mergeSchemas } from "./merge-schemas.ts";

const runner: ParameterDefinitions = {
	cmd: { type: "string", description: "d" },
	fixed: { type: "integer", default: 1, immutable: true },
	first: { type: "string", position: 0 },
	pin: { type: "string", secret: true },
};

const deep = (levels: number): unknown => (levels === 0 ? {} : { type: "object", properties: { a: deep(levels - 1) } });

const refused: readonly (readonly [parameters: unknown, message: RegExp])[] = [
	[[], /parameters must be an object/],
	[null, /parameters must be an object/],
	[{ "a-b": {} }, /parameter "a-b" has an invalid name: only letters, digits and underscores/],
	[{ "": {} }, /invalid name/],
	[JSON.parse('{"__proto__": {}}'), /invalid name/],
	[{ a: "string" }, /parameter "a" must have an object/],
	[{ a: { requierd: true } }, /parameter "a" has the unknown attribute "requierd"; did you mean "required"\?/],
	[{ a: { $ref: "#/b" } }, /unknown attribute "\$ref"/],
	[{ a: { constructor: 1 } }, /unknown attribute "constructor"/],
	[{ a: { type: "text" } }, /attribute "type" of parameter "a" must be one of array, boolean, integer, null, number, object, string/],
	[{ a: { type: ["string", "null"] } }, /attribute "type" of parameter "a"/],
	[{ a: { required: ["b"] } }, /attribute "required" of parameter "a" must be true or false/],
	[{ a: { secret: "yes" } }, /attribute "secret" of parameter "a" must be true or false/],
	[{ a: { position: -1 } }, /attribute "position" of parameter "a" must be an integer of at least 0/],
	[{ a: { enum: [] } }, /attribute "enum" of parameter "a" must be a list of at least one value/],
	[{ a: { pattern: "(" } }, /attribute "pattern" of parameter "a" must be a regular expression/],
	[{ a: { minLength: 1.5 } }, /attribute "minLength"/],
	[
		{ a: { type: "object", properties: { b: { typ: "string" } } } },
		/parameter "a.properties.b" has the unknown attribute "typ"; did you mean "type"\?/,
	],
	[{ a: { items: [{ type: "x" }] } }, /attribute "type" of parameter "a.items.0"/],
	[{ a: { patternProperties: { "(": {} } } }, /attribute "patternProperties" of parameter "a"/],
	[{ a: { additionalProperties: "no" } }, /attribute "additionalProperties" of parameter "a" must be true, false or a definition/],
	[{ a: { anyOf: [1] } }, /parameter "a.anyOf.0" must have an object/],
	[{ a: deep(1_000) }, /nested deeper than 30 levels/],
	[{ a: { default: JSON.parse(`${"[".repeat(9_000)}${"]".repeat(9_000)}`) } }, /nested deeper than 100 levels/],
	[Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`p${index}`, {}])), /at most 1000/],
	[{ cmd: { type: "integer" } }, /attribute "type" of parameter "cmd" cannot be changed/],
	[{ cmd: { position: 1 } }, /attribute "position" of parameter "cmd" cannot be changed/],
	[
		{ cmd: { minLength: 1 } },
		/attribute "minLength" of parameter "cmd" cannot be changed.*default, description, enum, immutable, required/,
	],
	[{ pin: { secret: false } }, /attribute "secret" of parameter "pin" cannot be changed/],
	[{ fixed: { immutable: false } }, /attribute "immutable" of parameter "fixed" must be true/],
	[{ cmd: { immutable: true } }, /attribute "immutable" of parameter "cmd" needs a "default"/],
	[{ a: { immutable: true } }, /attribute "immutable" of parameter "a" needs a "default"/],
	[{ a: { position: 0 } }, /attribute "position" of parameter "a" must be unique; "first" also has 0/],
	[{ a: { position: 2 } }, /attribute "position" must be numbered from 0 without gaps; no parameter has 1/],
];

test("definitions that are not allowed are refused, naming parameter and attribute", () => {
	for (const [parameters, message] of refused) {
		assert.throws(
			() => checkParameterDefinitions(parameters, runner),
			(error: unknown) => {
				assert.ok(isSvcError(error, "SVC_INVALID"), String(error));
				assert.match(error.message, message);
				return true;
			},
		);
	}
});

test("definitions that are allowed pass, nested forms of the general standard included", () => {
	const parameters: ParameterDefinitions = {
		cmd: { type: "string", default: "x", immutable: true, required: true, enum: ["x"], description: "e", secret: true },
		fixed: { immutable: true },
		second: { type: "string", position: 1 },
		größe: { type: "number", minimum: 1, exclusiveMinimum: true, multipleOf: 0.5 },
		nested: JSON.parse(
			'{"type": "object", "properties": {"a": {"type": ["string", "null"], "required": true}, "b": {"type": "object", "required": ["c"]}}, "additionalProperties": false}',
		),
		list: { type: "array", items: [{ type: "string" }], additionalItems: { secret: true }, uniqueItems: true },
		any: { anyOf: [{ type: "string" }, { not: { type: "integer" } }], default: null },
	};
	assert.equal(checkParameterDefinitions(parameters, runner), parameters);
	assert.equal(checkParameterDefinitions(runner, runner), runner);
});

test("without a runner, what depends on it is not checked", () => {
	assert.ok(checkParameterDefinitions({ cmd: { immutable: true }, a: { position: 3 } }));
});

test("schemas are merged attribute by attribute, the runner's parameters first", () => {
	const merged = mergeSchemas(runner, {
		own: { type: "object" },
		cmd: { default: "x" },
		fixed: { immutable: false, default: 2 },
		pin: { secret: false },
	});
	assert.deepEqual(Object.keys(merged), ["cmd", "fixed", "first", "pin", "own"]);
	assert.deepEqual(merged["cmd"], { type: "string", description: "d", default: "x" });
	assert.deepEqual(merged["fixed"], { type: "integer", default: 2, immutable: true });
	assert.deepEqual(merged["pin"], { type: "string", secret: true });
	assert.deepEqual(mergeSchemas(runner, {}), runner);
});

test("what a runner reserves is closed, unless the action names it or leaves to its caller what could do as much", () => {
	const cmd: ParameterDefinitions = { cmd: { type: "string" } };
	const shell: ParameterDefinitions = { cmd: { type: "string", opensReserved: true } };
	const place: ParameterDefinitions = { place: { type: "string", reserved: true } };
	const isOpen = (ofRunner: ParameterDefinitions, ofAction: ParameterDefinitions) =>
		mergeSchemas(ofRunner, ofAction)["place"]?.immutable !== true;
	for (const ofAction of [{}, { cmd: {} }, { cmd: { required: true } }]) {
		assert.ok(!isOpen({ ...cmd, ...place }, ofAction));
		assert.ok(isOpen({ ...shell, ...place }, ofAction));
	}
	assert.ok(isOpen({ ...cmd, ...place }, { place: {} }));
	assert.ok(!isOpen({ ...shell, ...place }, { cmd: { default: "date", immutable: true } }));
	assert.throws(
		() => checkParameterDefinitions({ a: { opensReserved: true } }, shell),
		/"opensReserved" of parameter "a" is only allowed for runners/,
	);
});

test("a value that says what a reserved parameter says is limited where the caller may not set that one", () => {
	const runner: ParameterDefinitions = {
		cmd: { type: "string", opensReserved: true },
		hosts: { description: "d", reservedBy: { parameter: "username", schema: { pattern: "^[^@]*$" } } },
		username: { type: "string", reserved: true },
	};
	const pattern = (ofAction: ParameterDefinitions) => mergeSchemas(runner, ofAction)["hosts"]?.pattern;
	const fixed = { cmd: { default: "date", immutable: true } };
	assert.equal(pattern({}), undefined);
	assert.equal(pattern(fixed), "^[^@]*$");
	assert.equal(pattern({ ...fixed, hosts: { description: "Where." } }), "^[^@]*$");
	assert.equal(pattern({ ...fixed, username: {} }), undefined);
	assert.equal(pattern({ username: { default: "deploy", immutable: true } }), "^[^@]*$");
	assert.equal(mergeSchemas(runner, fixed)["hosts"]?.description, "d");
});

test.run();
