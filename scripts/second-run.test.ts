import * as assert from "node:assert/strict";
import { test } from "uvu";
import { toSecondRun } from "./second-run.ts";
import type { Job } from "./test-plan.ts";

const toJob = (name: string): Job => ({ file: name, name, timeout: 120, isWaiting: false, isAlone: false, isFullOnly: false });

test("a file or two are run again, more are not", () => {
	const [a, b, c] = ["a.test.ts", "b.test.ts on sqlite", "c.test.ts"].map(toJob) as [Job, Job, Job];
	assert.deepEqual(toSecondRun([]), []);
	assert.deepEqual(toSecondRun([a]), [a]);
	assert.deepEqual(toSecondRun([a, b]), [a, b]);
	assert.deepEqual(toSecondRun([a, b, c]), []);
});

test("nothing is run again where a promise was found broken", () => {
	for (const name of [
		"core/testing/guarantees/kill.test.ts",
		"scripts/chaos/chaos.test.ts",
		"plugins-runner/python-script/pyodide-suite.test.ts",
		"core/testing/runner-suite.test.ts",
	])
		assert.deepEqual(toSecondRun([toJob("a.test.ts"), toJob(name)]), []);
});

test.run();
