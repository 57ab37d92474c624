import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { JsonObject } from "../../contract/index.ts";
import { toDeletedTitle, toSourceTitle, toTriggerTitle } from "./trigger-titles-exports.ts";
import { toHookUrl, triggerRefs } from "./trigger-type-refs-exports.ts";

const { webhook, intervalTimer, cronTimer, dateTimer, action } = triggerRefs;

test("the title of a webhook or a timer says what its parameters say", () => {
	const titles: readonly (readonly [type: string, parameters: JsonObject, title: string])[] = [
		[webhook, { url: "/disk/full/", ledger: true }, "webhook disk/full"],
		[intervalTimer, { unit: "seconds", delta: 5 }, "every 5 seconds"],
		[intervalTimer, { unit: "hours", delta: 1 }, "every hour"],
		[cronTimer, { cron: "0 3 * * *" }, "cron 0 3 * * *"],
		[cronTimer, { timezone: "Europe/Berlin", cron: " 0 3 * * * " }, "cron 0 3 * * * Europe/Berlin"],
		[cronTimer, { second: 0, minute: "*/5", hour: null, timezone: "UTC" }, "cron minute=*/5 second=0 UTC"],
		[dateTimer, { date: "2031-03-04T09:15:02Z" }, "at 2031-03-04T09:15:02Z"],
		[dateTimer, { date: "2031-03-04T09:15:02", timezone: "Europe/Berlin" }, "at 2031-03-04T09:15:02 Europe/Berlin"],
	];
	for (const [type, parameters, title] of titles) {
		assert.equal(toTriggerTitle({ type, parameters }), title);
		assert.equal(toSourceTitle({ type, parameters }), title);
	}
});

test("the title of another trigger is its type with its parameters in the order of their names", () => {
	assert.equal(toTriggerTitle({ type: action, parameters: {} }), action);
	const trigger = { type: "disk.watched", parameters: { size: 9, path: "/a b", only: ["x"], none: null } };
	assert.equal(toTriggerTitle(trigger), "disk.watched only=[…] path=/a b size=9");
	assert.equal(toSourceTitle(trigger), undefined);
});

test("a title stays on one line and contains no control characters", () => {
	const url = "a\nb\t\u001b[31m\u009b";
	assert.equal(toTriggerTitle({ type: webhook, parameters: { url } }), "webhook a\\u000ab\\u0009\\u001b[31m\\u009b");
	assert.ok(!toDeletedTitle("site.\nother").includes("\n"));
});

test("slashes around a URL are removed in linear time, however many are within it", () => {
	const slashes = "/".repeat(2_000_000);
	assert.equal(toHookUrl(`//disk/full//`), "disk/full");
	assert.equal(toHookUrl(slashes), "");
	assert.equal(toHookUrl(`a${slashes}a`).length, slashes.length + 2);
});

test("a long title is cut, and never within a character", () => {
	for (const url of ["x".repeat(8_000), "😀".repeat(100), `a${"😀".repeat(100)}`]) {
		const title = toTriggerTitle({ type: webhook, parameters: { url } });
		assert.ok(title.length <= 120 && title.length >= 118, String(title.length));
		assert.equal(Buffer.from(title).toString(), title);
		assert.ok(title.endsWith("…"));
	}
});

test("the title of a deleted trigger says of which kind it was", () => {
	assert.deepEqual([webhook, cronTimer, "disk.watched"].map(toDeletedTitle), [
		"deleted webhook",
		"deleted timer",
		"deleted trigger of disk.watched",
	]);
});

test.run();
