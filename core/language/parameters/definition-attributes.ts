import type { JsonObject, ParameterDefinition } from "../../contract/index.ts";
import { isPattern } from "../safe-regexp.ts";

/** What an attribute of a definition may hold: in words, and as a check. Those that hold definitions are walked by `check-definitions`. */
export interface AttributeRule {
	readonly allowed: string;
	readonly accepts: (value: unknown) => boolean;
	/** The same as a JSON schema, which editors are given; a test holds it against the check. */
	readonly schema: JsonObject;
	readonly nested?: boolean;
}

/** Where the schema of a file has what a definition inside a definition may hold. */
export const nestedDefinition: JsonObject = { $ref: "#/definitions/definition" };

export const parameterTypes: readonly string[] = ["array", "boolean", "integer", "null", "number", "object", "string"];

export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

const text: AttributeRule = { allowed: "a text", accepts: (value) => typeof value === "string", schema: { type: "string" } };
const flag: AttributeRule = { allowed: "true or false", accepts: (value) => typeof value === "boolean", schema: { type: "boolean" } };
const isNumber = (value: unknown): value is number | bigint => typeof value === "number" || typeof value === "bigint";
const number: AttributeRule = { allowed: "a number", accepts: isNumber, schema: { type: "number" } };
const count: AttributeRule = {
	allowed: "an integer of at least 0",
	accepts: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
	schema: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
};
const limit: AttributeRule = {
	allowed: "a number, true or false",
	accepts: (value) => isNumber(value) || typeof value === "boolean",
	schema: { type: ["number", "boolean"] },
};
const object: AttributeRule = { allowed: "an object", accepts: isPlainObject, schema: { type: "object" } };
const definition: AttributeRule = { allowed: "a definition", accepts: isPlainObject, schema: nestedDefinition, nested: true };
const definitions: AttributeRule = {
	allowed: "a list of definitions",
	accepts: Array.isArray,
	schema: { type: "array", items: nestedDefinition },
	nested: true,
};
const members: AttributeRule = {
	allowed: "an object of names and definitions",
	accepts: isPlainObject,
	schema: { type: "object", additionalProperties: nestedDefinition },
	nested: true,
};
const rest: AttributeRule = {
	allowed: "true, false or a definition",
	accepts: (value) => typeof value === "boolean" || isPlainObject(value),
	schema: { anyOf: [{ type: "boolean" }, nestedDefinition] },
	nested: true,
};

/** Every attribute a definition may have. */
export const attributeRules: { readonly [A in keyof ParameterDefinition]-?: AttributeRule } = {
	type: {
		allowed: `one of ${parameterTypes.join(", ")}`,
		accepts: (value) => parameterTypes.includes(value as string),
		schema: { enum: parameterTypes },
	},
	description: text,
	default: { allowed: "any value", accepts: () => true, schema: {} },
	required: flag,
	immutable: flag,
	reserved: flag,
	opensReserved: flag,
	reservedBy: object,
	secret: flag,
	position: count,
	enum: {
		allowed: "a list of at least one value",
		accepts: (value) => Array.isArray(value) && value.length > 0,
		schema: { type: "array", minItems: 1 },
	},
	items: {
		allowed: "a definition or a list of definitions",
		accepts: (value) => isPlainObject(value) || Array.isArray(value),
		schema: { anyOf: [nestedDefinition, { type: "array", items: nestedDefinition }] },
		nested: true,
	},
	properties: members,
	patternProperties: members,
	additionalProperties: rest,
	additionalItems: rest,
	minimum: number,
	maximum: number,
	exclusiveMinimum: limit,
	exclusiveMaximum: limit,
	multipleOf: {
		allowed: "a number above 0",
		accepts: (value) => isNumber(value) && value > 0,
		schema: { type: "number", exclusiveMinimum: 0 },
	},
	minLength: count,
	maxLength: count,
	pattern: { allowed: "a regular expression", accepts: isPattern, schema: { type: "string", format: "regex" } },
	format: text,
	minItems: count,
	maxItems: count,
	uniqueItems: flag,
	minProperties: count,
	maxProperties: count,
	dependencies: object,
	definitions: object,
	title: text,
	id: text,
	$schema: text,
	allOf: definitions,
	anyOf: definitions,
	oneOf: definitions,
	not: definition,
};

/** Rules that differ for definitions inside a definition: there the forms of the general standard are allowed too. */
export const nestedAttributeRules: Readonly<Record<string, AttributeRule>> = {
	...attributeRules,
	type: {
		allowed: `one or a list of ${parameterTypes.join(", ")}`,
		accepts: (value) => (Array.isArray(value) ? value : [value]).every((type) => parameterTypes.includes(type as string)),
		schema: { anyOf: [{ enum: parameterTypes }, { type: "array", items: { enum: parameterTypes } }] },
	},
	required: {
		allowed: "true, false or a list of names",
		accepts: (value) => typeof value === "boolean" || (Array.isArray(value) && value.every((name) => typeof name === "string")),
		schema: { anyOf: [{ type: "boolean" }, { type: "array", items: { type: "string" } }] },
	},
};
