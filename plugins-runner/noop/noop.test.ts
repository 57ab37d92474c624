import * as assert from "node:assert/strict";
import { test } from "uvu";
import { assertAccepted } from "../../core/testing/broken/refusals.test-support.ts";
import { createRunContext } from "../../core/testing/run-context.ts";
import { testRunner } from "../../core/testing/runner-suite.ts";
import { noop } from "./index.ts";

testRunner({ test, name: "noop", create: () => noop(), cases: { succeeds: {} } });

test("the suite accepts it fifty times in a row", async () => {
	for (let round = 0; round < 50; round++) {
		await assertAccepted((check) => testRunner({ test: check, name: "noop", create: () => noop(), cases: { succeeds: {} } }));
	}
});

test("the result says so and holds no output", async () => {
	const runner = noop().create();
	const { result } = await runner.run(createRunContext(runner));
	assert.deepEqual(result, { failed: false, succeeded: true, return_code: 0 });
});

test.run();
