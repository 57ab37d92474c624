import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError } from "../../contract/index.ts";
import { principal, startEngine, type TestEngine } from "../../testing/engine/engine.test-support.ts";
import { createLaggingBus, type LaggingBus } from "../../testing/engine/lagging-bus.test-support.ts";
import { createSharedStorage } from "../../testing/engine/shared-storage.test-support.ts";

function withEngine(name: string, body: (running: TestEngine & { readonly bus: LaggingBus }) => Promise<void>): void {
	test(name, async () => {
		const bus = createLaggingBus();
		const running = await startEngine({ eventBus: bus.plugin });
		try {
			await body({ ...running, bus });
		} finally {
			await running.stop();
		}
	});
}

withEngine("each change is one event on the bus, and on the general stream a live action, then an execution", async (running) => {
	const { engine, submit, settled, bus } = running;
	const end = new AbortController();
	const all = await engine.events.subscribe(["svc.*"], { signal: end.signal });
	const liveActions = await engine.events.subscribe(["svc.liveaction__update"], { signal: end.signal });
	const { id } = await submit();
	await settled(id);
	const changes = bus.published.filter(({ name }) => /execution__/.test(name)).map(({ name }) => name.replace("svc.execution", ""));
	const update = "__update";
	assert.deepEqual(changes, ["__create", update, update, update]);
	assert.equal(bus.published.filter(({ name }) => /liveaction/.test(name)).length, 0);
	const names: string[] = [];
	for await (const event of all) if (names.push(event.name) === changes.length * 2) break;
	assert.deepEqual(
		names,
		changes.flatMap((change) => [`svc.liveaction${change}`, `svc.execution${change}`]),
	);
	const statuses: string[] = [];
	for await (const event of liveActions) {
		assert.equal(event.kind, "liveaction");
		if (event.kind === "liveaction" && statuses.push(event.view.entity.status) === 3) break;
	}
	assert.deepEqual(statuses, ["scheduled", "running", "succeeded"]);
	end.abort();
});

withEngine("a general stream that may have missed something ends with an error", async ({ engine, submit, settled, bus }) => {
	const events = (await engine.events.subscribe(["*"], { signal: new AbortController().signal }))[Symbol.asyncIterator]();
	await settled((await submit()).id);
	bus.lag();
	await assert.rejects(
		async () => {
			while ((await events.next()).done !== true);
		},
		(error) => isSvcError(error, "SVC_SUBSCRIBER_LAGGED"),
	);
});

withEngine("cancels, and followers of output, go on after the bus may have missed something", async (running) => {
	const { engine, submit, settled, bus } = running;
	const { id } = await submit({ outcome: "hang", lines: ["a"] });
	await settled(id, "running");
	const reading = (async () => {
		const chunks: string[] = [];
		for await (const { data } of engine.output.follow(id, { signal: new AbortController().signal })) {
			chunks.push(data);
			bus.lag();
		}
		return chunks;
	})();
	for (let round = 0; round < 5; round += 1) {
		bus.lag();
		await new Promise((resolve) => setImmediate(resolve));
	}
	await engine.executions.cancel(id, principal);
	assert.equal((await settled(id)).status, "canceled");
	assert.deepEqual(await reading, ["a\n"]);
});

test("a cancel that the bus has lost is obeyed as soon as the bus says that something may be missing", async () => {
	const shared = createSharedStorage();
	const bus = createLaggingBus();
	// Long enough that no renewal comes in time.
	const options = { scheduler: { lease: 3_600 } } as const;
	const holder = await startEngine({ storage: shared.createDoor().plugin, eventBus: bus.plugin, options });
	const other = await startEngine({ storage: shared.createDoor().plugin, options: { ...options, actionrunner: { actions_pool_size: 1 } } });
	try {
		const canceled = await holder.submit({ outcome: "hang" });
		await holder.settled(canceled.id, "running");
		const ended = await holder.submit({ outcome: "hang" });
		await holder.settled(ended.id, "running");
		await other.engine.executions.cancel(canceled.id, principal);
		await other.engine.executions.setStatus(ended.id, { status: "succeeded" }, principal);
		bus.lag();
		assert.equal((await holder.settled(canceled.id)).status, "canceled");
		await holder.engine.drain();
		assert.equal((await other.settled(ended.id)).status, "succeeded");
	} finally {
		await holder.stop();
		await other.stop();
	}
});

test.run();
