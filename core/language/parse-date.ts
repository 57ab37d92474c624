const isoPattern =
	/^(\d{4})-?(\d{2})-?(\d{2})(?:[T\s]+(\d{1,2})(?::?(\d{2}))?(?::?(\d{2})(?:[.,](\d+))?)?)?\s*(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?$/i;
const zonePattern = /(?:\bZ|\bUTC|\bGMT|\bE[SD]T|\bC[SD]T|\bM[SD]T|\bP[SD]T|[+-]\d{2}:?\d{2})(?:\s*\([^)]*\))?$/i;

/** Wall-clock time of a date, and its offset from UTC. Microseconds within the second are separate. */
export interface ParsedDate {
	/** Milliseconds since 1970 of the same wall-clock time in UTC. */
	readonly wallClockMs: number;
	/** Microseconds within the second. */
	readonly microseconds: number;
	/** Minutes east of UTC; undefined if no time zone is given. */
	readonly offsetMinutes: number | undefined;
}

/**
 * Parses a date and time in any common format: ISO 8601 and its variants, e-mail dates, `Jul 1 2014 10:00`. Returns undefined if the string
 * is not a date.
 */
export function parseDate(text: string): ParsedDate | undefined {
	const trimmed = text.trim();
	const match = isoPattern.exec(trimmed);
	if (match !== null) return fromIsoParts(match.slice(1));
	// `Date.parse` interprets strings without letters, such as plain digits, as years and months in surprising ways.
	if (trimmed.length > 100 || !/\d/.test(trimmed) || !/[a-z/]/i.test(trimmed)) return undefined;
	const hasZone = zonePattern.test(trimmed);
	const milliseconds = Date.parse(hasZone ? trimmed : `${trimmed} UTC`);
	return Number.isNaN(milliseconds) ? undefined : { wallClockMs: milliseconds, microseconds: 0, offsetMinutes: hasZone ? 0 : undefined };
}

function fromIsoParts([year, month, day, hour = "0", minute = "0", second = "0", fraction = "", zoneText]: (string | undefined)[]):
	| ParsedDate
	| undefined {
	const parts = [year, month, day, hour, minute, second].map(Number) as [number, number, number, number, number, number];
	const wallClock = new Date(0);
	wallClock.setUTCFullYear(parts[0], parts[1] - 1, parts[2]);
	wallClock.setUTCHours(parts[3], parts[4], parts[5]);
	// A date that overflows, such as February 30, does not exist.
	const isValidDate = wallClock.getUTCMonth() === parts[1] - 1 && wallClock.getUTCDate() === parts[2] && parts[4] < 60 && parts[5] < 60;
	if (!isValidDate) return undefined;
	const microseconds = Number(fraction.slice(0, 6).padEnd(6, "0"));
	return { wallClockMs: wallClock.getTime(), microseconds, offsetMinutes: toOffset(zoneText) };
}

function toOffset(text: string | undefined): number | undefined {
	if (text === undefined) return undefined;
	const match = /^([+-])(\d{2}):?(\d{2})?$/.exec(text);
	if (match === null) return 0;
	return (match[1] === "-" ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3] ?? 0));
}

/** Returns microseconds since 1970. A date without a time zone is in UTC. Returns undefined if the string is not a date. */
export function toMicroseconds(text: string): number | undefined {
	const date = parseDate(text);
	if (date === undefined) return undefined;
	return (date.wallClockMs - (date.offsetMinutes ?? 0) * 60_000) * 1_000 + date.microseconds;
}
