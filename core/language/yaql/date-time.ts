import { YaqlError } from "./errors.ts";
import { InternalValue } from "./values.ts";

const microsecondsPerSecond = 1_000_000;
const microsecondsPerDay = 86_400 * microsecondsPerSecond;
/** First and last supported moments, in milliseconds since 1970: the years 1 to 9999. */
const dateLimits = { first: Date.parse("0001-01-01T00:00:00Z"), last: Date.parse("9999-12-31T23:59:59.999Z") };

/** Fields of a date and time of day. */
export interface DateParts {
	readonly year: number;
	readonly month: number;
	readonly day: number;
	readonly hour: number;
	readonly minute: number;
	readonly second: number;
	readonly microsecond: number;
}

/** Duration, which may be negative. */
export class TimeSpan extends InternalValue {
	override readonly typeName = "timespan";
	readonly microseconds: number;

	constructor(microseconds: number) {
		super();
		const roundedMicroseconds = Math.round(microseconds);
		if (!(Math.abs(roundedMicroseconds) <= 1e18)) throw new YaqlError("OverflowError", "the timespan is too long");
		this.microseconds = roundedMicroseconds;
	}

	/** Returns a string such as `1 day, 2:03:04.000005`. */
	override toString(): string {
		const days = Math.floor(this.microseconds / microsecondsPerDay);
		const microsecondsOfDay = this.microseconds - days * microsecondsPerDay;
		const seconds = Math.floor(microsecondsOfDay / microsecondsPerSecond);
		const clock = `${Math.floor(seconds / 3_600)}:${padToTwo(Math.floor(seconds / 60) % 60)}:${padToTwo(seconds % 60)}`;
		const fraction = microsecondsOfDay % microsecondsPerSecond === 0 ? "" : `.${pad(microsecondsOfDay % microsecondsPerSecond, 6)}`;
		return `${days === 0 ? "" : `${days} day${Math.abs(days) === 1 ? "" : "s"}, `}${clock}${fraction}`;
	}
}

/** Point in time, with the offset from UTC in which it is shown. */
export class DateTime extends InternalValue {
	override readonly typeName = "datetime";
	/** Microseconds since 1970 in UTC. */
	readonly microseconds: number;
	readonly offset: TimeSpan;

	constructor(microseconds: number, offset = new TimeSpan(0)) {
		super();
		const milliseconds = Math.floor((microseconds + offset.microseconds) / 1_000);
		if (!(milliseconds >= dateLimits.first && milliseconds <= dateLimits.last))
			throw new YaqlError("ValueError", "the year is out of range");
		if (Math.abs(offset.microseconds) >= microsecondsPerDay) throw new YaqlError("ValueError", "an offset must be shorter than a day");
		this.microseconds = microseconds;
		this.offset = offset;
	}

	/** Returns the fields of the date and time at the date's own offset. */
	get parts(): DateParts {
		const wallClock = this.microseconds + this.offset.microseconds;
		const date = new Date(Math.floor(wallClock / 1_000));
		return {
			year: date.getUTCFullYear(),
			month: date.getUTCMonth() + 1,
			day: date.getUTCDate(),
			hour: date.getUTCHours(),
			minute: date.getUTCMinutes(),
			second: date.getUTCSeconds(),
			microsecond: date.getUTCMilliseconds() * 1_000 + (((wallClock % 1_000) + 1_000) % 1_000),
		};
	}

	/** Returns a string such as `2020-01-31T10:20:30.000005+02:00`. */
	override toString(separator = "T"): string {
		const { year, month, day: date, hour, minute, second: seconds, microsecond } = this.parts;
		const clock = `${padToTwo(hour)}:${padToTwo(minute)}:${padToTwo(seconds)}${microsecond === 0 ? "" : `.${pad(microsecond, 6)}`}`;
		return `${pad(year, 4)}-${padToTwo(month)}-${padToTwo(date)}${separator}${clock}${offsetText(this.offset, ":")}`;
	}
}

/** Returns the date with these fields at an offset. Throws `ValueError` if the day or time does not exist. */
export function toDateTime(parts: DateParts, offset = new TimeSpan(0)): DateTime {
	const date = new Date(0);
	date.setUTCFullYear(parts.year, parts.month - 1, parts.day);
	date.setUTCHours(parts.hour, parts.minute, parts.second);
	const isValidDate =
		date.getUTCFullYear() === parts.year &&
		date.getUTCMonth() === parts.month - 1 &&
		date.getUTCDate() === parts.day &&
		date.getUTCHours() === parts.hour &&
		date.getUTCMinutes() === parts.minute &&
		date.getUTCSeconds() === parts.second &&
		parts.microsecond >= 0 &&
		parts.microsecond < microsecondsPerSecond;
	if (!isValidDate) throw new YaqlError("ValueError", "this date and time does not exist");
	return new DateTime(date.getTime() * 1_000 + parts.microsecond - offset.microseconds, offset);
}

/** Returns the weekday; 0 is Monday. */
export function weekdayOf({ year, month, day: date }: DateParts): number {
	const start = new Date(0);
	start.setUTCFullYear(year, month - 1, date);
	return (start.getUTCDay() + 6) % 7;
}

/** Returns a string such as `+0200`. */
export function offsetText({ microseconds }: TimeSpan, separator = ""): string {
	const minutes = Math.abs(Math.trunc(microseconds / (60 * microsecondsPerSecond)));
	return `${microseconds < 0 ? "-" : "+"}${padToTwo(Math.floor(minutes / 60))}${separator}${padToTwo(minutes % 60)}`;
}

export function pad(number: number, width: number): string {
	return String(Math.trunc(number)).padStart(width, "0");
}

function padToTwo(number: number): string {
	return pad(number, 2);
}
