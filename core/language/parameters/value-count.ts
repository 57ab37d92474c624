import { SvcError } from "../../contract/index.ts";

/** Most values in the definitions, criteria or configuration that one record holds: checking and compiling each takes some microseconds. */
const maxDefinitionValues = 10_000;

/**
 * Refuses a value with more members and elements than `most`, at all levels together. Stops there, so that a hostile one costs nothing.
 *
 * @param field what the message calls it
 */
export function assertValueCount(field: string, value: unknown, most = maxDefinitionValues): void {
	const open: unknown[] = [value];
	let count = 0;
	for (let next = open.pop(); next !== undefined; next = open.pop()) {
		if (typeof next !== "object" || next === null) continue;
		for (const name in next) {
			count += 1;
			if (count > most) throw new SvcError("SVC_INVALID", `${field}: must have at most ${most} values in all`);
			const member = (next as Readonly<Record<string, unknown>>)[name];
			if (typeof member === "object" && member !== null) open.push(member);
		}
	}
}
