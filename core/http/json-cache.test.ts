import * as assert from "node:assert/strict";
import { test } from "uvu";
import { cacheJsonText, toJsonText } from "./json-cache.ts";

test("with and without kept members the text is what JSON.stringify makes", () => {
	const kept = cacheJsonText({ 'a "quoted" name': ["\u2028", { deep: null }] });
	const records: unknown[] = [
		{ id: "1", kept, list: [1, "two"], nothing: undefined, "odd\nname": true },
		{ kept },
		{ nothing: undefined, kept, date: new Date(0) },
		{ deeper: { kept } },
		{},
		kept,
		"text",
		null,
		5,
		["a", null],
	];
	for (const record of [...records, [], records]) assert.equal(toJsonText(record), JSON.stringify(record));
});

test.run();
