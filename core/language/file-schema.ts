import type { JsonObject } from "../contract/index.ts";
import { type Attribute, object } from "./file-attributes.ts";
import { parameterNamePattern } from "./parameters/check-definitions.ts";
import { type AttributeRule, attributeRules, nestedAttributeRules } from "./parameters/definition-attributes.ts";

/** JSON schema of one kind of file, for editors. It is derived from the rules by which the service checks such files. */
export interface FileSchema {
	/** Name of the schema's file, without its extension. */
	readonly name: string;
	readonly schema: JsonObject;
}

const metaSchema = "http://json-schema.org/draft-07/schema#";

/** Schema of an object of parameter names and definitions, as actions and the configuration schemas of packs contain it. */
export const parameterDefinitions: JsonObject = {
	type: "object",
	propertyNames: { pattern: parameterNamePattern.source },
	additionalProperties: { $ref: "#/definitions/parameter" },
};

const definitions: JsonObject = {
	parameter: toDefinition(attributeRules),
	definition: toDefinition(nestedAttributeRules),
};

/**
 * Returns the schema of a file with the given attributes.
 *
 * @param isClosed true if other attributes are refused
 */
export function toFileSchema(title: string, attributes: Readonly<Record<string, Attribute>>, isClosed: boolean): JsonObject {
	return { $schema: metaSchema, title, ...toObjectSchema(attributes, isClosed), definitions };
}

/** Attributes of one test case in a file, and of its `expect`. */
export interface CaseAttributes {
	readonly attributes: Readonly<Record<string, Attribute>>;
	readonly expect: Readonly<Record<string, Attribute>>;
}

/** Returns the schema of a file with a list of test cases. */
export function toCasesSchema(title: string, { attributes, expect }: CaseAttributes): JsonObject {
	const caseSchema = toObjectSchema({ ...attributes, expect: { ...object, schema: toObjectSchema(expect, true) } }, true);
	return { $schema: metaSchema, title, type: "array", items: caseSchema };
}

/**
 * Returns the schema of an object with the given attributes, for use inside the schema of a file.
 *
 * @param isClosed true if other attributes are refused
 */
export function toObjectSchema(attributes: Readonly<Record<string, Attribute>>, isClosed: boolean): JsonObject {
	const required = Object.keys(attributes).filter((name) => attributes[name]?.required === true);
	return {
		type: "object",
		properties: Object.fromEntries(Object.entries(attributes).map(([name, attribute]) => [name, toProperty(attribute)])),
		...(required.length > 0 && { required }),
		...(isClosed && { additionalProperties: false }),
	};
}

/** Returns the schema of a file that consists of parameter definitions. */
export function toDefinitionsSchema(title: string): JsonObject {
	return { $schema: metaSchema, title, ...parameterDefinitions, definitions };
}

/** Returns the schema of one attribute. Null counts as a missing attribute, so it is allowed if the attribute is optional. */
function toProperty({ schema, description, required = false }: Attribute): JsonObject {
	const describedSchema = { description: `Must be ${description}.`, ...schema };
	if (required) return describedSchema;
	const { type } = schema;
	return typeof type === "string" ? { ...describedSchema, type: [type, "null"] } : { anyOf: [describedSchema, { type: "null" }] };
}

function toDefinition(rules: Readonly<Record<string, AttributeRule>>): JsonObject {
	const toMember = ({ schema, description }: AttributeRule) => ({ description: `Must be ${description}.`, ...schema });
	return {
		type: "object",
		properties: Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, toMember(rule)])),
		additionalProperties: false,
	};
}
