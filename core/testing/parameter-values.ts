import type { JsonValue, ParameterDefinition, ParameterSchema, ParameterValues } from "../contract/index.ts";

/** What the host would make of parameters: defaults are added, and what the schema does not allow is refused. */
export function toParameterValues<S extends ParameterSchema>(
	schema: S,
	given: Readonly<Record<string, JsonValue | undefined>>,
): ParameterValues<S> {
	for (const name of Object.keys(given))
		if (!Object.hasOwn(schema, name)) throw new Error(`parameter "${name}" is not one of the runner's`);
	const values = Object.entries(schema).map(([name, definition]) => [name, toValue(name, definition, given[name])] as const);
	// Each value was checked against its definition, which the type system cannot follow.
	return Object.fromEntries(values) as ParameterValues<S>;
}

function toValue(name: string, definition: ParameterDefinition, given: JsonValue | undefined): JsonValue | undefined {
	const value = given ?? definition.default ?? undefined;
	if (value === undefined) {
		if (definition.required === true) throw new Error(`parameter "${name}" is required`);
		return undefined;
	}
	if (definition.type !== undefined && !isOfType(value, definition.type))
		throw new Error(`parameter "${name}" must be of type ${definition.type}`);
	if (definition.enum !== undefined && !definition.enum.includes(value))
		throw new Error(`parameter "${name}" must be one of ${definition.enum.join(", ")}`);
	return value;
}

function isOfType(value: JsonValue, type: NonNullable<ParameterDefinition["type"]>): boolean {
	if (type === "array") return Array.isArray(value);
	if (type === "integer") return Number.isInteger(value);
	if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
	return type === "null" ? value === null : typeof value === type;
}
