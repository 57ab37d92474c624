import * as assert from "node:assert/strict";
import { test } from "uvu";
import { parseTimestamp } from "./timestamp.ts";

const now = Date.parse("2026-11-27T10:30:15.250Z");
const parse = (text: string) => parseTimestamp("timestamp_gt", text, now);

test("times in UTC and with an offset are kept as UTC with microseconds", () => {
	const equal: Readonly<Record<string, string>> = {
		"2031-03-04T09:15:02.418273Z": "2031-03-04T09:15:02.418273Z",
		"2031-03-04 09:15:02": "2031-03-04T09:15:02.000000Z",
		"2031-03-04T09:15:02.4z": "2031-03-04T09:15:02.400000Z",
		"2031-03-04T09:15:02.123456789Z": "2031-03-04T09:15:02.123456Z",
		"2026-11-27T10:00:00+02:00": "2026-11-27T08:00:00.000000Z",
		"2026-11-27T10:00:00.5-0330": "2026-11-27T13:30:00.500000Z",
		"2026-11-27T23:30:00-01": "2026-11-28T00:30:00.000000Z",
		"2026-11-27T10:00Z": "2026-11-27T10:00:00.000000Z",
		"2026-11-27": "2026-11-27T00:00:00.000000Z",
		// As servers read a plus sign of an address.
		"2026-11-27T10:00:00 02:00": "2026-11-27T08:00:00.000000Z",
		"2026-11-27T10:00:00.123456 00:00": "2026-11-27T10:00:00.123456Z",
		"2026-11-27 10:00": "2026-11-27T10:00:00.000000Z",
	};
	for (const [text, expected] of Object.entries(equal)) assert.equal(parse(text), expected, text);
});

test("relative times count from now, and days are those of UTC", () => {
	const equal: Readonly<Record<string, string>> = {
		now: "2026-11-27T10:30:15.250000Z",
		today: "2026-11-27T00:00:00.000000Z",
		Yesterday: "2026-11-26T00:00:00.000000Z",
		"-1h": "2026-11-27T09:30:15.250000Z",
		"-90s": "2026-11-27T10:28:45.250000Z",
		"-15m": "2026-11-27T10:15:15.250000Z",
		"-2d": "2026-11-25T10:30:15.250000Z",
		"-1w": "2026-11-20T10:30:15.250000Z",
		"-1d12h": "2026-11-25T22:30:15.250000Z",
		"+30d": "2026-12-27T10:30:15.250000Z",
		" 1h": "2026-11-27T11:30:15.250000Z",
	};
	for (const [text, expected] of Object.entries(equal)) assert.equal(parse(text), expected, text);
});

test("anything else is refused, with the forms there are", () => {
	const wrong = [
		"",
		"1h",
		"-1",
		"-1x",
		"-h",
		"tomorrow's",
		"2026-02-30T00:00:00Z",
		"2026-11-27T25:00:00Z",
		"2026-11-27T10:00:00+24:00",
		"1e9",
	];
	const extreme = [
		"-999999999w",
		"+999999999w",
		"0000-01-01T00:00:00+23:00",
		"9999-12-31T23:59:59-01:00",
		"27.11.2026",
		"2026-11-27T10:00:00 2",
	];
	for (const text of [...wrong, ...extreme]) assert.throws(() => parse(text), /timestamp_gt: must be a time such as .* -1h/, text);
});

test.run();
