import * as assert from "node:assert/strict";
import { test } from "uvu";
import { addTallies, noTests, parseReport, reportCosts } from "./test-report.ts";

const report = (total: number, passed: number, skipped: number) =>
	`• • \n\n  Total:     ${total}\n  Passed:    ${passed}\n  Skipped:   ${skipped}\n  Duration:  1.00ms\n\n`;

test("a file's tests are counted one by one", () => {
	assert.deepEqual(parseReport("a.test.ts", report(3, 3, 0), 0), { passed: 3, failed: 0, skipped: 0, skips: [] });
	assert.deepEqual(parseReport("a.test.ts", report(3, 1, 0), 1), { passed: 1, failed: 2, skipped: 0, skips: [] });
});

test("a process that ends badly without a failed test counts as a failure", () => {
	assert.equal(parseReport("a.test.ts", report(3, 3, 0), 1).failed, 1);
	assert.equal(parseReport("a.test.ts", "SyntaxError: unexpected token", 1).failed, 1);
	assert.equal(parseReport("a.test.ts", report(3, 3, 0), null).failed, 1);
});

test("a file that runs and skips nothing counts as a failure", () => {
	assert.equal(parseReport("a.test.ts", "", 0).failed, 1);
	assert.equal(parseReport("a.test.ts", report(0, 0, 0), 0).failed, 1);
});

test("skipped tests are listed with their reasons", () => {
	const output = `SKIP signs in over ssh: command sshd is not installed\n${report(0, 0, 1)}`;
	assert.deepEqual(parseReport("a.test.ts", output, 0).skips, [{ name: "signs in over ssh", reason: "command sshd is not installed" }]);
	assert.match(parseReport("a.test.ts", report(1, 1, 2), 0).skips[0]?.reason ?? "", /^2 without a reason/);
});

test("tallies add up", () => {
	const one = parseReport("a.test.ts", report(3, 2, 1), 1);
	assert.deepEqual(addTallies(noTests, one), one);
	assert.equal(addTallies(one, one).passed, 4);
});

test("the files that have cost most are named, the first one first, and the sum is that of all", () => {
	const costs = Array.from({ length: 12 }, (_, index) => ({ name: `${index}.test.ts`, seconds: index }));
	const [sum, first, ...others] = reportCosts(costs).trimEnd().split("\n");
	assert.match(sum ?? "", /^66 s of the processor/);
	assert.match(first ?? "", /11\.0 11\.test\.ts$/);
	assert.equal(others.length, 9);
});

test.run();
