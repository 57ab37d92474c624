import { Cron } from "croner";
import { type JsonObject, SvcError } from "../../contract/index.ts";
import { parseDate } from "../../language/parse-date.ts";
import { timerTypes, triggerRefs } from "../triggers/trigger-type-refs-exports.ts";
import { type Schedule, toCronSchedule, toExpressionSchedule } from "./cron-schedule.ts";

export interface ScheduleOptions {
	/** Time zone to use if the parameters contain none. */
	readonly timezone: string;
	/** Milliseconds since 1970 at which intervals begin. */
	readonly startedAt: number;
}

const unitLengths: Readonly<Record<string, number>> = { weeks: 604_800, days: 86_400, hours: 3_600, minutes: 60, seconds: 1 };
/** Maximum length of an interval in milliseconds: a thousand years. */
const maxInterval = 31_557_600_000_000;

/** Returns the schedule of a timer trigger. Throws `SVC_INVALID`, naming the parameter and its allowed values. */
export function toSchedule(type: string, parameters: JsonObject, options: ScheduleOptions): Schedule {
	const timezone = toTimezone(parameters["timezone"] ?? options.timezone);
	if (type === triggerRefs.intervalTimer) return toIntervalSchedule(parameters, options.startedAt);
	if (type === triggerRefs.dateTimer) return toDateSchedule(parameters, timezone);
	const { cron = null, timezone: _, ...fields } = parameters;
	if (cron === null) return toCronSchedule(parameters, timezone);
	const others = Object.keys(fields).filter((name) => (fields[name] ?? null) !== null);
	if (others.length === 0) return toExpressionSchedule(cron, timezone);
	throw new SvcError("SVC_INVALID", `trigger.parameters.cron: cannot be used together with ${others.join(", ")}`);
}

/** Throws `SVC_INVALID` for parameters of a timer trigger that describe no schedule. Accepts any parameters of other types. */
export function checkTimerParameters(type: string, parameters: JsonObject): void {
	if (timerTypes.includes(type)) toSchedule(type, parameters, { timezone: "UTC", startedAt: 0 });
}

/** Returns true if the runtime supports a time zone with this name. */
export function isTimezone(name: string): boolean {
	try {
		return name !== "" && Intl.DateTimeFormat("en-US", { timeZone: name }) !== undefined;
	} catch {
		return false;
	}
}

function toTimezone(name: unknown): string {
	if (typeof name === "string" && isTimezone(name)) return name;
	throw new SvcError("SVC_INVALID", "trigger.parameters.timezone: must be the name of a time zone such as Europe/Berlin or UTC");
}

function toIntervalSchedule({ unit, delta }: JsonObject, startedAt: number): Schedule {
	const length = typeof unit === "string" && Object.hasOwn(unitLengths, unit) ? unitLengths[unit] : undefined;
	if (length === undefined) {
		throw new SvcError("SVC_INVALID", `trigger.parameters.unit: must be one of ${Object.keys(unitLengths).join(", ")}`);
	}
	const interval = typeof delta === "number" && Number.isInteger(delta) && delta >= 1 ? delta * length * 1_000 : Number.POSITIVE_INFINITY;
	if (interval > maxInterval) {
		throw new SvcError("SVC_INVALID", "trigger.parameters.delta: must be an integer of at least 1 and at most a thousand years");
	}
	return { next: (after) => startedAt + Math.max(1, Math.floor((after - startedAt) / interval) + 1) * interval };
}

function toDateSchedule({ date }: JsonObject, timezone: string): Schedule {
	const written = typeof date === "string" ? parseDate(date) : undefined;
	const moment = written && toMoment(written.wallClockMs, written.offsetMinutes, timezone);
	if (moment === undefined) {
		throw new SvcError(
			"SVC_INVALID",
			"trigger.parameters.date: must be a date and time such as 2031-03-04T09:20:00 or 2031-03-04T09:20:00+01:00",
		);
	}
	return { next: (after) => (moment > after ? moment : undefined) };
}

/** Returns the moment, in milliseconds since 1970, at which a clock in the time zone or with the offset shows this time. */
function toMoment(wallClock: number, offset: number | undefined, timezone: string): number | undefined {
	if (offset !== undefined) return wallClock - offset * 60_000;
	const local = new Date(wallClock).toISOString().slice(0, 19);
	return new Cron(local, { timezone, paused: true }).nextRun(new Date(0))?.getTime();
}
