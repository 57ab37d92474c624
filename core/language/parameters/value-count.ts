import { SvcError } from "../../contract/index.ts";

/**
 * Maximum number of values in the definitions, criteria or configuration of one record. Checking and compiling each value takes some
 * microseconds.
 */
const maxDefinitionValues = 10_000;

/**
 * Refuses a value with more than `maxValues` members and elements on all levels with `SVC_INVALID`. Counting stops there, so a huge value
 * takes no longer.
 *
 * @param field name of the value in the message
 */
export function assertValueCount(field: string, value: unknown, maxValues = maxDefinitionValues): void {
	const pendingValues: unknown[] = [value];
	let count = 0;
	for (let next = pendingValues.pop(); next !== undefined; next = pendingValues.pop()) {
		if (typeof next !== "object" || next === null) continue;
		for (const name in next) {
			count += 1;
			if (count > maxValues) throw new SvcError("SVC_INVALID", `${field}: must have at most ${maxValues} values in total`);
			const member = (next as Readonly<Record<string, unknown>>)[name];
			if (typeof member === "object" && member !== null) pendingValues.push(member);
		}
	}
}
