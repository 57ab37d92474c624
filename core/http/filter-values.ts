import { SvcError } from "../contract/index.ts";

/**
 * Returns the value of a filter that accepts several values, or the list if there is more than one. Returns undefined if the filter
 * is not given. Throws `SVC_INVALID` for a value that is not allowed.
 */
export function parseFilterValues(
	name: string,
	values: readonly string[] | undefined,
	allowed: readonly string[],
): string | readonly string[] | undefined {
	assertAllowedValues(name, values ?? [], allowed);
	return values?.length === 1 ? values[0] : values;
}

/** Throws `SVC_INVALID` for a value that a query parameter does not allow. Otherwise such a value would silently match nothing. */
export function assertAllowedValues(name: string, values: readonly string[], allowed: readonly string[]): void {
	const invalid = values.find((value) => !allowed.includes(value));
	if (invalid !== undefined) throw new SvcError("SVC_INVALID", `${name}: "${invalid.slice(0, 100)}" must be one of ${allowed.join(", ")}`);
}
