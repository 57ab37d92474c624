import { isJsonObject, type JsonObject, type JsonValue, type ParameterDefinition, SvcError } from "../../contract/index.ts";

type Schema = Record<string, unknown>;

/** Attributes that need no compiled schema: simple checks, and attributes that do not restrict the value. */
const plainAttributes: ReadonlySet<string> = new Set([
	"type",
	"enum",
	"description",
	"default",
	"required",
	"immutable",
	"reserved",
	"opensReserved",
	"reservedBy",
	"secret",
	"position",
	"title",
	"id",
	"$schema",
	"definitions",
]);

/**
 * Keywords that are passed to Ajv, with their conversion. All other keywords are dropped: a `$id` of one of Ajv's own schemas would remove
 * that schema for the whole process, and `$async` would make validation return promises.
 */
const keywordConversions: Readonly<Record<string, (value: JsonValue, conversion: Conversion) => unknown>> = {
	...Object.fromEntries(
		["type", "enum", "const", "nullable", "pattern", "format", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]
			.concat("minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "$ref")
			.map((keyword) => [keyword, (value: JsonValue) => value]),
	),
	...Object.fromEntries(
		["items", "additionalItems", "contains", "additionalProperties", "propertyNames", "not", "if", "then", "else"]
			.concat("allOf", "anyOf", "oneOf")
			.map((keyword) => [keyword, (value: JsonValue, conversion: Conversion) => conversion.parts(value)]),
	),
	...Object.fromEntries(
		["patternProperties", "dependencies", "$defs"].map((keyword) => [
			keyword,
			(value: JsonValue, conversion: Conversion) => conversion.members(value),
		]),
	),
};

/** Maximum number of definitions in one schema, including itself. Compiling a larger schema would block the event loop too long. */
const maxDefinitions = 1_000;

/** Returns true if a definition restricts only the type and the allowed values, as most definitions do. */
export function isPlainDefinition(definition: ParameterDefinition): boolean {
	for (const key in definition) if (!plainAttributes.has(key)) return false;
	return true;
}

/**
 * Converts a definition to JSON schema. Attributes of this service are dropped, `required` flags of members become a list of their object,
 * and boolean exclusive limits become numbers. Members that are not required also accept null. Throws `SVC_INVALID` if the value is not a
 * definition or is too large.
 */
export function toJsonSchema(definition: ParameterDefinition): Schema {
	return new Conversion().definition(definition as unknown as JsonValue);
}

/** Conversion of one definition with all nested definitions. */
class Conversion {
	#count = 0;

	definition(definition: JsonValue): Schema {
		if (!isJsonObject(definition)) throw new SvcError("SVC_INVALID", "a definition must be an object");
		this.#count += 1;
		if (this.#count > maxDefinitions) throw new SvcError("SVC_INVALID", `it has more than ${maxDefinitions} definitions`);
		const schema: Schema = {};
		const required = requiredMembers(definition);
		for (const [keyword, value] of Object.entries(definition)) {
			if (keyword === "properties") schema[keyword] = this.#properties(value, required);
			else if (Object.hasOwn(keywordConversions, keyword)) schema[keyword] = keywordConversions[keyword]?.(value, this);
		}
		if (required.length > 0) schema["required"] = required;
		convertLimits(schema);
		return schema;
	}

	/** Converts a definition, a list of definitions, or a boolean that allows everything or nothing. */
	parts(value: JsonValue): unknown {
		if (Array.isArray(value)) return value.map((item: JsonValue) => this.parts(item));
		return typeof value === "boolean" ? value : this.definition(value);
	}

	/** Converts definitions by name. Lists of names, as in `dependencies`, stay unchanged. */
	members(value: JsonValue): unknown {
		return mapMembers(value, (member) => (isTextList(member) ? member : this.parts(member)));
	}

	#properties(value: JsonValue, required: readonly string[]): unknown {
		return mapMembers(value, (member, name) => {
			if (typeof member === "boolean") return member;
			const schema = this.definition(member);
			return isRequired(member) || required.includes(name) ? schema : allowNull(schema);
		});
	}
}

function mapMembers(members: JsonValue, convert: (member: JsonValue, name: string) => unknown): unknown {
	if (!isJsonObject(members)) throw new SvcError("SVC_INVALID", "must be an object of names and definitions");
	return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, convert(member, name)]));
}

function isTextList(value: JsonValue): boolean {
	return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/**
 * Returns the required members of an object, from a `required` list or from `required` flags. A flagged member with a default is not
 * required.
 */
function requiredMembers({ required, properties }: JsonObject): string[] {
	const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
	const members = isJsonObject(properties) ? Object.entries(properties) : [];
	const flaggedMembers = members.filter(([, member]) => isRequired(member) && !Object.hasOwn(member as JsonObject, "default"));
	return [...new Set([...names, ...flaggedMembers.map(([name]) => name)])];
}

function isRequired(definition: JsonValue): boolean {
	return isJsonObject(definition) && definition["required"] === true;
}

function allowNull(schema: Schema): Schema {
	const { type, enum: allowed } = schema;
	if (type !== undefined) schema["type"] = [...new Set([type, "null"].flat())];
	if (Array.isArray(allowed) && !allowed.includes(null)) schema["enum"] = [...allowed, null];
	return schema;
}

function convertLimits(schema: Schema): void {
	for (const [exclusive, limit] of [
		["exclusiveMinimum", "minimum"],
		["exclusiveMaximum", "maximum"],
	] as const) {
		const flag = schema[exclusive];
		if (typeof flag !== "boolean") continue;
		delete schema[exclusive];
		if (!flag || schema[limit] === undefined) continue;
		schema[exclusive] = schema[limit];
		delete schema[limit];
	}
}
