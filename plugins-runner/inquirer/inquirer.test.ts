import * as assert from "node:assert/strict";
import { test } from "uvu";
import { createRunContext } from "../../core/testing/run-context.ts";
import { testRunner } from "../../core/testing/runner-suite.ts";
import { inquirer } from "./index.ts";

// A question has not succeeded before it is answered.
testRunner({ test, name: "inquirer", create: () => inquirer(), cases: { fails: {} } });

test("the run leaves the execution pending, with what describes the question", async () => {
	const runner = inquirer().create();
	const { status, result } = await runner.run(
		createRunContext(runner, { runnerParameters: { route: "night-shift", users: ["ann"], ttl: 5 } }),
	);
	assert.equal(status, "pending");
	assert.deepEqual(result, {
		schema: {
			title: "response_data",
			type: "object",
			properties: { continue: { type: "boolean", required: true, description: "Would you like to continue the workflow?" } },
		},
		roles: [],
		users: ["ann"],
		route: "night-shift",
		ttl: 5,
	});
});

test.run();
