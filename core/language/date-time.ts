const isoForm =
	/^(\d{4})-?(\d{2})-?(\d{2})(?:[T\s]+(\d{1,2})(?::?(\d{2}))?(?::?(\d{2})(?:[.,](\d+))?)?)?\s*(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?$/i;
const zone = /(?:\bZ|\bUTC|\bGMT|\bE[SD]T|\bC[SD]T|\bM[SD]T|\bP[SD]T|[+-]\d{2}:?\d{2})(?:\s*\([^)]*\))?$/i;

/** Parts of a date as they are written, and where it is so; microseconds of the second apart. */
export interface WrittenDate {
	/** Milliseconds since 1970 of the same wall clock in UTC. */
	readonly wallClock: number;
	readonly microseconds: number;
	/** Minutes east of UTC; undefined when the text says nothing about it. */
	readonly offset: number | undefined;
}

/**
 * A date and time in whatever form people write it: ISO 8601 and its relatives, e-mail dates, `Jul 1 2014 10:00`. Undefined when it
 * is none.
 */
export function parseDate(text: string): WrittenDate | undefined {
	const trimmed = text.trim();
	const match = isoForm.exec(trimmed);
	if (match !== null) return fromParts(match.slice(1));
	// Only digits, or hardly any letters, would be taken for years and months in surprising ways.
	if (trimmed.length > 100 || !/\d/.test(trimmed) || !/[a-z/]/i.test(trimmed)) return undefined;
	const hasZone = zone.test(trimmed);
	const milliseconds = Date.parse(hasZone ? trimmed : `${trimmed} UTC`);
	return Number.isNaN(milliseconds) ? undefined : { wallClock: milliseconds, microseconds: 0, offset: hasZone ? 0 : undefined };
}

function fromParts([year, month, day, hour = "0", minute = "0", second = "0", fraction = "", zoneText]: (string | undefined)[]) {
	const parts = [year, month, day, hour, minute, second].map(Number) as [number, number, number, number, number, number];
	const wallClock = new Date(0);
	wallClock.setUTCFullYear(parts[0], parts[1] - 1, parts[2]);
	wallClock.setUTCHours(parts[3], parts[4], parts[5]);
	// What overflows, such as the 30th of February, is no date.
	const isReal = wallClock.getUTCMonth() === parts[1] - 1 && wallClock.getUTCDate() === parts[2] && parts[4] < 60 && parts[5] < 60;
	if (!isReal) return undefined;
	const microseconds = Number(fraction.slice(0, 6).padEnd(6, "0"));
	return { wallClock: wallClock.getTime(), microseconds, offset: toOffset(zoneText) };
}

function toOffset(text: string | undefined): number | undefined {
	if (text === undefined) return undefined;
	const match = /^([+-])(\d{2}):?(\d{2})?$/.exec(text);
	if (match === null) return 0;
	return (match[1] === "-" ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3] ?? 0));
}

/** Microseconds since 1970; a date that does not say its zone is in UTC. Undefined when the text is no date. */
export function toMicroseconds(text: string): number | undefined {
	const date = parseDate(text);
	if (date === undefined) return undefined;
	return (date.wallClock - (date.offset ?? 0) * 60_000) * 1_000 + date.microseconds;
}
