import * as assert from "node:assert/strict";
import { test } from "uvu";
import { createRunContext } from "../../core/testing/run-context.ts";
import { testRunner } from "../../core/testing/runner-suite.ts";
import { announcement } from "./index.ts";

const succeeds = { runnerParameters: { experimental: true }, actionParameters: { message: { text: "hello" } } };
testRunner({
	test,
	name: "announcement",
	create: () => announcement(),
	cases: {
		succeeds,
		throws: { runnerParameters: {} },
		announces: { given: succeeds, announcements: [{ route: "general", payload: { message: { text: "hello" } } }] },
	},
});

test("the parameters are announced, and are the result", async () => {
	const runner = announcement().create();
	const context = createRunContext(runner, { ...succeeds, runnerParameters: { experimental: true, route: "chat.room" } });
	const { result } = await runner.run(context);
	assert.deepEqual(context.announcements, [{ route: "chat.room", payload: { message: { text: "hello" } } }]);
	assert.deepEqual(result, { message: { text: "hello" }, output: { message: { text: "hello" } } });
});

test("secrets are announced to nobody", async () => {
	const runner = announcement().create();
	const context = createRunContext(runner, {
		runnerParameters: { experimental: true },
		actionParameters: { pin: "1234", options: { key: "1234" }, plain: "text", unset: null },
		actionSchema: { pin: { secret: true }, options: { properties: { key: { secret: true } } }, plain: {}, unset: { secret: true } },
	});
	const { result } = await runner.run(context);
	const shown = { pin: "********", options: "********", plain: "text", unset: null };
	assert.deepEqual(context.announcements, [{ route: "general", payload: shown }]);
	assert.deepEqual(result, { ...shown, output: shown });
});

test("an action that does not say that it is experimental fails", async () => {
	const runner = announcement().create();
	await assert.rejects(runner.run(createRunContext(runner)), /Experimental flag is missing for action tests.action/);
});

test.run();
