import type { JsonObject } from "../contract/index.ts";
import { type Attribute, object } from "./attributes.ts";
import { parameterNamePattern } from "./parameters/check-definitions.ts";
import { type AttributeRule, attributeRules, nestedAttributeRules } from "./parameters/definition-attributes.ts";

/** What files of one kind may say, as a JSON schema for editors. It is made of what the service checks such files by. */
export interface FileSchema {
	/** What the schema's file is called, without its ending. */
	readonly name: string;
	readonly schema: JsonObject;
}

const draft = "http://json-schema.org/draft-07/schema#";

/** Names and definitions of parameters, as actions and the configurations of packs have them. */
export const parameterDefinitions: JsonObject = {
	type: "object",
	propertyNames: { pattern: parameterNamePattern.source },
	additionalProperties: { $ref: "#/definitions/parameter" },
};

const definitions: JsonObject = {
	parameter: toDefinition(attributeRules),
	definition: toDefinition(nestedAttributeRules),
};

/** The schema of a file with these attributes. `closed`: it may have no others. */
export function toFileSchema(title: string, attributes: Readonly<Record<string, Attribute>>, closed: boolean): JsonObject {
	return { $schema: draft, title, ...toObjectSchema(attributes, closed), definitions };
}

/** What one of several cases in a file, and its `expect`, may have. */
export interface CaseShape {
	readonly attributes: Readonly<Record<string, Attribute>>;
	readonly expect: Readonly<Record<string, Attribute>>;
}

/** The schema of a file with a list of cases. */
export function toCasesSchema(title: string, { attributes, expect }: CaseShape): JsonObject {
	const ofCase = toObjectSchema({ ...attributes, expect: { ...object, schema: toObjectSchema(expect, true) } }, true);
	return { $schema: draft, title, type: "array", items: ofCase };
}

/** An object with these attributes, within the schema of a file. */
export function toObjectSchema(attributes: Readonly<Record<string, Attribute>>, closed: boolean): JsonObject {
	const required = Object.keys(attributes).filter((name) => attributes[name]?.required === true);
	return {
		type: "object",
		properties: Object.fromEntries(Object.entries(attributes).map(([name, attribute]) => [name, toProperty(attribute)])),
		...(required.length > 0 && { required }),
		...(closed && { additionalProperties: false }),
	};
}

/** The schema of a file that is made of definitions of parameters. */
export function toDefinitionsSchema(title: string): JsonObject {
	return { $schema: draft, title, ...parameterDefinitions, definitions };
}

/** Null stands for a missing attribute. */
function toProperty({ schema, allowed, required = false }: Attribute): JsonObject {
	const described = { description: `Must be ${allowed}.`, ...schema };
	if (required) return described;
	const { type } = schema;
	return typeof type === "string" ? { ...described, type: [type, "null"] } : { anyOf: [described, { type: "null" }] };
}

function toDefinition(rules: Readonly<Record<string, AttributeRule>>): JsonObject {
	const toMember = ({ schema, allowed }: AttributeRule) => ({ description: `Must be ${allowed}.`, ...schema });
	return {
		type: "object",
		properties: Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, toMember(rule)])),
		additionalProperties: false,
	};
}
