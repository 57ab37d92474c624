import type { EntityKindDefinition, FieldType } from "../../contract/entities/index.ts";

/** A JSON schema, of the dialect of OpenAPI 3.1. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const definition = Symbol("definition");

/** What a name stands for. */
export interface Definition {
	readonly name: string;
	readonly schema: JsonSchema;
}

/**
 * A schema that is written once and referred to by its name: `components.schemas` of the API description has it under that name.
 *
 * @param example one value, shown wherever the schema is answered
 */
export function defineSchema(name: string, schema: JsonSchema, example?: unknown): JsonSchema {
	const defined: Definition = { name, schema: example === undefined ? schema : { ...schema, examples: [example] } };
	return { $ref: `#/components/schemas/${name}`, [definition]: defined };
}

/** What a reference made by `defineSchema` stands for; undefined for every other schema. */
export function definitionOf(schema: JsonSchema): Definition | undefined {
	return (schema as { readonly [definition]?: Definition })[definition];
}

export const text: JsonSchema = { type: "string" };
export const flag: JsonSchema = { type: "boolean" };
export const whole: JsonSchema = { type: "integer" };
export const real: JsonSchema = { type: "number" };
export const recordId: JsonSchema = { type: "string", pattern: "^[0-9a-f]{24}$" };
/** Times are ISO 8601 UTC with microseconds. */
export const timestamp: JsonSchema = {
	type: "string",
	format: "date-time",
	pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}Z$",
};

/** A value that JSON can hold. Not spelled out as one: types that are made of a schema that has lists of itself in it do not compile. */
export const jsonValue = defineSchema("JsonValue", { description: "Any value." });

/** An object with any members. */
export const jsonObject = defineSchema("JsonObject", { description: "Any members.", type: "object", additionalProperties: jsonValue });

/** One of these words. */
export function oneOf(...words: readonly string[]): JsonSchema {
	return { type: "string", enum: words };
}

export function arrayOf(items: JsonSchema): JsonSchema {
	return { type: "array", items };
}

/** An object with any names, each with such a value. */
export function mapOf(values: JsonSchema): JsonSchema {
	return { type: "object", additionalProperties: values };
}

/** The value, or null. */
export function nullable(schema: JsonSchema): JsonSchema {
	const { type, enum: words } = schema;
	if (typeof type !== "string") return { anyOf: [schema, { type: "null" }] };
	return { ...schema, type: [type, "null"], ...(Array.isArray(words) && { enum: [...words, null] }) };
}

/** An object with these members and no others; those named in `optional` may be missing. */
export function object(properties: Readonly<Record<string, JsonSchema>>, optional: readonly string[] = []): JsonSchema {
	const required = Object.keys(properties).filter((name) => !optional.includes(name));
	return { type: "object", properties, ...(required.length > 0 && { required }), additionalProperties: false };
}

const fieldSchemas: Readonly<Record<Exclude<FieldType, "json">, JsonSchema>> = { text, integer: whole, real, boolean: flag };

/** Members of a record that are fields of what is stored, as the shape of the kind says it. What is `json` there takes a schema of its own. */
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

/** A record that may lack any of its members, inside of another one. */
export function partialOf(record: JsonSchema): JsonSchema {
	const defined = definitionOf(record);
	if (defined === undefined) throw new Error("only a schema with a name has a partial form");
	const { properties } = defined.schema;
	return defineSchema(`Partial${defined.name}`, {
		description: `A ${defined.name} as far as it is known and may be seen.`,
		type: "object",
		properties,
		additionalProperties: false,
	});
}

/** A record of which only some members are shown, and of its objects only some of theirs. */
export function partOf(record: JsonSchema): JsonSchema {
	const defined = definitionOf(record);
	if (defined === undefined) throw new Error("only a schema with a name has a part");
	const { properties } = defined.schema as { readonly properties: Readonly<Record<string, JsonSchema>> };
	const members = Object.entries(properties).map(([name, schema]) => [name, isObject(schema) ? jsonObject : schema]);
	return defineSchema(`${defined.name}Part`, {
		description: `Some members of a ${defined.name}: those that \`include_attributes\` names, or all but those that \`exclude_attributes\` does.`,
		type: "object",
		properties: Object.fromEntries(members),
		additionalProperties: false,
	});
}

function isObject(schema: JsonSchema): boolean {
	return (definitionOf(schema)?.schema ?? schema)["type"] === "object";
}
