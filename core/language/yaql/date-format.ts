import { parseDate } from "../parse-date.ts";
import type { Budget } from "../templates/budget.ts";
import { type DateParts, DateTime, offsetText, pad, TimeSpan, toDateTime, weekdayOf } from "./date-time.ts";
import { YaqlError } from "./errors.ts";

const monthNames = "January February March April May June July August September October November December".split(" ");
const weekdayNames = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const microsecondsPerMinute = 60_000_000;

const fieldFormatters: Readonly<Record<string, (parts: DateParts, date: DateTime) => string>> = {
	a: (parts) => (weekdayNames[weekdayOf(parts)] ?? "").slice(0, 3),
	A: (parts) => weekdayNames[weekdayOf(parts)] ?? "",
	w: (parts) => String((weekdayOf(parts) + 1) % 7),
	d: ({ day }) => pad(day, 2),
	b: ({ month }) => (monthNames[month - 1] ?? "").slice(0, 3),
	B: ({ month }) => monthNames[month - 1] ?? "",
	m: ({ month }) => pad(month, 2),
	y: ({ year }) => pad(year % 100, 2),
	Y: ({ year }) => String(year),
	H: ({ hour }) => pad(hour, 2),
	I: ({ hour }) => pad(hour % 12 === 0 ? 12 : hour % 12, 2),
	p: ({ hour }) => (hour < 12 ? "AM" : "PM"),
	M: (parts) => pad(parts.minute, 2),
	S: ({ second }) => pad(second, 2),
	f: ({ microsecond }) => pad(microsecond, 6),
	z: (_parts, { offset }) => offsetText(offset),
	Z: (_parts, { offset }) => (offset.microseconds === 0 ? "UTC" : `UTC${offsetText(offset, ":")}`),
	j: (parts) => pad(dayOfYear(parts), 3),
	D: (parts) => `${pad(parts.month, 2)}/${pad(parts.day, 2)}/${pad(parts.year % 100, 2)}`,
	F: (parts) => `${parts.year}-${pad(parts.month, 2)}-${pad(parts.day, 2)}`,
	T: (parts) => `${pad(parts.hour, 2)}:${pad(parts.minute, 2)}:${pad(parts.second, 2)}`,
	s: (_parts, date) => String(Math.floor(date.microseconds / 1_000_000)),
	"%": () => "%",
};

/** Formats a date by a pattern such as `%Y-%m-%d`. An unknown field stays unchanged. */
export function formatDate(date: DateTime, format: string, budget: Budget): string {
	budget.spendText(10 * format.length);
	const { parts } = date;
	return format.replace(/%([^])/g, (match: string, field: string) =>
		Object.hasOwn(fieldFormatters, field) ? (fieldFormatters[field]?.(parts, date) ?? match) : match,
	);
}

function dayOfYear({ year, month, day }: DateParts): number {
	const date = new Date(0);
	date.setUTCFullYear(year, month - 1, day);
	const start = new Date(0);
	start.setUTCFullYear(year, 0, 1);
	return Math.round((date.getTime() - start.getTime()) / 86_400_000) + 1;
}

/** Parses a date in the given format, or in any common format if `format` is null. Throws `ValueError` if the string is not a date. */
export function readDate(text: string, format: string | null): DateTime {
	if (format !== null) return parseWithFormat(text, format);
	// Months and days with one digit are common in expressions.
	const paddedText = text.trim().replace(/^(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)/, (_match, year: string, month: string, day: string) => {
		return `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
	});
	const date = parseDate(paddedText);
	if (date === undefined) throw new YaqlError("ValueError", "the text is not a date");
	const offset = new TimeSpan((date.offsetMinutes ?? 0) * microsecondsPerMinute);
	return new DateTime(date.wallClockMs * 1_000 + date.microseconds - offset.microseconds, offset);
}

const twoDigitsPattern = /\d{1,2}/y;

/** For each field letter of a format, the pattern of the characters that the field reads. */
const fieldPatterns: Readonly<Record<string, RegExp>> = {
	Y: /\d{4}/y,
	m: twoDigitsPattern,
	d: twoDigitsPattern,
	H: twoDigitsPattern,
	I: twoDigitsPattern,
	M: twoDigitsPattern,
	S: twoDigitsPattern,
	y: /\d{2}/y,
	f: /\d{1,6}/y,
	p: /AM|PM/iy,
	b: /[a-z]{3}/iy,
	B: /[a-z]{3,9}/iy,
	a: /[a-z]{3}/iy,
	A: /[a-z]{6,9}/iy,
	z: /[+-]\d{2}:?\d{2}|Z/y,
	Z: /UTC|GMT/iy,
};

function parseWithFormat(text: string, format: string): DateTime {
	const fieldTexts = new Map<string, string>();
	let position = 0;
	const toMismatchError = () => new YaqlError("ValueError", "the text does not match the format");
	for (const [part, field] of format.matchAll(/%([^])|\s+|[^%\s]+|%/g)) {
		const pattern = field !== undefined && Object.hasOwn(fieldPatterns, field) ? fieldPatterns[field] : undefined;
		if (field !== undefined && field !== "%" && pattern === undefined)
			throw new YaqlError("ValueError", `the format has an unknown field %${field}`);
		const fieldText = pattern === undefined ? takeLiteral(text, position, part) : takeField(text, position, pattern);
		if (fieldText === undefined) throw toMismatchError();
		if (field !== undefined && pattern !== undefined) fieldTexts.set(field, fieldText);
		position += fieldText.length;
	}
	if (position < text.length) throw toMismatchError();
	return fromFields(fieldTexts);
}

function takeField(text: string, position: number, pattern: RegExp): string | undefined {
	pattern.lastIndex = position;
	return pattern.exec(text)?.[0];
}

function takeLiteral(text: string, position: number, part: string): string | undefined {
	const literal = part === "%%" ? "%" : part;
	if (literal.trim() !== "") return text.startsWith(literal, position) ? literal : undefined;
	const rest = text.slice(position, position + 100);
	return rest.slice(0, rest.length - rest.trimStart().length);
}

function fromFields(fieldTexts: ReadonlyMap<string, string>): DateTime {
	const number = (field: string) => (fieldTexts.has(field) ? Number(fieldTexts.get(field)) : undefined);
	const twoDigitYear = number("y");
	const year = number("Y") ?? (twoDigitYear === undefined ? 1900 : twoDigitYear + (twoDigitYear < 69 ? 2000 : 1900));
	const twelveHour = number("I");
	const isAfternoon = fieldTexts.get("p")?.toUpperCase() === "PM";
	const hour = number("H") ?? (twelveHour === undefined ? 0 : (twelveHour % 12) + (isAfternoon ? 12 : 0));
	const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(fieldTexts.get("z") ?? "") ?? [];
	const offsetMicroseconds = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * microsecondsPerMinute;
	const parts = {
		year,
		month: monthOf(fieldTexts.get("B") ?? fieldTexts.get("b")) ?? number("m") ?? 1,
		day: number("d") ?? 1,
		hour,
		minute: number("M") ?? 0,
		second: number("S") ?? 0,
		microsecond: Number((fieldTexts.get("f") ?? "0").padEnd(6, "0")),
	};
	return toDateTime(parts, new TimeSpan(sign === "-" ? -offsetMicroseconds : offsetMicroseconds));
}

function monthOf(name: string | undefined): number | undefined {
	if (name === undefined) return undefined;
	const index = monthNames.findIndex((month) => month.slice(0, name.length).toLowerCase() === name.toLowerCase());
	if (index < 0 || (name.length > 3 && monthNames[index]?.length !== name.length))
		throw new YaqlError("ValueError", "unknown name of a month");
	return index + 1;
}
