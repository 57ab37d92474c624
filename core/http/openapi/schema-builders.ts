import type { EntityKindDefinition, FieldType } from "../../contract/entities/index.ts";

/** A JSON schema in the dialect of OpenAPI 3.1. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const definitionKey = Symbol("definition");

/** A named schema. */
export interface Definition {
	readonly name: string;
	readonly schema: JsonSchema;
}

/**
 * Defines a named schema, which `components.schemas` of the API description contains once. Returns a reference to it.
 *
 * @param example a value, shown with every response that has the schema
 */
export function defineSchema(name: string, schema: JsonSchema, example?: unknown): JsonSchema {
	const definition: Definition = { name, schema: example === undefined ? schema : { ...schema, examples: [example] } };
	return { $ref: `#/components/schemas/${name}`, [definitionKey]: definition };
}

/** Returns the definition of a reference that `defineSchema` returned. Returns undefined for every other schema. */
export function definitionOf(schema: JsonSchema): Definition | undefined {
	return (schema as { readonly [definitionKey]?: Definition })[definitionKey];
}

/** Schema of a string. */
export const stringSchema: JsonSchema = { type: "string" };
/** Schema of a boolean. */
export const booleanSchema: JsonSchema = { type: "boolean" };
/** Schema of an integer. */
export const integerSchema: JsonSchema = { type: "integer" };
/** Schema of a number. */
export const numberSchema: JsonSchema = { type: "number" };
/** Schema of the id of a record. */
export const recordId: JsonSchema = { type: "string", pattern: "^[0-9a-f]{24}$" };
/** A time in ISO 8601, UTC, with microseconds. */
export const timestamp: JsonSchema = {
	type: "string",
	format: "date-time",
	pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}Z$",
};

/** Any JSON value. The schema does not list the JSON types, because code generated from a recursive schema does not compile. */
export const jsonValue = defineSchema("JsonValue", { description: "Any value." });

/** Schema of an object with any members. */
export const jsonObject = defineSchema("JsonObject", { description: "Any members.", type: "object", additionalProperties: jsonValue });

/** Returns the schema of a string that is one of these words. */
export function enumOf(...words: readonly string[]): JsonSchema {
	return { type: "string", enum: words };
}

/** Returns the schema of a list of values. */
export function arrayOf(items: JsonSchema): JsonSchema {
	return { type: "array", items };
}

/** Returns the schema of an object with any member names, whose values have the given schema. */
export function mapOf(values: JsonSchema): JsonSchema {
	return { type: "object", additionalProperties: values };
}

/** Returns the schema of a value that may also be null. */
export function nullable(schema: JsonSchema): JsonSchema {
	const { type, enum: words } = schema;
	if (typeof type !== "string") return { anyOf: [schema, { type: "null" }] };
	return { ...schema, type: [type, "null"], ...(Array.isArray(words) && { enum: [...words, null] }) };
}

/** Returns the schema of an object with these members and no others. Members named in `optional` may be missing. */
export function objectSchema(properties: Readonly<Record<string, JsonSchema>>, optional: readonly string[] = []): JsonSchema {
	const required = Object.keys(properties).filter((name) => !optional.includes(name));
	return { type: "object", properties, ...(required.length > 0 && { required }), additionalProperties: false };
}

const fieldSchemas: Readonly<Record<Exclude<FieldType, "json">, JsonSchema>> = {
	text: stringSchema,
	integer: integerSchema,
	real: numberSchema,
	boolean: booleanSchema,
};

/**
 * Returns the schemas of members that are stored fields, from the field types of the entity kind. A field of type `json` becomes
 * any object, unless the caller overrides it with a schema of its own.
 */
export function fieldsOf<E, F extends keyof E & string>(
	{ fields }: EntityKindDefinition<E>,
	names: readonly F[],
): Readonly<Record<F, JsonSchema>> {
	return Object.fromEntries(names.map((name) => [name, toFieldSchema(name, fields[name])])) as Record<F, JsonSchema>;
}

function toFieldSchema(name: string, type: FieldType): JsonSchema {
	if (type === "json") return jsonObject;
	return type === "text" && /_(?:at|timestamp|time)$/.test(name) ? timestamp : fieldSchemas[type];
}

/** Returns the schema of a record inside another one, where each of its members may be missing. */
export function partialOf(record: JsonSchema): JsonSchema {
	const definition = definitionOf(record);
	if (definition === undefined) throw new Error("only a named schema has a partial form");
	const { properties } = definition.schema;
	return defineSchema(`Partial${definition.name}`, {
		description: `A ${definition.name} with the members that exist and that the user may view.`,
		type: "object",
		properties,
		additionalProperties: false,
	});
}

/** Returns the schema of a record with selected members only. Its objects may also have only some of their members. */
export function partOf(record: JsonSchema): JsonSchema {
	const definition = definitionOf(record);
	if (definition === undefined) throw new Error("only a named schema has a part");
	const { properties } = definition.schema as { readonly properties: Readonly<Record<string, JsonSchema>> };
	const members = Object.entries(properties).map(([name, schema]) => [name, isObject(schema) ? jsonObject : schema]);
	return defineSchema(`${definition.name}Part`, {
		description: `Selected members of a ${definition.name}: those in \`include_attributes\`, or all except those in \`exclude_attributes\`.`,
		type: "object",
		properties: Object.fromEntries(members),
		additionalProperties: false,
	});
}

function isObject(schema: JsonSchema): boolean {
	return (definitionOf(schema)?.schema ?? schema)["type"] === "object";
}
