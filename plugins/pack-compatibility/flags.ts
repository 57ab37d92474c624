import { isJsonObject, type JsonObject, type JsonValue } from "../../core/contract/index.ts";

/** Words that mean true and false in the older YAML that packs are written in, where they are not quoted. */
const words: ReadonlyMap<JsonValue | undefined, boolean> = new Map<JsonValue, boolean>([
	...["yes", "Yes", "YES", "on", "On", "ON"].map((word) => [word, true] as const),
	...["no", "No", "NO", "off", "Off", "OFF"].map((word) => [word, false] as const),
]);

/** Attributes of definitions that are true or false. */
const definitionFlags = ["required", "immutable", "secret"];

/** With these attributes as flags, where words of older YAML stand in them; nowhere else can such a word be told from a text. */
export function withFlags(metadata: JsonObject, attributes: readonly string[]): JsonObject {
	const found = attributes.filter((name) => Object.hasOwn(metadata, name) && words.has(metadata[name]));
	if (found.length === 0) return metadata;
	return Object.fromEntries(
		Object.entries(metadata).map(([name, value]) => [name, found.includes(name) ? (words.get(value) as boolean) : value]),
	);
}

/** Definitions of parameters, or of a configuration, with their flags at every level; one of the type boolean has its default so too. */
export function withDefinitionFlags(definitions: JsonObject): JsonObject {
	return Object.fromEntries(Object.entries(definitions).map(([name, definition]) => [name, toDefinition(definition)]));
}

function toDefinition(definition: JsonValue): JsonValue {
	if (!isJsonObject(definition)) return definition;
	const flagged = withFlags(definition, definition["type"] === "boolean" ? [...definitionFlags, "default"] : definitionFlags);
	return Object.fromEntries(
		Object.entries(flagged).map(([name, value]) => {
			if ((name === "properties" || name === "patternProperties") && isJsonObject(value)) return [name, withDefinitionFlags(value)];
			return [name, name === "items" || name === "additionalProperties" ? toDefinition(value) : value];
		}),
	);
}
