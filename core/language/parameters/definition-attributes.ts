import type { JsonObject, ParameterDefinition } from "../../contract/index.ts";
import { isPattern } from "../bounded-regexp.ts";

/**
 * Rule for an attribute of a definition: a description of the allowed values, and a check. `check-definitions.ts` visits nested
 * definitions.
 */
export interface AttributeRule {
	readonly description: string;
	readonly accepts: (value: unknown) => boolean;
	/** JSON schema of the allowed values, which editors use. A test verifies that it agrees with `accepts`. */
	readonly schema: JsonObject;
	/** True if the attribute contains further definitions. */
	readonly hasDefinitions?: boolean;
}

/** Reference to the schema of nested definitions, for use in the schema of a file. */
export const nestedDefinition: JsonObject = { $ref: "#/definitions/definition" };

export const parameterTypes: readonly string[] = ["array", "boolean", "integer", "null", "number", "object", "string"];

export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

const textRule: AttributeRule = { description: "a text", accepts: (value) => typeof value === "string", schema: { type: "string" } };
const flagRule: AttributeRule = {
	description: "true or false",
	accepts: (value) => typeof value === "boolean",
	schema: { type: "boolean" },
};
const isNumber = (value: unknown): value is number | bigint => typeof value === "number" || typeof value === "bigint";
const numberRule: AttributeRule = { description: "a number", accepts: isNumber, schema: { type: "number" } };
const countRule: AttributeRule = {
	description: "an integer of at least 0",
	accepts: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
	schema: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
};
const limitRule: AttributeRule = {
	description: "a number, true or false",
	accepts: (value) => isNumber(value) || typeof value === "boolean",
	schema: { type: ["number", "boolean"] },
};
const objectRule: AttributeRule = { description: "an object", accepts: isPlainObject, schema: { type: "object" } };
const definitionRule: AttributeRule = {
	description: "a definition",
	accepts: isPlainObject,
	schema: nestedDefinition,
	hasDefinitions: true,
};
const definitionListRule: AttributeRule = {
	description: "a list of definitions",
	accepts: Array.isArray,
	schema: { type: "array", items: nestedDefinition },
	hasDefinitions: true,
};
const definitionMapRule: AttributeRule = {
	description: "an object of names and definitions",
	accepts: isPlainObject,
	schema: { type: "object", additionalProperties: nestedDefinition },
	hasDefinitions: true,
};
const booleanOrDefinitionRule: AttributeRule = {
	description: "true, false or a definition",
	accepts: (value) => typeof value === "boolean" || isPlainObject(value),
	schema: { anyOf: [{ type: "boolean" }, nestedDefinition] },
	hasDefinitions: true,
};

/** Rules for all attributes that a definition may have. */
export const attributeRules: { readonly [A in keyof ParameterDefinition]-?: AttributeRule } = {
	type: {
		description: `one of ${parameterTypes.join(", ")}`,
		accepts: (value) => parameterTypes.includes(value as string),
		schema: { enum: parameterTypes },
	},
	description: textRule,
	default: { description: "any value", accepts: () => true, schema: {} },
	required: flagRule,
	immutable: flagRule,
	reserved: flagRule,
	opensReserved: flagRule,
	reservedBy: objectRule,
	secret: flagRule,
	position: countRule,
	enum: {
		description: "a list of at least one value",
		accepts: (value) => Array.isArray(value) && value.length > 0,
		schema: { type: "array", minItems: 1 },
	},
	items: {
		description: "a definition or a list of definitions",
		accepts: (value) => isPlainObject(value) || Array.isArray(value),
		schema: { anyOf: [nestedDefinition, { type: "array", items: nestedDefinition }] },
		hasDefinitions: true,
	},
	properties: definitionMapRule,
	patternProperties: definitionMapRule,
	additionalProperties: booleanOrDefinitionRule,
	additionalItems: booleanOrDefinitionRule,
	minimum: numberRule,
	maximum: numberRule,
	exclusiveMinimum: limitRule,
	exclusiveMaximum: limitRule,
	multipleOf: {
		description: "a number above 0",
		accepts: (value) => isNumber(value) && value > 0,
		schema: { type: "number", exclusiveMinimum: 0 },
	},
	minLength: countRule,
	maxLength: countRule,
	pattern: { description: "a regular expression", accepts: isPattern, schema: { type: "string", format: "regex" } },
	format: textRule,
	minItems: countRule,
	maxItems: countRule,
	uniqueItems: flagRule,
	minProperties: countRule,
	maxProperties: countRule,
	dependencies: objectRule,
	definitions: objectRule,
	title: textRule,
	id: textRule,
	$schema: textRule,
	allOf: definitionListRule,
	anyOf: definitionListRule,
	oneOf: definitionListRule,
	not: definitionRule,
};

/** Rules for nested definitions, which may also use the standard JSON Schema forms of `type` and `required`. */
export const nestedAttributeRules: Readonly<Record<string, AttributeRule>> = {
	...attributeRules,
	type: {
		description: `one or a list of ${parameterTypes.join(", ")}`,
		accepts: (value) => (Array.isArray(value) ? value : [value]).every((type) => parameterTypes.includes(type as string)),
		schema: { anyOf: [{ enum: parameterTypes }, { type: "array", items: { enum: parameterTypes } }] },
	},
	required: {
		description: "true, false or a list of names",
		accepts: (value) => typeof value === "boolean" || (Array.isArray(value) && value.every((name) => typeof name === "string")),
		schema: { anyOf: [{ type: "boolean" }, { type: "array", items: { type: "string" } }] },
	},
};
