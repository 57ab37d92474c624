import { formatDate, readDate } from "../date-format.ts";
import { type DateParts, DateTime, fromParts, TimeSpan, weekdayOf } from "../date-time.ts";
import { numberOf, toFloat, type YaqlValue } from "../values.ts";
import { any, dateTime, defineFunction, defineMethod, integer, nullable, numeric, optional, text, timeSpan } from "./define-function.ts";

const second = 1_000_000;
const units = { microseconds: 1, milliseconds: 1_000, seconds: second, minutes: 60 * second, hours: 3_600 * second, days: 86_400 * second };
const partNames = ["year", "month", "day", "hour", "minute", "second", "microsecond"] as const;
const offset = optional(timeSpan("offset"), new TimeSpan(0));
const zero = (name: string) => optional(integer(name), 0);
const maybe = (name: string) => optional(nullable(integer(name)), null);

/** Functions of dates and lengths of time. Members of both are functions whose name begins with `#property#`. */
export const dateFunctions = [
	defineFunction("now", [offset], (_call, shift) => new DateTime(Date.now() * 1_000, shift)),
	defineFunction("utctz", [], () => new TimeSpan(0)),
	defineFunction("localtz", [], () => new TimeSpan(-new Date().getTimezoneOffset() * units.minutes)),
	defineFunction("isDatetime", [any("value")], (_call, value) => value instanceof DateTime),
	defineFunction("isTimespan", [any("value")], (_call, value) => value instanceof TimeSpan),
	defineFunction(
		"datetime",
		[integer("year"), integer("month"), integer("day"), zero("hour"), zero("minute"), zero("second"), zero("microsecond"), offset],
		(_call, year, month, day, hour, minute, seconds, microsecond, shift) =>
			fromParts({ year, month, day, hour, minute, second: seconds, microsecond }, shift),
	),
	defineFunction("datetime", [numeric("timestamp"), offset], (_call, timestamp, shift) => {
		const microseconds = Math.round(Number(numberOf(timestamp) ?? 0) * second);
		return new DateTime(microseconds, shift);
	}),
	defineFunction("datetime", [text("string"), optional(nullable(text("format")), null)], (_call, string, format) =>
		readDate(string, format),
	),
	defineFunction(
		"timespan",
		[zero("days"), zero("hours"), zero("minutes"), zero("seconds"), zero("milliseconds"), zero("microseconds")],
		(_call, days, hours, minutes, seconds, milliseconds, microseconds) =>
			new TimeSpan(
				days * units.days +
					hours * units.hours +
					minutes * units.minutes +
					seconds * units.seconds +
					milliseconds * units.milliseconds +
					microseconds,
			),
	),
	defineMethod("format", [dateTime("dt"), text("format")], ({ budget }, date, format) => formatDate(date, format, budget)),
	defineMethod(
		"replace",
		[
			dateTime("dt"),
			maybe("year"),
			maybe("month"),
			maybe("day"),
			maybe("hour"),
			maybe("minute"),
			maybe("second"),
			maybe("microsecond"),
			optional(nullable(timeSpan("offset")), null),
		],
		(_call, date, year, month, day, hour, minute, seconds, microsecond, shift) => {
			const own = date.parts;
			const parts: DateParts = {
				year: year ?? own.year,
				month: month ?? own.month,
				day: day ?? own.day,
				hour: hour ?? own.hour,
				minute: minute ?? own.minute,
				second: seconds ?? own.second,
				microsecond: microsecond ?? own.microsecond,
			};
			return fromParts(parts, shift ?? date.offset);
		},
	),
	...partNames.map((name) => property(name, (date) => date.parts[name])),
	property("date", (date) => fromParts({ ...date.parts, hour: 0, minute: 0, second: 0, microsecond: 0 }, date.offset)),
	property("time", ({ parts }) => timeOf(parts)),
	property("weekday", ({ parts }) => weekdayOf(parts)),
	property("utc", (date) => new DateTime(date.microseconds)),
	property("offset", (date) => date.offset),
	property("timestamp", (date) => toFloat(date.microseconds / second)),
	...Object.entries(units).map(([name, size]) =>
		defineFunction(
			`#property#${name}`,
			[timeSpan("timespan")],
			(_call, { microseconds }): YaqlValue => (size === 1 ? microseconds : toFloat(microseconds / size)),
		),
	),
];

function property(name: string, read: (date: DateTime) => YaqlValue) {
	return defineFunction(`#property#${name}`, [dateTime("dt")], (_call, date) => read(date));
}

function timeOf({ hour, minute, second: seconds, microsecond }: DateParts): TimeSpan {
	return new TimeSpan(hour * units.hours + minute * units.minutes + seconds * second + microsecond);
}
