import { isJsonObject, type JsonObject, type JsonValue, type ParameterDefinition, SvcError } from "../../contract/index.ts";

type Schema = Record<string, unknown>;

/** Attributes that are checked without compiling anything, beside those that say nothing about which values are allowed. */
const plain: ReadonlySet<string> = new Set([
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
 * What the validator is told of a definition. Only these words: others could name a schema like one of the validator's own, which
 * would then be gone for everybody, or make it answer with promises.
 */
const words: Readonly<Record<string, (value: JsonValue, part: Conversion) => unknown>> = {
	...Object.fromEntries(
		["type", "enum", "const", "nullable", "pattern", "format", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]
			.concat("minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "$ref")
			.map((word) => [word, (value: JsonValue) => value]),
	),
	...Object.fromEntries(
		["items", "additionalItems", "contains", "additionalProperties", "propertyNames", "not", "if", "then", "else"]
			.concat("allOf", "anyOf", "oneOf")
			.map((word) => [word, (value: JsonValue, part: Conversion) => part.parts(value)]),
	),
	...Object.fromEntries(
		["patternProperties", "dependencies", "$defs"].map((word) => [word, (value: JsonValue, part: Conversion) => part.members(value)]),
	),
};

/** Most definitions in one, itself included: compiling more holds up everybody. */
const mostDefinitions = 1_000;

/** Whether a definition says no more than type and allowed values, as most do. */
export function isPlainDefinition(definition: ParameterDefinition): boolean {
	for (const key in definition) if (!plain.has(key)) return false;
	return true;
}

/**
 * A definition as JSON schema: the words that are ours left out, `required` of members moved to the object that has them, the
 * old boolean form of exclusive limits written as numbers. Members that are not required accept null. Throws for what is no
 * definition, and `SVC_INVALID` for one that is too large.
 */
export function toJsonSchema(definition: ParameterDefinition): Schema {
	return new Conversion().definition(definition as unknown as JsonValue);
}

/** The conversion of one definition with all that it holds. */
class Conversion {
	#count = 0;

	definition(definition: JsonValue): Schema {
		if (!isJsonObject(definition)) throw new SvcError("SVC_INVALID", "a definition must be an object");
		this.#count += 1;
		if (this.#count > mostDefinitions) throw new SvcError("SVC_INVALID", `there are more than ${mostDefinitions} definitions in it`);
		const schema: Schema = {};
		const required = requiredMembers(definition);
		for (const [word, value] of Object.entries(definition)) {
			if (word === "properties") schema[word] = this.#properties(value, required);
			else if (Object.hasOwn(words, word)) schema[word] = words[word]?.(value, this);
		}
		if (required.length > 0) schema["required"] = required;
		convertLimits(schema);
		return schema;
	}

	/** A definition, a list of them, or what stands for everything or nothing. */
	parts(value: JsonValue): unknown {
		if (Array.isArray(value)) return value.map((item: JsonValue) => this.parts(item));
		return typeof value === "boolean" ? value : this.definition(value);
	}

	/** Definitions by name, among which there may be lists of names. */
	members(value: JsonValue): unknown {
		return mapMembers(value, (member) => (isTexts(member) ? member : this.parts(member)));
	}

	#properties(value: JsonValue, required: readonly string[]): unknown {
		return mapMembers(value, (member, name) => {
			if (typeof member === "boolean") return member;
			const schema = this.definition(member);
			return isRequired(member) || required.includes(name) ? schema : orNull(schema);
		});
	}
}

function mapMembers(members: JsonValue, change: (member: JsonValue, name: string) => unknown): unknown {
	if (!isJsonObject(members)) throw new SvcError("SVC_INVALID", "there must be an object of names and definitions");
	return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member, name)]));
}

function isTexts(value: JsonValue): boolean {
	return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** Members of an object that are required, in the form of a list or of a flag on each; one with a default is satisfied by it. */
function requiredMembers({ required, properties }: JsonObject): string[] {
	const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
	const members = isJsonObject(properties) ? Object.entries(properties) : [];
	const flagged = members.filter(([, member]) => isRequired(member) && !Object.hasOwn(member as JsonObject, "default"));
	return [...new Set([...names, ...flagged.map(([name]) => name)])];
}

function isRequired(definition: JsonValue): boolean {
	return isJsonObject(definition) && definition["required"] === true;
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
