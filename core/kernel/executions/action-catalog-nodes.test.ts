import * as assert from "node:assert/strict";
import { test } from "uvu";
import { principal, startEngine, type TestEngine } from "../../testing/engine/engine.test-support.ts";
import { createSharedStorage } from "../../testing/engine/shared-storage.test-support.ts";

/** Two nodes that share a storage, and hear nothing of each other whatever the backend. */
async function withNodes(body: (first: TestEngine, second: TestEngine) => Promise<void>): Promise<void> {
	const { createDoor, release } = createSharedStorage();
	const first = await startEngine({ storage: createDoor().plugin });
	const second = await startEngine({ storage: createDoor().plugin });
	try {
		await body(first, second);
	} finally {
		await first.stop();
		await second.stop();
		await release();
	}
}

async function until(holds: () => Promise<boolean>): Promise<void> {
	const deadline = performance.now() + 5_000;
	while (!(await holds())) {
		assert.ok(performance.now() < deadline, "not within 5 s");
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
}

test("an action that one node switches off is refused by the others, even when they do not hear of it", () =>
	withNodes(async (first, second) => {
		const submit = () => second.engine.executions.submit({ action: "default.scripted", parameters: {} }, principal);
		await submit();
		await first.engine.actions.update("default.scripted", { name: "scripted", runner_type: "scripted", enabled: false });
		await until(async () => (await submit().then(() => undefined, String))?.includes("disabled") ?? false);
	}));

test("a runner type that one node switches off runs nothing on the others", () =>
	withNodes(async (first, second) => {
		const { id } = await second.submit();
		assert.equal((await second.settled(id)).status, "succeeded");
		await first.engine.runnerTypes.setEnabled("scripted", false);
		await until(async () => {
			const { id } = await second.submit();
			return (await second.settled(id)).status === "failed";
		});
	}));

test.run();
