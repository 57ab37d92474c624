import * as assert from "node:assert/strict";
import { test } from "uvu";
import { parseReport } from "./driver-request.ts";

const report = (result: string) => `{"result":${result}}`;

test("a result keeps large whole numbers exactly, as many as a text may have", () => {
	assert.deepEqual(parseReport(report("[9007199254740993]")), { result: [9007199254740993n] });
	assert.throws(() => parseReport(report(`[${Array(2_501).fill("9007199254740993").join(",")}]`)), /at most 2500 integers beyond/);
});

test("a report that ends too early is none", () => {
	assert.equal(parseReport(`{"result":[90071992547409`), undefined);
});

test.run();
