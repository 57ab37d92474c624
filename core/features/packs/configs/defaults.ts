import type { JsonObject, JsonValue, ParameterDefinition, ParameterSchema } from "../../../contract/index.ts";
import { itemDefinition, memberDefinition } from "./walk.ts";

/**
 * A configuration with the defaults of what it lacks, at every level. An absent object whose members are described becomes one
 * with their defaults, an absent list whose elements are described an empty one.
 */
export function withConfigDefaults(values: JsonObject, schema: ParameterSchema): JsonObject {
	return fill(values, { properties: schema }) as JsonObject;
}

function fill(value: JsonValue | undefined, definition: ParameterDefinition | undefined): JsonValue | undefined {
	const start = value ?? definition?.default ?? toEmpty(definition) ?? value;
	if (Array.isArray(start)) {
		const items = start as readonly JsonValue[];
		return items.map((item, index) => fill(item, itemDefinition(definition, index)) ?? null);
	}
	if (typeof start !== "object" || start === null) return start;
	const given = start as JsonObject;
	const names = new Set([...Object.keys(given), ...Object.keys(definition?.properties ?? {})]);
	const members = [...names].map((name) => {
		const own = Object.hasOwn(given, name) ? given[name] : undefined;
		return [name, fill(own, memberDefinition(definition, name))] as const;
	});
	return Object.fromEntries(members.filter((member): member is readonly [string, JsonValue] => member[1] !== undefined));
}

function toEmpty(definition: ParameterDefinition | undefined): JsonValue | undefined {
	if (definition?.properties !== undefined) return {};
	return definition?.items === undefined ? undefined : [];
}
