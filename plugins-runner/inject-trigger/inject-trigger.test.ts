import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { JsonObject } from "../../core/contract/index.ts";
import { createRunContext } from "../../core/testing/run-context.ts";
import { testRunner } from "../../core/testing/runner-suite.ts";
import { injectTrigger } from "./index.ts";

testRunner({
	test,
	name: "inject-trigger",
	create: () => injectTrigger(),
	cases: {
		succeeds: { actionParameters: { trigger: "tests.event" } },
		throws: {},
		announces: {
			given: { actionParameters: { trigger: "tests.event", payload: { a: 1 } } },
			dispatched: [{ trigger: "tests.event", payload: { a: 1 } }],
		},
	},
});

async function run(actionParameters: JsonObject) {
	const runner = injectTrigger().create();
	const context = createRunContext(runner, { actionParameters });
	return { ...(await runner.run(context)), dispatched: context.dispatched };
}

test("the trigger is dispatched with its payload, and the result names the instance", async () => {
	const { result, dispatched } = await run({ trigger: "tests.event", trigger_name: null, payload: { a: 1 }, trace_tag: "t" });
	assert.deepEqual(dispatched, [{ trigger: "tests.event", payload: { a: 1 } }]);
	assert.deepEqual(result, { trigger: "tests.event", trigger_instance: "1" });
	assert.deepEqual((await run({ trigger_name: "tests.event" })).dispatched, [{ trigger: "tests.event", payload: {} }]);
});

test("exactly one name must be given, and the payload must be an object", async () => {
	await assert.rejects(run({}), /exactly one of trigger and trigger_name/);
	await assert.rejects(run({ trigger: "a.b", trigger_name: "a.b" }), /exactly one of trigger and trigger_name/);
	await assert.rejects(run({ trigger: "a.b", payload: [1] }), /payload: must be an object/);
});

test.run();
