import { SvcError } from "../contract/index.ts";

/** Returns the values of a filter that takes several, separated by commas: one, or any of a list. Undefined if it is not given. */
export function parseOneOf(
	name: string,
	values: readonly string[] | undefined,
	allowed: readonly string[],
): string | readonly string[] | undefined {
	assertOneOf(name, values ?? [], allowed);
	return values?.length === 1 ? values[0] : values;
}

/** Refuses a value of a query parameter that is outside of its enumeration: it would silently match nothing. */
export function assertOneOf(name: string, values: readonly string[], allowed: readonly string[]): void {
	const wrong = values.find((value) => !allowed.includes(value));
	if (wrong !== undefined) throw new SvcError("SVC_INVALID", `${name}: "${wrong.slice(0, 100)}" must be one of ${allowed.join(", ")}`);
}
