import { isJsonObject, type JsonObject, type JsonValue, type ParameterDefinition } from "../../contract/index.ts";
import { type BoundedRegExp, createBoundedRegExp } from "../safe-regexp.ts";

/** What a definition says of secrets. Definitions come from anybody, and are stored: whatever they hold, reading them never throws. */
export interface Reading {
	/** Whether the value is secret, or cannot be judged by such a definition. */
	readonly isSecret: boolean;
	/** Whether the value is secret or may hold something that is. */
	readonly holdsSecret: boolean;
	readonly type: unknown;
	/** All of them count, as it is not known which one was meant. */
	readonly alternatives: readonly Reading[];
	readonly elements: Reading | readonly Reading[] | undefined;
	readonly otherElements: Reading | undefined;
	/** Undefined when it names no members. */
	readonly members: ReadonlyMap<string, Reading> | undefined;
	readonly patterns: readonly (readonly [BoundedRegExp | undefined, Reading])[] | undefined;
	readonly otherMembers: Reading | undefined;
}

/** Deeper definitions are not judged: nothing that deep passes the checks at the border. */
const maximumDepth = 100;

const nothing = {
	type: undefined,
	alternatives: [],
	elements: undefined,
	otherElements: undefined,
	members: undefined,
	patterns: undefined,
	otherMembers: undefined,
};
const harmless: Reading = { ...nothing, isSecret: false, holdsSecret: false };
const unreadable: Reading = { ...nothing, isSecret: true, holdsSecret: true };

/** Words that masking follows. */
const followed: ReadonlySet<string> = new Set([
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
/** Words whose values are no definitions, whatever they look like. What `definitions` hold is reached by `$ref` alone, which is not followed. */
const data: ReadonlySet<string> = new Set(["default", "enum", "const", "examples", "definitions", "$defs", "required"]);

/** Words that say what the members of an object are, in a schema that could also be the members themselves. */
const schemaWords = [
	...["properties", "patternProperties", "additionalProperties", "items", "additionalItems"],
	...["allOf", "anyOf", "oneOf", "not", "$ref", "type", "secret"],
];

const readings = new WeakMap<object, Reading>();

/** Read a definition; one of the same identity is read once. */
export function readDefinition(definition: unknown, depth = 0): Reading {
	if (typeof definition === "boolean") return harmless;
	if (!isJsonObject(definition) || depth > maximumDepth) return unreadable;
	if (isPlain(definition)) return harmless;
	let reading = readings.get(definition);
	if (reading === undefined) {
		reading = read(definition, depth);
		if (depth === 0) readings.set(definition, reading);
	}
	return reading;
}

/** Whether there is nothing in a definition where a secret could stand. So are most, and lists of actions read tens of thousands of them. */
function isPlain(definition: JsonObject): boolean {
	return Object.keys(definition).every((word) => {
		const value = definition[word];
		if (word === "secret") return value === false;
		if (followed.has(word) || word === "$ref") return false;
		return typeof value !== "object" || value === null || data.has(word);
	});
}

function read(definition: Readonly<Record<string, JsonValue>>, depth: number): Reading {
	const { secret = false, $ref, type } = definition;
	if (typeof secret !== "boolean" || secret || $ref !== undefined || hidesSecret(definition)) return unreadable;
	const inner = (value: JsonValue) => readDefinition(value, depth + 1);
	const { properties, patternProperties, additionalProperties, items, additionalItems } = definition;
	const lists = ["allOf", "anyOf", "oneOf"].map((word) => readList(definition[word] ?? [], inner));
	const members = properties === undefined ? undefined : readMembers(properties, inner);
	const patterns = patternProperties === undefined ? undefined : readMembers(patternProperties, inner);
	if (lists.includes(undefined) || members === null || patterns === null) return unreadable;
	const parts = {
		type,
		alternatives: lists.flatMap((list) => list ?? []),
		elements: items === undefined ? undefined : (readList(items, inner) ?? inner(items)),
		otherElements: additionalItems === undefined ? undefined : inner(additionalItems),
		members,
		patterns: patterns && [...patterns].map(([pattern, reading]) => [toExpression(pattern), reading] as const),
		otherMembers: additionalProperties === undefined ? undefined : inner(additionalProperties),
	};
	return { isSecret: false, holdsSecret: partsOf(parts).some(({ holdsSecret }) => holdsSecret), ...parts };
}

function partsOf(reading: Omit<Reading, "isSecret" | "holdsSecret">): readonly Reading[] {
	const { alternatives, elements = [], otherElements = [], members, patterns = [], otherMembers = [] } = reading;
	return [alternatives, elements, otherElements, [...(members?.values() ?? [])], patterns.map(([, inner]) => inner), otherMembers].flat();
}

/** Undefined for what is no list. */
function readList(values: JsonValue, inner: (value: JsonValue) => Reading): readonly Reading[] | undefined {
	return Array.isArray(values) ? values.map(inner) : undefined;
}

/** Null for what is no object of definitions. */
function readMembers(members: JsonValue, inner: (value: JsonValue) => Reading): ReadonlyMap<string, Reading> | null {
	return isJsonObject(members) ? new Map(Object.entries(members).map(([name, member]) => [name, inner(member)])) : null;
}

/** Undefined for what is no expression. */
function toExpression(pattern: string): BoundedRegExp | undefined {
	try {
		return createBoundedRegExp(pattern);
	} catch {
		return undefined;
	}
}

/** Whether a secret stands where masking does not follow, such as in `then`. */
function hidesSecret(definition: Readonly<Record<string, JsonValue>>): boolean {
	return Object.entries(definition).some(([word, value]) => !followed.has(word) && !data.has(word) && mentionsSecret(value, 0));
}

function mentionsSecret(value: JsonValue, depth: number): boolean {
	if (typeof value !== "object" || value === null) return false;
	if (depth > maximumDepth) return true;
	if (isJsonObject(value) && Object.hasOwn(value, "secret") && value["secret"] === true) return true;
	return Object.values(value).some((member: JsonValue) => mentionsSecret(member, depth + 1));
}

/** Whether a schema is one of an object, and not the members of it. A word of schemas may be the name of a member: `type: {type: string}`. */
export function isWholeSchema(schema: JsonObject): boolean {
	const isNamed = (word: string) => (word === "type" || word === "secret") && isJsonObject(schema[word]);
	return schemaWords.some((word) => Object.hasOwn(schema, word) && !isNamed(word));
}

/** All that describe a member: by its name, by patterns, or else as one of the rest. Undefined where that cannot be told in time. */
export function memberReadings({ members, patterns = [], otherMembers }: Reading, key: string): readonly Reading[] | undefined {
	const named = members?.get(key);
	const found = named === undefined ? [] : [named];
	for (const [pattern, reading] of patterns) {
		const isMatch = matches(pattern, key);
		if (isMatch === undefined) return undefined;
		if (isMatch) found.push(reading);
	}
	return found.length > 0 || otherMembers === undefined ? found : [otherMembers];
}

/** The same for the definitions themselves; a pattern that cannot be judged counts. */
export function memberDefinitions(definition: ParameterDefinition, key: string): readonly ParameterDefinition[] {
	const { properties = {}, patternProperties = {}, additionalProperties } = definition;
	const named = Object.hasOwn(properties, key) ? properties[key] : undefined;
	const found = named === undefined ? [] : [named];
	for (const [pattern, inner] of Object.entries(patternProperties)) {
		if (matches(toExpression(pattern), key) !== false) found.push(inner);
	}
	if (found.length > 0) return found;
	return typeof additionalProperties === "object" ? [additionalProperties] : [];
}

function matches(pattern: BoundedRegExp | undefined, key: string): boolean | undefined {
	try {
		return pattern?.test(key);
	} catch {
		return undefined;
	}
}
