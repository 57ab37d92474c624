import { formatDate, readDate } from "../date-format.ts";
import { type DateParts, DateTime, TimeSpan, toDateTime, weekdayOf } from "../date-time.ts";
import { numberOf, toFloat, type YaqlValue } from "../values.ts";
import { defineFunction, defineMethod } from "./define-function.ts";
import { any, dateTime, integer, nullable, numeric, optional, text, timeSpan } from "./parameters.ts";

const microsecondsPerSecond = 1_000_000;
const microsecondsPerMinute = 60 * microsecondsPerSecond;
const microsecondsPerHour = 60 * microsecondsPerMinute;
/** Units of timespans, with their lengths in microseconds. */
const units = [
	["days", 24 * microsecondsPerHour],
	["hours", microsecondsPerHour],
	["minutes", microsecondsPerMinute],
	["seconds", microsecondsPerSecond],
	["milliseconds", 1_000],
	["microseconds", 1],
] as const;
const partNames = ["year", "month", "day", "hour", "minute", "second", "microsecond"] as const;
const offsetParameter = optional(timeSpan("offset"), new TimeSpan(0));
const zeroByDefault = (name: string) => optional(integer(name), 0);
const nullByDefault = (name: string) => optional(nullable(integer(name)), null);

/** Functions of dates and timespans. A property of either is a function whose name begins with `#property#`. */
export const dateFunctions = [
	defineFunction("now", [offsetParameter], (_call, utcOffset) => new DateTime(Date.now() * 1_000, utcOffset)),
	defineFunction("utctz", [], () => new TimeSpan(0)),
	defineFunction("localtz", [], () => new TimeSpan(-new Date().getTimezoneOffset() * microsecondsPerMinute)),
	defineFunction("isDatetime", [any("value")], (_call, value) => value instanceof DateTime),
	defineFunction("isTimespan", [any("value")], (_call, value) => value instanceof TimeSpan),
	defineFunction(
		"datetime",
		[
			integer("year"),
			integer("month"),
			integer("day"),
			zeroByDefault("hour"),
			zeroByDefault("minute"),
			zeroByDefault("second"),
			zeroByDefault("microsecond"),
			offsetParameter,
		],
		(_call, year, month, day, hour, minute, seconds, microsecond, utcOffset) =>
			toDateTime({ year, month, day, hour, minute, second: seconds, microsecond }, utcOffset),
	),
	defineFunction("datetime", [numeric("timestamp"), offsetParameter], (_call, timestamp, utcOffset) => {
		const microseconds = Math.round(Number(numberOf(timestamp) ?? 0) * microsecondsPerSecond);
		return new DateTime(microseconds, utcOffset);
	}),
	defineFunction("datetime", [text("string"), optional(nullable(text("format")), null)], (_call, string, format) =>
		readDate(string, format),
	),
	defineFunction(
		"timespan",
		units.map(([name]) => zeroByDefault(name)),
		(_call, ...amounts) => new TimeSpan(units.reduce((total, [, size], index) => total + size * (amounts[index] ?? 0), 0)),
	),
	defineMethod("format", [dateTime("dt"), text("format")], ({ budget }, date, format) => formatDate(date, format, budget)),
	defineMethod(
		"replace",
		[
			dateTime("dt"),
			nullByDefault("year"),
			nullByDefault("month"),
			nullByDefault("day"),
			nullByDefault("hour"),
			nullByDefault("minute"),
			nullByDefault("second"),
			nullByDefault("microsecond"),
			optional(nullable(timeSpan("offset")), null),
		],
		(_call, date, year, month, day, hour, minute, seconds, microsecond, utcOffset) => {
			const dateParts = date.parts;
			const parts: DateParts = {
				year: year ?? dateParts.year,
				month: month ?? dateParts.month,
				day: day ?? dateParts.day,
				hour: hour ?? dateParts.hour,
				minute: minute ?? dateParts.minute,
				second: seconds ?? dateParts.second,
				microsecond: microsecond ?? dateParts.microsecond,
			};
			return toDateTime(parts, utcOffset ?? date.offset);
		},
	),
	...partNames.map((name) => defineProperty(name, (date) => date.parts[name])),
	defineProperty("date", (date) => toDateTime({ ...date.parts, hour: 0, minute: 0, second: 0, microsecond: 0 }, date.offset)),
	defineProperty("time", ({ parts }) => timeOf(parts)),
	defineProperty("weekday", ({ parts }) => weekdayOf(parts)),
	defineProperty("utc", (date) => new DateTime(date.microseconds)),
	defineProperty("offset", (date) => date.offset),
	defineProperty("timestamp", (date) => toFloat(date.microseconds / microsecondsPerSecond)),
	...units.map(([name, size]) =>
		defineFunction(
			`#property#${name}`,
			[timeSpan("timespan")],
			(_call, { microseconds }): YaqlValue => (size === 1 ? microseconds : toFloat(microseconds / size)),
		),
	),
];

function defineProperty(name: string, read: (date: DateTime) => YaqlValue) {
	return defineFunction(`#property#${name}`, [dateTime("dt")], (_call, date) => read(date));
}

function timeOf({ hour, minute, second: seconds, microsecond }: DateParts): TimeSpan {
	return new TimeSpan(hour * microsecondsPerHour + minute * microsecondsPerMinute + seconds * microsecondsPerSecond + microsecond);
}
