import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../../contract/index.ts";

const idPattern = /^[0-9a-f]{24}$/;

/** Whether a text has the form of an id. */
export function isId(text: string): boolean {
	return idPattern.test(text);
}

let lastMicroseconds = 0;
let counter = 0;
const processPart = randomBytes(3).toString("hex");

/**
 * A new id: 24 hex characters of which the first 8 are seconds, the next 5 microseconds within the second, so that ids of
 * one process sort by creation; then the process and a counter.
 */
export function createId(clock: Clock): string {
	// A part of a microsecond would be a point among the digits, and nothing finds what has such an id.
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

/** The same 24 hex characters for the same text, on every node. */
export function toStableId(text: string): string {
	return createHash("sha256").update(text).digest("hex").slice(0, 24);
}
