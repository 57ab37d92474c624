import type { JsonObject, JsonValue, ParameterDefinition } from "../../contract/index.ts";

/** A value with the defaults of the members it lacks, at every level its definition describes. The same value when it lacks none. */
export function withNestedDefaults(value: JsonValue, definition: ParameterDefinition): JsonValue {
	if (Array.isArray(value)) return inList(value as readonly JsonValue[], definition);
	if (typeof value !== "object" || value === null || definition.properties === undefined) return value;
	const given = value as JsonObject;
	const added: [string, JsonValue][] = [];
	for (const [name, member] of Object.entries(definition.properties)) {
		const own = Object.hasOwn(given, name) ? given[name] : undefined;
		const filled =
			own === undefined || (own === null && Object.hasOwn(member, "default")) ? member.default : withNestedDefaults(own, member);
		if (filled !== undefined && filled !== own) added.push([name, filled]);
	}
	return added.length === 0 ? given : Object.fromEntries([...Object.entries(given), ...added]);
}

function inList(values: readonly JsonValue[], { items }: ParameterDefinition): JsonValue {
	if (items === undefined || Array.isArray(items)) return values;
	const filled = values.map((value) => withNestedDefaults(value, items as ParameterDefinition));
	return filled.some((value, index) => value !== values[index]) ? filled : values;
}
