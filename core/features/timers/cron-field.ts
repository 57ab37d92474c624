import { SvcError } from "../../contract/index.ts";

export const weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** Names of the fields, ordered from the largest unit to the smallest. */
export const cronFieldNames = ["year", "month", "day", "week", "day_of_week", "hour", "minute", "second"] as const;
export type CronFieldName = (typeof cronFieldNames)[number];

interface Range {
	readonly minimum: number;
	readonly maximum: number;
	/** Names for the numbers from `minimum` upwards. */
	readonly words?: readonly string[];
}

const ranges: Readonly<Record<CronFieldName, Range>> = {
	year: { minimum: 1970, maximum: 9999 },
	month: { minimum: 1, maximum: 12, words: months },
	day: { minimum: 1, maximum: 31 },
	week: { minimum: 1, maximum: 53 },
	day_of_week: { minimum: 0, maximum: 6, words: weekdays },
	hour: { minimum: 0, maximum: 23 },
	minute: { minimum: 0, maximum: 59 },
	second: { minimum: 0, maximum: 59 },
};

/** Properties of a calendar day that a field matches. */
export interface CalendarDay {
	readonly day: number;
	readonly daysInMonth: number;
	/** 0 is Monday. */
	readonly weekday: number;
}

/** One field of a schedule. */
export interface CronField {
	/** Allowed numbers, in ascending order. */
	readonly values: readonly number[];
	/** True if every number is allowed. */
	readonly isWildcard: boolean;
	/** Step from the lowest number upwards, for `*` (1) and for `*` with a step. Otherwise undefined. */
	readonly step: number | undefined;
	/** Conditions for allowed days that depend on the month, such as `last`, in addition to `values`; used for `day` only. */
	readonly days: readonly ((day: CalendarDay) => boolean)[];
}

/** Returns the default of a missing field: only the lowest number, or any number. */
export function defaultField(name: CronFieldName, isLowest: boolean): CronField {
	return parseCronField(name, isLowest ? String(ranges[name].minimum) : "*");
}

/**
 * Parses a field: a number, `*`, a step after a slash, `a-b`, and lists of these.
 * Throws `SVC_INVALID` with the allowed values.
 */
export function parseCronField(name: CronFieldName, text: string): CronField {
	const range = ranges[name];
	const parts = text.trim().toLowerCase().split(",");
	const values = new Set<number>();
	const days: ((day: CalendarDay) => boolean)[] = [];
	for (const part of parts) {
		const special = name === "day" ? parseDay(part.trim()) : undefined;
		if (special !== undefined) days.push(special);
		else for (const value of parseRange(name, part.trim(), range)) values.add(value);
	}
	const wildcard = parts.length === 1 ? /^\*(?:\/(\d+))?$/.exec(parts[0]?.trim() ?? "") : null;
	return {
		values: [...values].sort((a, b) => a - b),
		isWildcard: values.size === range.maximum - range.minimum + 1,
		step: wildcard === null ? undefined : Number(wildcard[1] ?? 1),
		days,
	};
}

function parseRange(name: CronFieldName, text: string, { minimum, maximum, words }: Range): readonly number[] {
	const match = /^(?:\*|(\d+|[a-z]+)(?:-(\d+|[a-z]+))?)(?:\/(\d+))?$/.exec(text);
	if (match === null) throw invalidField(name);
	const toNumber = (word: string | undefined) => {
		if (word === undefined) return undefined;
		const number = /^\d/.test(word) ? Number(word) : minimum + (words?.indexOf(word) ?? -1);
		if (number < minimum || number > maximum) throw invalidField(name);
		return number;
	};
	const start = toNumber(match[1]) ?? minimum;
	const step = Number(match[3] ?? 1);
	const end = toNumber(match[2]) ?? (match[1] === undefined || match[3] !== undefined ? maximum : start);
	if (end < start || step < 1 || step > maximum - minimum + 1) throw invalidField(name);
	return Array.from({ length: Math.floor((end - start) / step) + 1 }, (_, index) => start + index * step);
}

const ordinals = ["1st", "2nd", "3rd", "4th", "5th"];

/** Parses `last`, `last sun` or `2nd mon`. Returns undefined for anything else. */
function parseDay(text: string): ((day: CalendarDay) => boolean) | undefined {
	if (text === "last") return ({ day, daysInMonth }) => day === daysInMonth;
	const match = /^(last|[1-5](?:st|nd|rd|th))\s+([a-z]+)$/.exec(text);
	if (match === null) return undefined;
	const weekday = weekdays.indexOf(match[2] as (typeof weekdays)[number]);
	const nth = ordinals.indexOf(match[1] ?? "");
	if (weekday < 0 || (nth < 0 && match[1] !== "last")) throw invalidField("day");
	if (nth < 0) return (date) => date.weekday === weekday && date.day > date.daysInMonth - 7;
	return (date) => date.weekday === weekday && Math.floor((date.day - 1) / 7) === nth;
}

function invalidField(name: CronFieldName): SvcError {
	const { minimum, maximum, words } = ranges[name];
	const named = words === undefined ? "" : ` or ${words[0]} to ${words.at(-1)}`;
	const days = name === "day" ? '; or "last", "last sun", "2nd mon"' : "";
	return new SvcError(
		"SVC_INVALID",
		`trigger.parameters.${name}: must be a number from ${minimum} to ${maximum}${named}, *, */n, a-b, a-b/n or a comma-separated list of these${days}`,
	);
}
