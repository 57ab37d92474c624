import * as assert from "node:assert/strict";
import { test } from "uvu";
import { defineRunner } from "../../contract/index.ts";
import { startEngine } from "../../testing/engine/engine.test-support.ts";
import { toLiveAction } from "./records-exports.ts";

const pin = "a pin that is long";

/** Returns the secret that it was given, and dispatches an event with it. */
const teller = defineRunner("teller", () => ({
	description: "Tells a secret.",
	capabilities: {},
	parameters: { pin: { type: "string", secret: true } },
	async run({ runnerParameters, dispatch }) {
		const said = `the pin is ${runnerParameters.pin}`;
		await dispatch("default.happening", { said });
		return { succeeded: true, result: { said } };
	},
}))();

test("a secret of a run is masked in its result, and in the payload of an event that the run has dispatched", async () => {
	const { engine, storage, submit, settled, stop } = await startEngine({ runners: [teller] });
	try {
		await engine.triggers.types.create({ pack: "default", name: "happening" });
		await engine.actions.create({ name: "tell", runner_type: "teller" });
		const { id } = await submit({ pin }, { action: "default.tell" });
		const ended = await settled(id);
		assert.equal(ended.result?.["said"], `the pin is ${pin}`);
		const view = await engine.executions.get(id);
		const show = (masked: boolean) => toLiveAction(view, { masked, mayView: () => true } as never)["result"];
		assert.deepEqual([show(true), show(false)], [{ said: "the pin is ********" }, { said: `the pin is ${pin}` }]);
		const events = await storage.find("trigger_instance", { where: { trigger: "default.happening" } });
		assert.equal(events.length, 1);
		const [shown] = await engine.triggers.instances.maskPayloads(events);
		assert.deepEqual(shown?.payload, { said: "the pin is ********" });
	} finally {
		await stop();
	}
});

test.run();
