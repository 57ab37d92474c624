import { SvcError } from "../contract/index.ts";

/** Refuses a value of a query parameter that is outside of its enumeration: it would silently match nothing. */
export function assertOneOf(name: string, values: readonly string[], allowed: readonly string[]): void {
	const wrong = values.find((value) => !allowed.includes(value));
	if (wrong !== undefined) throw new SvcError("SVC_INVALID", `${name}: "${wrong.slice(0, 100)}" must be one of ${allowed.join(", ")}`);
}
