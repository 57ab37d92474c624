import * as assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "uvu";
import type { ExecutionStatus, JsonObject } from "../../contract/index.ts";
import type { Engine } from "../../kernel/engine-api.ts";
import type { OutputChunk } from "../../kernel/executions/executions-api.ts";
import { startEngine } from "../../testing/engine/engine.test-support.ts";

const signal = new AbortController().signal;

/** Never called: the compiler is what looks at it. */
export async function typed({ events }: Engine, anything: string): Promise<void> {
	for await (const { name, kind, view } of await events.subscribe(["svc.execution__update"], { signal })) {
		const exact: "svc.execution__update" = name;
		const execution: "execution" = kind;
		const status: ExecutionStatus = view.entity.status;
		void [exact, execution, status];
	}
	for await (const event of await events.subscribe(["svc.execution__create", "svc.execution.output__create"], { signal })) {
		if (event.name === "svc.execution.output__create") {
			const chunk: OutputChunk = event.chunk;
			void chunk;
		}
		// @ts-expect-error: an event of an execution has no chunk
		else void event.chunk;
		// @ts-expect-error: not asked for
		void (event.name === "svc.execution__update");
	}
	for await (const { data } of await events.subscribe(["svc.announcement__*"], { signal })) void (data satisfies JsonObject);
	for await (const { name, data } of await events.subscribe(["svc.announcement__deployed"], { signal })) {
		void (name satisfies "svc.announcement__deployed");
		void (data satisfies JsonObject);
	}
	for await (const { view } of await events.subscribe(["svc.liveaction__*", "svc.execution__*"], { signal })) void view.entity;
	for await (const event of await events.subscribe(["*"], { signal })) if (event.kind === "liveaction") void event.view;
	for await (const event of await events.subscribe([anything], { signal })) if (event.kind === "output") void event.chunk;
	// @ts-expect-error: no event of this name
	void events.subscribe(["svc.execution__updated"], { signal });
	// @ts-expect-error: no event of this name, beside one that there is
	void events.subscribe(["svc.execution__update", "svc.executions__create"], { signal });
	// @ts-expect-error: no event begins like this
	void events.subscribe(["svc.rule__*"], { signal });
	// @ts-expect-error: without a signal nothing would end it
	void events.subscribe(["svc.execution__update"]);
}

test("a typed subscription gets the events of its names, and ends with its signal, with its loop and with the engine", async () => {
	const { engine, submit, settled, stop } = await startEngine();
	const end = new AbortController();
	const updates = await engine.events.subscribe(["svc.execution__update"], { signal: end.signal });
	const chunks = await engine.events.subscribe(["svc.execution.output__create"], { signal: new AbortController().signal });
	const rest = await engine.events.subscribe(["*"], { signal: new AbortController().signal });
	const { id } = await submit({ lines: ["a"] });
	await settled(id);
	const statuses: string[] = [];
	for await (const { view } of updates) {
		statuses.push(view.entity.status);
		if (view.entity.status === "succeeded") end.abort();
	}
	assert.deepEqual(statuses, ["scheduled", "running", "succeeded"]);
	for await (const { chunk } of chunks) {
		assert.equal(chunk.data, "a\n");
		break;
	}
	assert.deepEqual(await chunks[Symbol.asyncIterator]().next(), { done: true, value: undefined });
	await stop();
	for await (const { name } of rest) assert.match(name, /^svc\./);
});

test("many subscriptions share a signal, which ends them all, and is let go by those that are left", async () => {
	const { engine, submit, settled, stop } = await startEngine();
	const end = new AbortController();
	const subscribe = () => engine.events.subscribe(["svc.execution__*"], { signal: end.signal });
	const all = await Promise.all(Array.from({ length: 12 }, subscribe));
	assert.equal(getEventListeners(end.signal, "abort").length, 1);
	await settled((await submit()).id);
	for (const events of all) for await (const _ of events) break;
	assert.equal(getEventListeners(end.signal, "abort").length, 0);
	const last = await subscribe();
	end.abort();
	for await (const _ of last) assert.fail("it has ended");
	await stop();
});

test.run();
