import { YaqlError } from "./errors.ts";
import { InternalValue } from "./internal-value.ts";

const second = 1_000_000;
const day = 86_400 * second;
/** Of the years 1 and 9999. */
const limits = { first: Date.parse("0001-01-01T00:00:00Z"), last: Date.parse("9999-12-31T23:59:59.999Z") };

export interface DateParts {
	readonly year: number;
	readonly month: number;
	readonly day: number;
	readonly hour: number;
	readonly minute: number;
	readonly second: number;
	readonly microsecond: number;
}

/** A length of time, which may be negative. */
export class TimeSpan extends InternalValue {
	override readonly typeName = "timespan";
	readonly microseconds: number;

	constructor(microseconds: number) {
		super();
		const whole = Math.round(microseconds);
		if (!(Math.abs(whole) <= 1e18)) throw new YaqlError("OverflowError", "the timespan is too long");
		this.microseconds = whole;
	}

	/** `1 day, 2:03:04.000005` */
	override toString(): string {
		const days = Math.floor(this.microseconds / day);
		const rest = this.microseconds - days * day;
		const seconds = Math.floor(rest / second);
		const clock = `${Math.floor(seconds / 3_600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
		const fraction = rest % second === 0 ? "" : `.${pad(rest % second, 6)}`;
		return `${days === 0 ? "" : `${days} day${Math.abs(days) === 1 ? "" : "s"}, `}${clock}${fraction}`;
	}
}

/** A point in time, and how far from UTC the clock is that shows it. */
export class DateTime extends InternalValue {
	override readonly typeName = "datetime";
	/** Since 1970 in UTC. */
	readonly microseconds: number;
	readonly offset: TimeSpan;

	constructor(microseconds: number, offset = new TimeSpan(0)) {
		super();
		const milliseconds = Math.floor((microseconds + offset.microseconds) / 1_000);
		if (!(milliseconds >= limits.first && milliseconds <= limits.last)) throw new YaqlError("ValueError", "the year is out of range");
		if (Math.abs(offset.microseconds) >= day) throw new YaqlError("ValueError", "an offset is shorter than a day");
		this.microseconds = microseconds;
		this.offset = offset;
	}

	/** By its own clock. */
	get parts(): DateParts {
		const wall = this.microseconds + this.offset.microseconds;
		const date = new Date(Math.floor(wall / 1_000));
		return {
			year: date.getUTCFullYear(),
			month: date.getUTCMonth() + 1,
			day: date.getUTCDate(),
			hour: date.getUTCHours(),
			minute: date.getUTCMinutes(),
			second: date.getUTCSeconds(),
			microsecond: date.getUTCMilliseconds() * 1_000 + (((wall % 1_000) + 1_000) % 1_000),
		};
	}

	/** `2020-01-31T10:20:30.000005+02:00` */
	override toString(separator = "T"): string {
		const { year, month, day: date, hour, minute, second: seconds, microsecond } = this.parts;
		const clock = `${two(hour)}:${two(minute)}:${two(seconds)}${microsecond === 0 ? "" : `.${pad(microsecond, 6)}`}`;
		return `${pad(year, 4)}-${two(month)}-${two(date)}${separator}${clock}${offsetText(this.offset, ":")}`;
	}
}

/** The date that a clock at that offset shows. `ValueError` for a day or hour that does not exist. */
export function fromParts(parts: DateParts, offset = new TimeSpan(0)): DateTime {
	const date = new Date(0);
	date.setUTCFullYear(parts.year, parts.month - 1, parts.day);
	date.setUTCHours(parts.hour, parts.minute, parts.second);
	const isReal =
		date.getUTCFullYear() === parts.year &&
		date.getUTCMonth() === parts.month - 1 &&
		date.getUTCDate() === parts.day &&
		date.getUTCHours() === parts.hour &&
		date.getUTCMinutes() === parts.minute &&
		date.getUTCSeconds() === parts.second &&
		parts.microsecond >= 0 &&
		parts.microsecond < second;
	if (!isReal) throw new YaqlError("ValueError", "there is no such date and time");
	return new DateTime(date.getTime() * 1_000 + parts.microsecond - offset.microseconds, offset);
}

/** 0 is Monday. */
export function weekdayOf({ year, month, day: date }: DateParts): number {
	const start = new Date(0);
	start.setUTCFullYear(year, month - 1, date);
	return (start.getUTCDay() + 6) % 7;
}

/** `+0200` */
export function offsetText({ microseconds }: TimeSpan, separator = ""): string {
	const minutes = Math.abs(Math.trunc(microseconds / (60 * second)));
	return `${microseconds < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}${separator}${two(minutes % 60)}`;
}

export function pad(number: number, width: number): string {
	return String(Math.trunc(number)).padStart(width, "0");
}

function two(number: number): string {
	return pad(number, 2);
}
