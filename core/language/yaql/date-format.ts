import { parseDate } from "../date-time.ts";
import type { Budget } from "../templates/budget.ts";
import { type DateParts, DateTime, fromParts, offsetText, pad, TimeSpan, weekdayOf } from "./date-time.ts";
import { YaqlError } from "./errors.ts";

const months = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
const weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const minute = 60_000_000;

const fields: Readonly<Record<string, (parts: DateParts, date: DateTime) => string>> = {
	a: (parts) => (weekdays[weekdayOf(parts)] ?? "").slice(0, 3),
	A: (parts) => weekdays[weekdayOf(parts)] ?? "",
	w: (parts) => String((weekdayOf(parts) + 1) % 7),
	d: ({ day }) => pad(day, 2),
	b: ({ month }) => (months[month - 1] ?? "").slice(0, 3),
	B: ({ month }) => months[month - 1] ?? "",
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

/** `%Y-%m-%d`. A field that is not known stays as it is. */
export function formatDate(date: DateTime, format: string, budget: Budget): string {
	budget.text(10 * format.length);
	const { parts } = date;
	return format.replace(/%([^])/g, (whole: string, field: string) =>
		Object.hasOwn(fields, field) ? (fields[field]?.(parts, date) ?? whole) : whole,
	);
}

function dayOfYear({ year, month, day }: DateParts): number {
	const date = new Date(0);
	date.setUTCFullYear(year, month - 1, day);
	const start = new Date(0);
	start.setUTCFullYear(year, 0, 1);
	return Math.round((date.getTime() - start.getTime()) / 86_400_000) + 1;
}

/** The date that a text is, in a format or in one of those that people write. */
export function readDate(text: string, format: string | null): DateTime {
	if (format !== null) return readFormat(text, format);
	// Days and months of one digit are common here.
	const padded = text.trim().replace(/^(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)/, (_found, year: string, month: string, day: string) => {
		return `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
	});
	const date = parseDate(padded);
	if (date === undefined) throw new YaqlError("ValueError", "the text is no date");
	const offset = new TimeSpan((date.offset ?? 0) * minute);
	return new DateTime(date.wallClock * 1_000 + date.microseconds - offset.microseconds, offset);
}

const twoDigits = /\d{1,2}/y;

/** What a field of a format takes of a text. */
const readers: Readonly<Record<string, RegExp>> = {
	Y: /\d{4}/y,
	m: twoDigits,
	d: twoDigits,
	H: twoDigits,
	I: twoDigits,
	M: twoDigits,
	S: twoDigits,
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

function readFormat(text: string, format: string): DateTime {
	const found = new Map<string, string>();
	let position = 0;
	const problem = () => new YaqlError("ValueError", "the text does not match the format");
	for (const [part, field] of format.matchAll(/%([^])|\s+|[^%\s]+|%/g)) {
		const reader = field !== undefined && Object.hasOwn(readers, field) ? readers[field] : undefined;
		if (field !== undefined && field !== "%" && reader === undefined)
			throw new YaqlError("ValueError", `the format has an unknown field %${field}`);
		const taken = reader === undefined ? takeLiteral(text, position, part) : takeField(text, position, reader);
		if (taken === undefined) throw problem();
		if (field !== undefined && reader !== undefined) found.set(field, taken);
		position += taken.length;
	}
	if (position < text.length) throw problem();
	return fromFields(found);
}

function takeField(text: string, position: number, reader: RegExp): string | undefined {
	reader.lastIndex = position;
	return reader.exec(text)?.[0];
}

function takeLiteral(text: string, position: number, part: string): string | undefined {
	const literal = part === "%%" ? "%" : part;
	if (literal.trim() !== "") return text.startsWith(literal, position) ? literal : undefined;
	const rest = text.slice(position, position + 100);
	return rest.slice(0, rest.length - rest.trimStart().length);
}

function fromFields(found: ReadonlyMap<string, string>): DateTime {
	const number = (field: string) => (found.has(field) ? Number(found.get(field)) : undefined);
	const short = number("y");
	const year = number("Y") ?? (short === undefined ? 1900 : short + (short < 69 ? 2000 : 1900));
	const half = number("I");
	const isAfternoon = found.get("p")?.toUpperCase() === "PM";
	const hour = number("H") ?? (half === undefined ? 0 : (half % 12) + (isAfternoon ? 12 : 0));
	const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(found.get("z") ?? "") ?? [];
	const east = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * minute;
	const parts = {
		year,
		month: monthOf(found.get("B") ?? found.get("b")) ?? number("m") ?? 1,
		day: number("d") ?? 1,
		hour,
		minute: number("M") ?? 0,
		second: number("S") ?? 0,
		microsecond: Number((found.get("f") ?? "0").padEnd(6, "0")),
	};
	return fromParts(parts, new TimeSpan(sign === "-" ? -east : east));
}

function monthOf(name: string | undefined): number | undefined {
	if (name === undefined) return undefined;
	const index = months.findIndex((month) => month.slice(0, name.length).toLowerCase() === name.toLowerCase());
	if (index < 0 || (name.length > 3 && months[index]?.length !== name.length))
		throw new YaqlError("ValueError", "there is no month of that name");
	return index + 1;
}
