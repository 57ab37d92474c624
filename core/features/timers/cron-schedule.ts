import { Cron } from "croner";
import { type JsonObject, SvcError, toErrorMessage } from "../../contract/index.ts";
import { type CronField, type CronFieldName, cronFieldNames, defaultField, parseCronField } from "./cron-field.ts";

/** The times at which a timer fires. */
export interface Schedule {
	/** Returns the first time after `after`; both in milliseconds since 1970. Returns undefined if the timer never fires again. */
	next(after: number): number | undefined;
}

const maxExpressionLength = 200;

/**
 * Returns the schedule of a cron expression: minute, hour, day, month and day of week.
 * A sixth field at the beginning gives the seconds. A name such as `@daily` is also allowed.
 * Sunday is 0 or 7, whereas in the fields of `toCronSchedule` 0 is Monday. Throws `SVC_INVALID` with the reason.
 */
export function toExpressionSchedule(expression: unknown, timezone: string): Schedule {
	const refuse = (why: string, cause?: unknown) =>
		new SvcError(
			"SVC_INVALID",
			`trigger.parameters.cron: must be five fields such as "0 3 * * mon-fri" (minute, hour, day, month, day of week), six with the seconds first, or @hourly, @daily, @weekly, @monthly or @yearly; ${why}`,
			{ cause },
		);
	if (typeof expression !== "string") throw refuse("got no text");
	if (expression.length > maxExpressionLength) throw refuse(`got more than ${maxExpressionLength} characters`);
	const cron = createCron(expression.trim(), timezone, refuse);
	if (cron.nextRun(new Date(0)) === null) throw refuse("no date matches this one");
	return { next: (after) => cron.nextRun(new Date(after))?.getTime() };
}

function createCron(expression: string, timezone: string, refuse: (why: string, cause: unknown) => SvcError): Cron {
	try {
		return new Cron(expression, { timezone, mode: "5-or-6-parts", fixedTimeRule: "no-wildcard", paused: true });
	} catch (error) {
		throw refuse(toErrorMessage(error).replace(/^CronPattern: /, ""), error);
	}
}

type CronFields = Readonly<Record<CronFieldName, CronField>>;

/**
 * Maximum number of allowed years that are searched for the next matching day. The calendar repeats after 28 years, except around some
 * turns of a century.
 */
const horizon = 40;

/**
 * Returns the schedule of separate fields. A missing field allows only its lowest number if its unit is smaller than every given one, so
 * `hour: 5` fires once a day.
 * Other missing fields, and always `week` and `day_of_week`, allow any number.
 */
export function toCronSchedule(parameters: JsonObject, timezone: string): Schedule {
	const fields = toFields(parameters);
	const time = [fields.second, fields.minute, fields.hour].map(toPattern).join(" ");
	/** Cron object of the last search. It can usually be reused, because most slots are on the same day as the previous slot. */
	let kept: { readonly pattern: string; readonly cron: Cron } | undefined;

	function cronOf({ year, month, day }: YearMonthDay): Cron {
		const pattern = `${time} ${day} ${month} * ${year}`;
		if (kept?.pattern !== pattern) {
			kept = { pattern, cron: new Cron(pattern, { timezone, mode: "7-part", fixedTimeRule: "no-wildcard", paused: true }) };
		}
		return kept.cron;
	}

	return {
		next(after) {
			const from = new Date(after);
			for (const date of fittingDays(fields, from, timezone)) {
				const found = cronOf(date).nextRun(from);
				if (found !== null) return found.getTime();
			}
			return undefined;
		},
	};
}

function toFields(parameters: JsonObject): CronFields {
	const isGiven = (name: CronFieldName) => (parameters[name] ?? null) !== null;
	const finest = cronFieldNames.findLastIndex(isGiven);
	const entries = cronFieldNames.map((name, index): [CronFieldName, CronField] => {
		if (isGiven(name)) return [name, parseCronField(name, String(parameters[name]))];
		const isLowest = finest >= 0 && index > finest && name !== "week" && name !== "day_of_week";
		return [name, defaultField(name, isLowest)];
	});
	return Object.fromEntries(entries) as CronFields;
}

/**
 * Returns a field of the time of day as a croner pattern.
 * Steps are not expanded to numbers, because croner treats both differently when the clocks change.
 */
function toPattern({ values, step }: CronField): string {
	if (step !== undefined) return step === 1 ? "*" : `*/${step}`;
	return values.join(",");
}

interface YearMonthDay {
	readonly year: number;
	readonly month: number;
	readonly day: number;
}

/** Yields the matching days, beginning with the day of `from` in the time zone. */
function* fittingDays(fields: CronFields, from: Date, timezone: string): Generator<YearMonthDay> {
	const today = dayIn(from, timezone);
	const years = fields.year.values.filter((year) => year >= today.year).slice(0, horizon);
	for (const year of years) {
		for (const month of fields.month.values) {
			const daysInMonth = new Date(Date.UTC(year, month, 0)).getUTCDate();
			for (let day = 1; day <= daysInMonth; day++) {
				const date = { year, month, day };
				if (toOrdinal(date) >= toOrdinal(today) && fits(fields, date, daysInMonth)) yield date;
			}
		}
	}
}

/** Returns a number that orders days. */
function toOrdinal({ year, month, day }: YearMonthDay): number {
	return year * 10_000 + month * 100 + day;
}

function fits({ day: days, week, day_of_week: weekdays }: CronFields, date: YearMonthDay, daysInMonth: number): boolean {
	const midnight = Date.UTC(date.year, date.month - 1, date.day);
	const weekday = (new Date(midnight).getUTCDay() + 6) % 7;
	if (!weekdays.values.includes(weekday)) return false;
	const calendarDay = { day: date.day, daysInMonth, weekday };
	if (!days.values.includes(date.day) && !days.days.some((matches) => matches(calendarDay))) return false;
	return week.isWildcard || week.values.includes(isoWeek(midnight, weekday));
}

const dayLength = 86_400_000;

/** Returns the ISO week number. A week belongs to the year that contains its Thursday. */
function isoWeek(midnight: number, weekday: number): number {
	const thursday = midnight + (3 - weekday) * dayLength;
	return 1 + Math.floor((thursday - Date.UTC(new Date(thursday).getUTCFullYear(), 0, 1)) / (7 * dayLength));
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns the calendar day at a moment in a time zone. */
function dayIn(moment: Date, timezone: string): YearMonthDay {
	let format = formats.get(timezone);
	if (format === undefined) {
		format = new Intl.DateTimeFormat("en-US", { timeZone: timezone, year: "numeric", month: "numeric", day: "numeric" });
		formats.set(timezone, format);
	}
	const parts = new Map(format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]));
	return { year: parts.get("year") ?? 0, month: parts.get("month") ?? 0, day: parts.get("day") ?? 0 };
}
