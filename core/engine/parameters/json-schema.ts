import type { JsonObject, JsonValue, ParameterDefinition } from "../../contract/index.ts";

type Schema = Record<string, unknown>;

/** Attributes that say nothing about which values are allowed, or that are checked elsewhere. */
const silent: ReadonlySet<string> = new Set([
	"description",
	"default",
	"required",
	"immutable",
	"reserved",
	"secret",
	"position",
	"title",
	"id",
	"$schema",
	"definitions",
]);

/** Attributes that are checked without compiling anything. */
const plain: ReadonlySet<string> = new Set([...silent, "type", "enum"]);

/** Whether a definition says no more than type and allowed values, as most do. */
export function isPlainDefinition(definition: ParameterDefinition): boolean {
	for (const key in definition) if (!plain.has(key)) return false;
	return true;
}

/**
 * A definition as JSON schema: the words that are ours left out, `required` of members moved to the object that has them, the
 * old boolean form of exclusive limits written as numbers. Members that are not required accept null.
 */
export function toJsonSchema(definition: ParameterDefinition): Schema {
	const schema: Schema = {};
	const required = requiredMembers(definition);
	for (const [key, value] of Object.entries(definition) as [string, JsonValue][]) {
		if (!silent.has(key))
			Object.defineProperty(schema, key, { value: convert(key, value, required), enumerable: true, writable: true, configurable: true });
	}
	if (required.length > 0) schema["required"] = required;
	convertLimits(schema);
	return schema;
}

function convert(key: string, value: JsonValue, required: readonly string[]): unknown {
	switch (key) {
		case "properties":
			return mapMembers(value as JsonObject, (member, name) =>
				isRequired(member) || required.includes(name) ? toJsonSchema(member) : orNull(toJsonSchema(member)),
			);
		case "patternProperties":
			return mapMembers(value as JsonObject, toJsonSchema);
		case "items":
		case "allOf":
		case "anyOf":
		case "oneOf":
			return Array.isArray(value)
				? value.map((item: ParameterDefinition) => toJsonSchema(item))
				: toJsonSchema(value as ParameterDefinition);
		case "additionalProperties":
		case "additionalItems":
		case "not":
			return typeof value === "object" ? toJsonSchema(value as ParameterDefinition) : value;
		default:
			return value;
	}
}

function mapMembers(members: JsonObject, change: (member: ParameterDefinition, name: string) => Schema): Schema {
	return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member as ParameterDefinition, name)]));
}

/** Members of an object that are required, in the form of a list or of a flag on each; one with a default is satisfied by it. */
function requiredMembers(definition: ParameterDefinition): string[] {
	const listed: unknown = definition.required;
	const names = Array.isArray(listed) ? (listed as string[]) : [];
	const flagged = Object.entries(definition.properties ?? {}).filter(
		([, member]) => isRequired(member) && !Object.hasOwn(member, "default"),
	);
	return [...new Set([...names, ...flagged.map(([name]) => name)])];
}

function isRequired(definition: ParameterDefinition): boolean {
	return definition.required === true;
}

function orNull(schema: Schema): Schema {
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
