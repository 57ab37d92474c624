import type { JsonObject, JsonValue, ParameterDefinition } from "../../contract/index.ts";

/**
 * Returns the value with the defaults of missing members, at every level that the definition describes. Returns the same object if nothing
 * is missing.
 */
export function withNestedDefaults(value: JsonValue, definition: ParameterDefinition): JsonValue {
	if (Array.isArray(value)) return completeElements(value as readonly JsonValue[], definition);
	if (typeof value !== "object" || value === null || definition.properties === undefined) return value;
	const members = value as JsonObject;
	const defaults: [string, JsonValue][] = [];
	for (const [name, member] of Object.entries(definition.properties)) {
		const current = Object.hasOwn(members, name) ? members[name] : undefined;
		const newValue =
			current === undefined || (current === null && Object.hasOwn(member, "default"))
				? member.default
				: withNestedDefaults(current, member);
		if (newValue !== undefined && newValue !== current) defaults.push([name, newValue]);
	}
	return defaults.length === 0 ? members : Object.fromEntries([...Object.entries(members), ...defaults]);
}

function completeElements(values: readonly JsonValue[], { items }: ParameterDefinition): JsonValue {
	if (items === undefined || Array.isArray(items)) return values;
	const newValues = values.map((value) => withNestedDefaults(value, items as ParameterDefinition));
	return newValues.some((value, index) => value !== values[index]) ? newValues : values;
}
