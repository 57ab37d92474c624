import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../../contract/index.ts";

const idPattern = /^[0-9a-f]{24}$/;

/** Returns true if a string has the form of an id: 24 lower-case hex digits. */
export function isId(text: string): boolean {
	return idPattern.test(text);
}

let lastMicroseconds = 0;
let counter = 0;
const processPart = randomBytes(3).toString("hex");

/**
 * Returns a new id of 24 hex digits: seconds (8), microseconds within the second (5), a counter (5) and a random value of the process (6).
 * So ids of one process sort by creation.
 */
export function createId(clock: Clock): string {
	// Round down: with a fraction of a microsecond, the id would contain a decimal point, and `isId` would refuse it.
	const now = Math.max(Math.floor(clock.now()), lastMicroseconds);
	counter = now === lastMicroseconds ? counter + 1 : 0;
	if (counter > 0xfffff) {
		lastMicroseconds = now + 1;
		counter = 0;
	} else lastMicroseconds = now;
	const seconds = Math.floor(lastMicroseconds / 1_000_000);
	const rest = lastMicroseconds % 1_000_000;
	return seconds.toString(16).padStart(8, "0") + rest.toString(16).padStart(5, "0") + counter.toString(16).padStart(5, "0") + processPart;
}

/** Returns an id of 24 hex digits that is derived from the string, so that every node computes the same id. */
export function toStableId(text: string): string {
	return createHash("sha256").update(text).digest("hex").slice(0, 24);
}
