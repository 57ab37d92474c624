import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError, type JsonObject } from "../../contract/index.ts";
import { checkTimerParameters, toSchedule } from "./timer-schedule.ts";
import { findDueSlot } from "./timers.ts";

const interval = "core.svc.IntervalTimer";
const date = "core.svc.DateTimer";
const cron = "core.svc.CronTimer";

/** The next slots after a moment, as UTC texts. */
function slots(
	type: string,
	parameters: JsonObject,
	{ from, count = 3, timezone = "UTC" }: { from: string; count?: number; timezone?: string },
) {
	const start = Date.parse(from);
	const schedule = toSchedule(type, parameters, { timezone, startedAt: start });
	const found: string[] = [];
	for (let next = schedule.next(start); next !== undefined && found.length < count; next = schedule.next(next)) {
		found.push(new Date(next).toISOString().slice(0, 19));
	}
	return found;
}

test("intervals count from their start", () => {
	const from = "2031-03-04T10:00:30Z";
	assert.deepEqual(slots(interval, { unit: "minutes", delta: 5 }, { from, count: 2 }), ["2031-03-04T10:05:30", "2031-03-04T10:10:30"]);
	assert.deepEqual(slots(interval, { unit: "weeks", delta: 1 }, { from, count: 1 }), ["2031-03-11T10:00:30"]);
	const late = toSchedule(interval, { unit: "hours", delta: 1 }, { timezone: "UTC", startedAt: 0 });
	assert.equal(late.next(3_600_000 * 5.5), 3_600_000 * 6);
	assert.equal(late.next(3_600_000 * 6), 3_600_000 * 7);
	assert.equal(late.next(-5), 3_600_000);
});

test("a date fires once, in its own zone or that of the timer", () => {
	const from = "2031-01-01T00:00:00Z";
	assert.deepEqual(slots(date, { date: "2031-07-04 09:20" }, { from }), ["2031-07-04T09:20:00"]);
	assert.deepEqual(slots(date, { date: "2031-07-04 09:20", timezone: "Europe/Berlin" }, { from }), ["2031-07-04T07:20:00"]);
	assert.deepEqual(slots(date, { date: "2031-07-04T09:20:00" }, { from, timezone: "America/Los_Angeles" }), ["2031-07-04T16:20:00"]);
	assert.deepEqual(slots(date, { date: "2031-07-04T09:20:00-03:30", timezone: "Europe/Berlin" }, { from }), ["2031-07-04T12:50:00"]);
	assert.deepEqual(slots(date, { date: "2030-07-04T09:20:00Z" }, { from }), []);
	// At half past two the clock goes from two to three.
	assert.deepEqual(slots(date, { date: "2031-03-30T02:30:00", timezone: "Europe/Berlin" }, { from }), ["2031-03-30T01:30:00"]);
});

const from2031 = "2031-03-04T10:00:00Z";
const expressionRows: readonly (readonly [cron: string, expected: readonly string[]])[] = [
	["0 3 * * *", ["2031-03-05T03:00:00", "2031-03-06T03:00:00"]],
	["30 0 3 * * *", ["2031-03-05T03:00:30", "2031-03-06T03:00:30"]],
	["*/20 * * * *", ["2031-03-04T10:20:00", "2031-03-04T10:40:00"]],
	["0 0 * * sun", ["2031-03-09T00:00:00", "2031-03-16T00:00:00"]],
	["0 0 * * 7", ["2031-03-09T00:00:00", "2031-03-16T00:00:00"]],
	["0 0 * * 0", ["2031-03-09T00:00:00", "2031-03-16T00:00:00"]],
	["0 0 ? * MON-FRI", ["2031-03-05T00:00:00", "2031-03-06T00:00:00"]],
	["0 0 1 jan ?", ["2032-01-01T00:00:00", "2033-01-01T00:00:00"]],
	["0 0 L * *", ["2031-03-31T00:00:00", "2031-04-30T00:00:00"]],
	["0 12 * * 5L", ["2031-03-28T12:00:00", "2031-04-25T12:00:00"]],
	["0 12 * * mon#2", ["2031-03-10T12:00:00", "2031-04-14T12:00:00"]],
	["0 0 10 * wed", ["2031-03-05T00:00:00", "2031-03-10T00:00:00"]],
	["  @daily ", ["2031-03-05T00:00:00", "2031-03-06T00:00:00"]],
	["@hourly", ["2031-03-04T11:00:00", "2031-03-04T12:00:00"]],
	["@weekly", ["2031-03-09T00:00:00", "2031-03-16T00:00:00"]],
	["@monthly", ["2031-04-01T00:00:00", "2031-05-01T00:00:00"]],
	["@yearly", ["2032-01-01T00:00:00", "2033-01-01T00:00:00"]],
];

for (const [expression, expected] of expressionRows) {
	test(`the cron expression ${expression} fires at ${expected.join(" and ")}`, () => {
		assert.deepEqual(slots(cron, { cron: expression }, { from: from2031, count: 2 }), expected);
	});
}

test("a cron expression counts in its time zone", () => {
	assert.deepEqual(slots(cron, { cron: "0 3 * * *", timezone: "Europe/Berlin" }, { from: from2031, count: 1 }), ["2031-03-05T02:00:00"]);
});

test("a cron expression that cannot be read, or never comes, is refused with what is allowed", () => {
	const refused: readonly (readonly [unknown, RegExp])[] = [
		["0 3 * *", /five, six/],
		["60 3 * * *", /Invalid value for minute/],
		["0 3 * * mon-xyz", /illegal characters|Invalid/],
		["@reboot", /not supported/],
		["@every 5m", /five, six/],
		["0 0 30 2 *", /no date matches/],
		["0 3 * * * 2031 7", /7 parts/],
		["", /five, six/],
		["* ".repeat(200), /more than 200 characters/],
		[5, /got no text/],
	];
	for (const [expression, why] of refused) {
		const isRight = (error: unknown) =>
			isSvcError(error, "SVC_INVALID") && /^trigger\.parameters\.cron: must be five fields/.test(error.message) && why.test(error.message);
		assert.throws(() => checkTimerParameters(cron, { cron: expression } as JsonObject), isRight, String(expression));
	}
	assert.throws(() => checkTimerParameters(cron, { cron: "@daily", hour: 5 }), /cron: cannot be used together with hour/);
	checkTimerParameters(cron, { cron: "@daily", hour: null });
});

const cronRows: readonly (readonly [parameters: JsonObject, from: string, expected: readonly string[]])[] = [
	[{}, "2031-03-04T10:00:00Z", ["2031-03-04T10:00:01", "2031-03-04T10:00:02"]],
	[{ hour: 5 }, "2031-03-04T10:00:00Z", ["2031-03-05T05:00:00", "2031-03-06T05:00:00"]],
	[{ hour: 5, minute: 30 }, "2031-03-04T04:00:00Z", ["2031-03-04T05:30:00", "2031-03-05T05:30:00"]],
	[{ minute: "*/15" }, "2031-03-04T10:14:59Z", ["2031-03-04T10:15:00", "2031-03-04T10:30:00"]],
	[{ second: "0,30" }, "2031-03-04T10:00:00Z", ["2031-03-04T10:00:30", "2031-03-04T10:01:00"]],
	[{ hour: "8-10/2", minute: 0 }, "2031-03-04T08:00:00Z", ["2031-03-04T10:00:00", "2031-03-05T08:00:00"]],
	[{ month: 2 }, "2031-03-04T10:00:00Z", ["2032-02-01T00:00:00", "2033-02-01T00:00:00"]],
	[{ month: "jan-feb", day: 1 }, "2031-03-04T10:00:00Z", ["2032-01-01T00:00:00", "2032-02-01T00:00:00"]],
	[{ year: 2033 }, "2031-03-04T10:00:00Z", ["2033-01-01T00:00:00"]],
	[{ year: "2030,2032-2033", month: 6, day: 1, hour: 12 }, "2031-03-04T10:00:00Z", ["2032-06-01T12:00:00", "2033-06-01T12:00:00"]],
	[{ year: 2020 }, "2031-03-04T10:00:00Z", []],
	[{ day: "last" }, "2031-02-04T10:00:00Z", ["2031-02-28T00:00:00", "2031-03-31T00:00:00"]],
	[{ day: "last", month: 2 }, "2031-03-04T10:00:00Z", ["2032-02-29T00:00:00", "2033-02-28T00:00:00"]],
	[{ day: "last fri", hour: 17 }, "2031-03-04T10:00:00Z", ["2031-03-28T17:00:00", "2031-04-25T17:00:00"]],
	[{ day: "2nd Tue", hour: 9 }, "2031-03-04T10:00:00Z", ["2031-03-11T09:00:00", "2031-04-08T09:00:00"]],
	[{ day: "5th mon" }, "2031-03-04T10:00:00Z", ["2031-03-31T00:00:00", "2031-06-30T00:00:00"]],
	[{ day: "1,last" }, "2031-03-04T10:00:00Z", ["2031-03-31T00:00:00", "2031-04-01T00:00:00"]],
	[{ day: 30, month: 2 }, "2031-03-04T10:00:00Z", []],
	// 0 is Monday; the 4th of March 2031 is a Tuesday.
	[{ day_of_week: 0 }, "2031-03-04T10:00:00Z", ["2031-03-10T00:00:00", "2031-03-17T00:00:00"]],
	[{ day_of_week: "mon-fri", hour: 9 }, "2031-03-07T10:00:00Z", ["2031-03-10T09:00:00", "2031-03-11T09:00:00"]],
	[{ day_of_week: "sat,sun", hour: 9 }, "2031-03-07T10:00:00Z", ["2031-03-08T09:00:00", "2031-03-09T09:00:00"]],
	[{ day: 13, day_of_week: "fri" }, "2031-01-01T00:00:00Z", ["2031-06-13T00:00:00", "2032-02-13T00:00:00"]],
	[{ week: 1 }, "2031-03-04T10:00:00Z", ["2031-12-29T00:00:00", "2031-12-30T00:00:00"]],
	[{ week: 53, day_of_week: 0 }, "2031-03-04T10:00:00Z", ["2032-12-27T00:00:00", "2037-12-28T00:00:00"]],
	[{ week: "*/2", day_of_week: 0, hour: 8 }, "2031-03-04T10:00:00Z", ["2031-03-10T08:00:00", "2031-03-24T08:00:00"]],
	[{ hour: 5, timezone: "Asia/Tokyo" }, "2031-03-04T19:59:59Z", ["2031-03-04T20:00:00", "2031-03-05T20:00:00"]],
	[{ day: 1, timezone: "Pacific/Auckland" }, "2031-03-04T10:00:00Z", ["2031-03-31T11:00:00", "2031-04-30T12:00:00"]],
	[{ hour: 5, minute: null }, "2031-03-04T10:00:00Z", ["2031-03-05T05:00:00", "2031-03-06T05:00:00"]],
];

test("fields of a schedule mean what the reference says", () => {
	for (const [parameters, from, expected] of cronRows) {
		assert.deepEqual(
			slots(cron, parameters, { from, count: Math.min(2, expected.length || 1) }),
			expected.slice(0, 2),
			JSON.stringify(parameters),
		);
	}
});

test("when clocks go forward, what they leave out fires right after; what repeats goes on", () => {
	const from = "2031-03-29T12:00:00Z";
	const timezone = "Europe/Berlin";
	assert.deepEqual(slots(cron, { hour: 2, minute: 30, timezone }, { from }), [
		"2031-03-30T01:00:00",
		"2031-03-31T00:30:00",
		"2031-04-01T00:30:00",
	]);
	assert.deepEqual(slots(cron, { minute: "*/30", timezone }, { from: "2031-03-30T00:15:00Z" }), [
		"2031-03-30T00:30:00",
		"2031-03-30T01:00:00",
		"2031-03-30T01:30:00",
	]);
});

test("when clocks go back, a fixed time fires once; what repeats goes on", () => {
	const timezone = "Europe/Berlin";
	assert.deepEqual(slots(cron, { hour: 2, minute: 30, timezone }, { from: "2031-10-25T12:00:00Z", count: 2 }), [
		"2031-10-26T00:30:00",
		"2031-10-27T01:30:00",
	]);
	assert.deepEqual(slots(cron, { minute: "*/30", timezone }, { from: "2031-10-26T00:15:00Z", count: 4 }), [
		"2031-10-26T00:30:00",
		"2031-10-26T01:00:00",
		"2031-10-26T01:30:00",
		"2031-10-26T02:00:00",
	]);
});

test("parameters that make no schedule are refused by name", () => {
	const rows: [string, JsonObject, RegExp][] = [
		[interval, { unit: "years", delta: 1 }, /trigger.parameters.unit: must be one of weeks/],
		[interval, { unit: "toString", delta: 1 }, /trigger.parameters.unit/],
		[interval, { unit: "hours", delta: 0 }, /trigger.parameters.delta: must be an integer/],
		[interval, { unit: "hours", delta: 1.5 }, /trigger.parameters.delta/],
		[interval, { unit: "weeks", delta: 9e15 }, /trigger.parameters.delta/],
		[interval, { unit: "hours", delta: 1, timezone: "Mars/Base" }, /trigger.parameters.timezone: must be the name/],
		[date, { date: "soon" }, /trigger.parameters.date: must be a date/],
		[date, { date: "2031-02-30" }, /trigger.parameters.date/],
		[date, { date: 5 }, /trigger.parameters.date/],
		[cron, { hour: 24 }, /trigger.parameters.hour: must be a number from 0 to 23/],
		[cron, { hour: "5-3" }, /trigger.parameters.hour/],
		[cron, { minute: "*/0" }, /trigger.parameters.minute/],
		[cron, { minute: "a" }, /trigger.parameters.minute/],
		[cron, { second: "" }, /trigger.parameters.second/],
		[cron, { day: "0" }, /trigger.parameters.day/],
		[cron, { day: "6th mon" }, /trigger.parameters.day: .*"last sun"/],
		[cron, { day: "2st mon" }, /trigger.parameters.day/],
		[cron, { day_of_week: 7 }, /trigger.parameters.day_of_week: must be a number from 0 to 6 or mon to sun/],
		[cron, { day_of_week: "monday" }, /trigger.parameters.day_of_week/],
		[cron, { month: "13" }, /trigger.parameters.month/],
		[cron, { week: 54 }, /trigger.parameters.week/],
		[cron, { year: "999999999" }, /trigger.parameters.year/],
		[cron, { hour: 1.5 }, /trigger.parameters.hour/],
		[cron, { hour: "1".repeat(10_000) }, /trigger.parameters.hour/],
	];
	for (const [type, parameters, message] of rows) {
		assert.throws(
			() => checkTimerParameters(type, parameters),
			(error) => isSvcError(error, "SVC_INVALID") && message.test(error.message),
			JSON.stringify(parameters).slice(0, 100),
		);
	}
	checkTimerParameters("examples.anything", { hour: 99 });
});

test("of the slots that were missed, the latest fires if it is young enough", () => {
	const everyMinute = { next: (after: number) => (Math.floor(after / 60_000) + 1) * 60_000 };
	const due = (planned: number, now: number, grace = 60_000) => findDueSlot(everyMinute, planned, { now, grace });
	assert.deepEqual(due(60_000, 60_000), { slot: 60_000, next: 120_000 });
	assert.deepEqual(due(60_000, 10 * 60_000 + 0.7, 60_000.3), { slot: 10 * 60_000, next: 11 * 60_000 });
	assert.deepEqual(due(60_000, 61_500), { slot: 60_000, next: 120_000 });
	assert.deepEqual(due(60_000, 10 * 60_000 + 5), { slot: 10 * 60_000, next: 11 * 60_000 });
	assert.deepEqual(due(60_000, 10 * 60_000 + 5_000, 1_000), { slot: undefined, next: 11 * 60_000 });
	assert.deepEqual(due(60_000, 60_000 + 5_000, 1_000), { slot: undefined, next: 120_000 });
	assert.deepEqual(due(60_000, 60_000, 0), { slot: 60_000, next: 120_000 });
	const once = { next: (after: number) => (after < 5 ? 5 : undefined) };
	assert.deepEqual(findDueSlot(once, 5, { now: 7, grace: 10 }), { slot: 5, next: undefined });
	assert.deepEqual(findDueSlot(once, 5, { now: 70, grace: 10 }), { slot: undefined, next: undefined });
});

test("a month away from a timer that fires each second costs little", () => {
	const schedule = toSchedule(cron, {}, { timezone: "Europe/Berlin", startedAt: 0 });
	const now = Date.UTC(2031, 4, 1);
	const start = performance.now();
	const { slot } = findDueSlot(schedule, Date.UTC(2031, 3, 1), { now, grace: 86_400_000 });
	assert.equal(slot, now);
	assert.ok(performance.now() - start < 1_000);
});

test.run();
