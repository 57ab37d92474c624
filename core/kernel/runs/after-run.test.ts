import * as assert from "node:assert/strict";
import { test } from "uvu";
import { defineRunner, type ExecutionStatus, type RunnerPlugin } from "../../contract/index.ts";
import { startEngine, type TestEngine } from "../../testing/engine/engine.test-support.ts";

/** Ends as its parameter says; `afterRun` is called with the live action. */
function createEnding(afterRun: (liveactionId: string) => Promise<void> | void): RunnerPlugin {
	return defineRunner("ending", () => ({
		description: "Ends.",
		capabilities: { recovery: true, cancellation: true },
		parameters: { how: { type: "string", enum: ["succeed", "throw", "leave"], default: "succeed" } },
		async run({ runnerParameters: { how }, signal, saveState }) {
			if (how === "throw") throw new Error("the runner broke");
			if (how === "succeed") return { succeeded: true, result: {} };
			await saveState({});
			if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
			return { succeeded: false, status: "running", result: {} };
		},
		async recover() {
			return undefined;
		},
		// A plugin in plain JavaScript may forget the promise.
		afterRun: ({ liveaction_id }) => afterRun(liveaction_id) as Promise<void>,
	}))();
}

async function withEnding(afterRun: Parameters<typeof createEnding>[0], use: (service: TestEngine) => Promise<void>): Promise<void> {
	const service = await startEngine({ runners: [createEnding(afterRun)] });
	try {
		await service.engine.actions.create({ name: "ending", runner_type: "ending" });
		await use(service);
	} finally {
		await service.stop();
	}
}

const ending = { action: "default.ending" };

for (const [how, status] of [
	["succeed", "succeeded"],
	["throw", "failed"],
] as const) {
	test(`a runner is told of a run that ${status} once its end is stored, and not before`, async () => {
		const seen: (ExecutionStatus | undefined)[] = [];
		let service: TestEngine | undefined;
		const look = async (liveactionId: string) => {
			const page = await service?.engine.executions.list({ filter: { liveaction_id: liveactionId } });
			seen.push(page?.items[0]?.entity.status);
		};
		await withEnding(look, async (started) => {
			service = started;
			await started.settled((await started.submit({ how }, ending)).id);
			await started.engine.drain();
		});
		assert.deepEqual(seen, [status]);
	});
}

test("a runner is not told of a run that goes on without the service", async () => {
	const told: string[] = [];
	await withEnding(
		(id) => void told.push(id),
		async ({ engine, submit, settled }) => {
			const { id } = await submit({ how: "leave" }, ending);
			while ((await settled(id, "running")).run_state === null);
			await engine.drain();
			assert.equal((await settled(id, "running")).status, "running");
		},
	);
	assert.deepEqual(told, []);
});

test("what goes wrong afterwards changes nothing about the end", async () => {
	for (const fail of [() => Promise.reject(new Error("no")), () => assert.fail("no"), () => undefined]) {
		await withEnding(fail, async ({ submit, settled, engine }) => {
			const { id } = await submit({}, ending);
			assert.equal((await settled(id)).status, "succeeded");
			await engine.drain();
			assert.equal((await settled(id)).status, "succeeded");
		});
	}
});

test.run();
