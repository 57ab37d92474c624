import { isJsonObject, type JsonObject, type JsonValue, type ParameterDefinition } from "../../contract/index.ts";
import { type BoundedRegExp, createBoundedRegExp } from "../bounded-regexp.ts";

/**
 * Parsed definition, which determines the parts of a value that are secret. Definitions are stored input of users and packs. Reading one
 * therefore never throws, even if its content is invalid.
 */
export interface SecretSchema {
	/** True if the whole value is secret, or if the definition cannot be evaluated. */
	readonly isSecret: boolean;
	/** True if the value is secret or may contain a secret. */
	readonly holdsSecret: boolean;
	readonly type: unknown;
	/** Subschemas of `allOf`, `anyOf` and `oneOf`. All of them apply, because it is unknown which alternative the author meant. */
	readonly alternatives: readonly SecretSchema[];
	/** Schema of all elements, or one schema for each position. */
	readonly elements: SecretSchema | readonly SecretSchema[] | undefined;
	/** Schema of the elements after the listed positions. */
	readonly otherElements: SecretSchema | undefined;
	/** Schemas of members by name; undefined if the definition names no members. */
	readonly members: ReadonlyMap<string, SecretSchema> | undefined;
	/** Schemas of members by pattern. A pattern that cannot be compiled is undefined. */
	readonly patterns: readonly (readonly [BoundedRegExp | undefined, SecretSchema])[] | undefined;
	/** Schema of all other members. */
	readonly otherMembers: SecretSchema | undefined;
}

/** Maximum nesting levels that are read. A deeper definition counts as secret, because it cannot have passed the checks at registration. */
const maxDepth = 100;

const emptySchema = {
	type: undefined,
	alternatives: [],
	elements: undefined,
	otherElements: undefined,
	members: undefined,
	patterns: undefined,
	otherMembers: undefined,
};
const schemaWithoutSecrets: SecretSchema = { ...emptySchema, isSecret: false, holdsSecret: false };
const secretSchema: SecretSchema = { ...emptySchema, isSecret: true, holdsSecret: true };

/** Keywords that masking evaluates. */
const followedKeywords: ReadonlySet<string> = new Set([
	"secret",
	"properties",
	"patternProperties",
	"additionalProperties",
	"items",
	"additionalItems",
	"allOf",
	"anyOf",
	"oneOf",
]);
/**
 * Keywords whose values are not definitions, even if they look like definitions. The entries of `definitions` are reachable only through
 * `$ref`, which masking does not resolve.
 */
const dataKeywords: ReadonlySet<string> = new Set(["default", "enum", "const", "examples", "definitions", "$defs", "required"]);

/** Keywords that mark a JSON schema, as opposed to an object that lists members directly. */
const jsonSchemaKeywords = [
	...["properties", "patternProperties", "additionalProperties", "items", "additionalItems"],
	...["allOf", "anyOf", "oneOf", "not", "$ref", "type", "secret"],
];

const schemaCache = new WeakMap<object, SecretSchema>();

/** Reads a definition. The result is cached by the identity of the definition object. */
export function readSecretSchema(definition: unknown, depth = 0): SecretSchema {
	if (typeof definition === "boolean") return schemaWithoutSecrets;
	if (!isJsonObject(definition) || depth > maxDepth) return secretSchema;
	if (hasNoSecretKeyword(definition)) return schemaWithoutSecrets;
	let schema = schemaCache.get(definition);
	if (schema === undefined) {
		schema = readUncached(definition, depth);
		if (depth === 0) schemaCache.set(definition, schema);
	}
	return schema;
}

/**
 * Returns true if a definition contains no keyword below which a secret could be declared. Most definitions are of this kind, and listing
 * actions reads tens of thousands of them.
 */
function hasNoSecretKeyword(definition: JsonObject): boolean {
	return Object.keys(definition).every((keyword) => {
		const value = definition[keyword];
		if (keyword === "secret") return value === false;
		if (followedKeywords.has(keyword) || keyword === "$ref") return false;
		return typeof value !== "object" || value === null || dataKeywords.has(keyword);
	});
}

function readUncached(definition: Readonly<Record<string, JsonValue>>, depth: number): SecretSchema {
	const { secret = false, $ref, type } = definition;
	if (typeof secret !== "boolean" || secret || $ref !== undefined || hidesSecret(definition)) return secretSchema;
	const readInner = (value: JsonValue) => readSecretSchema(value, depth + 1);
	const { properties, patternProperties, additionalProperties, items, additionalItems } = definition;
	const alternativeLists = ["allOf", "anyOf", "oneOf"].map((keyword) => readList(definition[keyword] ?? [], readInner));
	const members = properties === undefined ? undefined : readMembers(properties, readInner);
	const patterns = patternProperties === undefined ? undefined : readMembers(patternProperties, readInner);
	if (alternativeLists.includes(undefined) || members === null || patterns === null) return secretSchema;
	const subschemas = {
		type,
		alternatives: alternativeLists.flatMap((list) => list ?? []),
		elements: items === undefined ? undefined : (readList(items, readInner) ?? readInner(items)),
		otherElements: additionalItems === undefined ? undefined : readInner(additionalItems),
		members,
		patterns: patterns && [...patterns].map(([pattern, schema]) => [toExpression(pattern), schema] as const),
		otherMembers: additionalProperties === undefined ? undefined : readInner(additionalProperties),
	};
	return { isSecret: false, holdsSecret: subschemasOf(subschemas).some(({ holdsSecret }) => holdsSecret), ...subschemas };
}

function subschemasOf(schema: Omit<SecretSchema, "isSecret" | "holdsSecret">): readonly SecretSchema[] {
	const { alternatives, elements = [], otherElements = [], members, patterns = [], otherMembers = [] } = schema;
	return [
		alternatives,
		elements,
		otherElements,
		[...(members?.values() ?? [])],
		patterns.map(([, innerSchema]) => innerSchema),
		otherMembers,
	].flat();
}

/** Reads a list of definitions. Returns undefined if the value is not a list. */
function readList(values: JsonValue, readInner: (value: JsonValue) => SecretSchema): readonly SecretSchema[] | undefined {
	return Array.isArray(values) ? values.map(readInner) : undefined;
}

/** Reads definitions by name. Returns null if the value is not an object. */
function readMembers(members: JsonValue, readInner: (value: JsonValue) => SecretSchema): ReadonlyMap<string, SecretSchema> | null {
	return isJsonObject(members) ? new Map(Object.entries(members).map(([name, member]) => [name, readInner(member)])) : null;
}

/** Compiles a pattern. Returns undefined if it is not a valid regular expression. */
function toExpression(pattern: string): BoundedRegExp | undefined {
	try {
		return createBoundedRegExp(pattern);
	} catch {
		return undefined;
	}
}

/** Returns true if a secret is declared below a keyword that masking does not evaluate, such as `then`. */
function hidesSecret(definition: Readonly<Record<string, JsonValue>>): boolean {
	return Object.entries(definition).some(
		([keyword, value]) => !followedKeywords.has(keyword) && !dataKeywords.has(keyword) && mentionsSecret(value, 0),
	);
}

function mentionsSecret(value: JsonValue, depth: number): boolean {
	if (typeof value !== "object" || value === null) return false;
	if (depth > maxDepth) return true;
	if (isJsonObject(value) && Object.hasOwn(value, "secret") && value["secret"] === true) return true;
	return Object.values(value).some((member: JsonValue) => mentionsSecret(member, depth + 1));
}

/**
 * Returns true if a schema is a JSON schema, and false if it lists the members of an object directly. A member may have the name of a
 * keyword, as in `type: {type: string}`.
 */
export function isJsonSchema(schema: JsonObject): boolean {
	const isMemberDefinition = (keyword: string) => (keyword === "type" || keyword === "secret") && isJsonObject(schema[keyword]);
	return jsonSchemaKeywords.some((keyword) => Object.hasOwn(schema, keyword) && !isMemberDefinition(keyword));
}

/**
 * Returns all schemas that describe a member: those of its name and of matching patterns, otherwise the schema of other members. Returns
 * undefined if matching a pattern fails or takes too long.
 */
export function memberSecretSchemas(
	{ members, patterns = [], otherMembers }: SecretSchema,
	key: string,
): readonly SecretSchema[] | undefined {
	const namedSchema = members?.get(key);
	const schemas = namedSchema === undefined ? [] : [namedSchema];
	for (const [pattern, schema] of patterns) {
		const isMatch = testPattern(pattern, key);
		if (isMatch === undefined) return undefined;
		if (isMatch) schemas.push(schema);
	}
	return schemas.length > 0 || otherMembers === undefined ? schemas : [otherMembers];
}

/** Returns the definitions that describe a member, like `memberSecretSchemas`. A pattern that cannot be evaluated counts as a match. */
export function memberDefinitions(definition: ParameterDefinition, key: string): readonly ParameterDefinition[] {
	const { properties = {}, patternProperties = {}, additionalProperties } = definition;
	const namedDefinition = Object.hasOwn(properties, key) ? properties[key] : undefined;
	const definitions = namedDefinition === undefined ? [] : [namedDefinition];
	for (const [pattern, innerDefinition] of Object.entries(patternProperties)) {
		if (testPattern(toExpression(pattern), key) !== false) definitions.push(innerDefinition);
	}
	if (definitions.length > 0) return definitions;
	return typeof additionalProperties === "object" ? [additionalProperties] : [];
}

function testPattern(pattern: BoundedRegExp | undefined, key: string): boolean | undefined {
	try {
		return pattern?.test(key);
	} catch {
		return undefined;
	}
}
