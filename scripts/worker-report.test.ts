import * as assert from "node:assert/strict";
import { test } from "uvu";
import { readReport, toReportText, withoutReport } from "./worker-report.ts";

const end = { code: 1, processorSeconds: 0.25, memory: 1_024 };

test("the report at the end of an output tells how the file ended, and is not part of what the file printed", () => {
	const output = `• • ✘ (2 / 3)\n${toReportText(end)}`;
	assert.deepEqual(readReport(output), end);
	assert.equal(withoutReport(output), "• • ✘ (2 / 3)\n");
});

test("an output without a report, or with half of one, has not ended", () => {
	const mark = toReportText(end);
	for (const output of ["", "• •", `• •${mark.slice(0, 9)}`, mark.slice(0, -1)]) assert.equal(readReport(output), undefined, output);
});

test.run();
