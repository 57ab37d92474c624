import { isJsonObject, type JsonObject, type ParameterDefinition } from "../../contract/index.ts";
import { isPattern } from "../bounded-regexp.ts";
import { type Attribute, flag, object, text } from "../file-attributes.ts";
import { isNumber } from "../whole-numbers.ts";

/** Rule for an attribute of a definition. `check-definitions.ts` visits nested definitions. */
export interface AttributeRule extends Omit<Attribute, "required"> {
	/** True if the attribute contains further definitions. */
	readonly hasDefinitions?: boolean;
}

/** Reference to the schema of nested definitions, for use in the schema of a file. */
export const nestedDefinition: JsonObject = { $ref: "#/definitions/definition" };

export const parameterTypes: readonly string[] = ["array", "boolean", "integer", "null", "number", "object", "string"];

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
const definitionRule: AttributeRule = {
	description: "a definition",
	accepts: isJsonObject,
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
	accepts: isJsonObject,
	schema: { type: "object", additionalProperties: nestedDefinition },
	hasDefinitions: true,
};
const booleanOrDefinitionRule: AttributeRule = {
	description: "true, false or a definition",
	accepts: (value) => typeof value === "boolean" || isJsonObject(value),
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
	description: text,
	default: { description: "any value", accepts: () => true, schema: {} },
	required: flag,
	immutable: flag,
	reserved: flag,
	opensReserved: flag,
	reservedBy: object,
	secret: flag,
	position: countRule,
	enum: {
		description: "a list of at least one value",
		accepts: (value) => Array.isArray(value) && value.length > 0,
		schema: { type: "array", minItems: 1 },
	},
	items: {
		description: "a definition or a list of definitions",
		accepts: (value) => isJsonObject(value) || Array.isArray(value),
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
	format: text,
	minItems: countRule,
	maxItems: countRule,
	uniqueItems: flag,
	minProperties: countRule,
	maxProperties: countRule,
	dependencies: object,
	definitions: object,
	title: text,
	id: text,
	$schema: text,
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
