import { SvcError } from "../contract/index.ts";

const absolute = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:Z|([+-])(\d{2})(?::?(\d{2}))?)?)?$/i;
const relative = /^([+-])((?:\d{1,9}[smhdw])+)$/;
/** A time with a space before its offset: a `+` in an address, without the encoding `%2B`, is decoded as a space. */
const blankOffset = /^(\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d+)?) (\d{2}(?::?\d{2})?)$/i;
const unitSeconds = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 } as const;
const dayMs = 86_400_000;

/**
 * Parses a time in a request. Returns it in the format of stored times, so that the strings can be compared. Throws `SVC_INVALID` naming
 * the parameter.
 *
 * Accepts a date, a time in UTC or with an offset, and `now`. Accepts `today` and `yesterday`, which mean the beginning of that day in UTC.
 * Accepts a time relative to now, such as `-1h` or `-1d12h`.
 *
 * @param nowMs milliseconds since 1970; for tests
 */
export function parseTimestamp(name: string, text: string, nowMs = Date.now()): string {
	const trimmed = text.trim();
	const time =
		toRelative(text.startsWith(" ") ? `+${trimmed}` : trimmed.toLowerCase(), nowMs) ?? toAbsolute(trimmed.replace(blankOffset, "$1+$2"));
	// Years after 9999 have a format that cannot be compared as a string.
	if (time !== undefined && /^\d{4}-/.test(toIso(time.ms))) return `${toIso(time.ms)}.${time.fraction}Z`;
	throw new SvcError(
		"SVC_INVALID",
		`${name}: must be a time such as 2031-03-04T09:15:02.418273Z or 2031-03-04T10:15:02+01:00 (in a URL, write + as %2B), ` +
			`a date (UTC), "now", "today", "yesterday", or relative to now: -90s, -15m, -1h, -2d, -1w`,
	);
}

interface ParsedTime {
	/** Milliseconds since 1970, rounded down to a whole second. */
	readonly ms: number;
	/** Microseconds within the second, as six digits. */
	readonly fraction: string;
}

function toRelative(text: string, nowMs: number): ParsedTime | undefined {
	const today = nowMs - (nowMs % dayMs);
	if (text === "today") return toTime(today);
	if (text === "yesterday") return toTime(today - dayMs);
	if (text === "now") return toTime(nowMs);
	const [, sign, spans = ""] = relative.exec(text) ?? [];
	if (sign === undefined) return undefined;
	const seconds = [...spans.matchAll(/(\d+)([smhdw])/g)].map(
		([, count, unit]) => Number(count) * unitSeconds[unit as keyof typeof unitSeconds],
	);
	return toTime(nowMs + (sign === "-" ? -1_000 : 1_000) * seconds.reduce((sum, each) => sum + each, 0));
}

function toAbsolute(text: string): ParsedTime | undefined {
	const [, date, minutes = "00:00", seconds = "00", fraction = "", sign, offsetHours = "0", offsetMinutes = "0"] =
		absolute.exec(text) ?? [];
	const ms = Date.parse(`${date}T${minutes}:${seconds}Z`);
	// The parser converts a date such as 30 February to a day in March instead of refusing it.
	if (Number.isNaN(ms) || toIso(ms) !== `${date}T${minutes}:${seconds}`) return undefined;
	if (Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return undefined;
	const offsetMs = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000;
	return { ms: ms - (sign === "-" ? -offsetMs : offsetMs), fraction: fraction.slice(0, 6).padEnd(6, "0") };
}

function toTime(ms: number): ParsedTime | undefined {
	if (Math.abs(ms) > 8.64e15) return undefined;
	return { ms: Math.floor(ms / 1_000) * 1_000, fraction: `${String(((ms % 1_000) + 1_000) % 1_000).padStart(3, "0")}000` };
}

function toIso(ms: number): string {
	return new Date(ms).toISOString().slice(0, 19);
}
