import * as assert from "node:assert/strict";
import { test } from "uvu";
import { memoryBus } from "../../../plugins/event-bus-memory/index.ts";
import { memoryStorage } from "../../../plugins/storage-memory/index.ts";
import { defineRunner, defineSensor, type NodeRole, type RunnerPlugin } from "../../contract/index.ts";
import { principal, startEngine } from "../../testing/engine/engine.test-support.ts";
import { deafBus } from "../../testing/engine/shared-bus.test-support.ts";
import { createSharedStorage } from "../../testing/engine/shared-storage.test-support.ts";
import { getSystemClock } from "../basics/clock.ts";
import { until, within, withNodes } from "./nodes.test-support.ts";

/** A runner and a sensor that say whether they were started. */
function createProbes() {
	const started: string[] = [];
	const runner = defineRunner("probe", () => ({
		description: "Says its word.",
		capabilities: {},
		parameters: { word: { type: "string", required: true } },
		start: async () => void started.push("runner"),
		run: async ({ runnerParameters: { word } }) => ({ succeeded: true, result: { word } }),
	}));
	const sensor = defineSensor("probe", () => ({
		description: "Watches.",
		trigger_types: [],
		start: async () => void started.push("sensor"),
		run: async ({ signal }) => new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true })),
	}));
	return { started, runner: runner(), sensor: sensor() };
}

/** The runner, which also runs sensors of packs. */
function withPackSensors({ name, create }: RunnerPlugin): RunnerPlugin {
	const packSensors = {
		suffixes: [".probe"],
		create: () => {
			throw new Error("no pack has one");
		},
	};
	return { kind: "runner", name, create: () => ({ ...create(), packSensors }) };
}

const parts: readonly [only: readonly NodeRole[], started: readonly string[]][] = [
	[["api"], []],
	[["worker"], ["runner"]],
	[["sensors"], ["sensor"]],
	[
		["worker", "sensors"],
		["runner", "sensor"],
	],
];

for (const [only, expected] of parts) {
	test(`a node that runs ${only.join(" and ")} starts the plugins that this needs and no others`, () =>
		withNodes(async ({ startNode }) => {
			const { started, runner, sensor } = createProbes();
			await startNode({ only, runners: [runner], options: { sensors: [sensor] } });
			assert.deepEqual(started, expected);
		}));
}

test("a node that runs sensors starts the runners that run those of packs, though it runs no actions", () =>
	withNodes(async ({ startNode }) => {
		const { started, runner } = createProbes();
		await startNode({ only: ["api"], runners: [withPackSensors(runner)] });
		assert.deepEqual(started, []);
		await startNode({ only: ["sensors"], runners: [withPackSensors(runner)] });
		assert.deepEqual(started, ["runner"]);
	}));

test("what a node without a worker takes in is run by a worker at once, long before its next poll", () =>
	withNodes(async ({ startNode }) => {
		const api = await startNode({ only: ["api"] });
		const worker = await startNode({ only: ["worker"] });
		const { id } = await api.submit({ lines: ["hello"] });
		const { entity } = await api.engine.executions.get(id);
		assert.equal(entity.owner === null || entity.owner === worker.engine.nodeId, true);
		assert.equal((await within(5, api.settled(id))).status, "succeeded");
	}));

test("the same when its clock is ahead", () =>
	withNodes(async ({ startNode }) => {
		const options = { scheduler: { lease: 60 } };
		const clock = getSystemClock();
		const api = await startNode({ only: ["api"], options, clock: { now: () => clock.now() + 10_000_000 } });
		await startNode({ only: ["worker"], options });
		for (let count = 0; count < 20; count++) assert.equal((await within(5, api.settled((await api.submit()).id))).status, "succeeded");
	}));

test("without a word over the bus it is run at the next poll", () =>
	withNodes(async ({ startNode }) => {
		const api = await startNode({ only: ["api"], eventBus: deafBus() });
		await startNode({ only: ["worker"], eventBus: deafBus(), options: { scheduler: { poll_interval: 0.05 } } });
		assert.equal((await api.settled((await api.submit()).id)).status, "succeeded");
	}));

test("a delayed execution of a node without a worker is shown as delayed, and run when it is due", () =>
	withNodes(async ({ startNode }) => {
		const api = await startNode({ only: ["api"] });
		await startNode({ only: ["worker"] });
		const { id } = await api.submit({}, { delay: 300 });
		await api.settled(id, "delayed");
		assert.equal((await within(5, api.settled(id))).status, "succeeded");
	}));

test("a node without a worker claims nothing, and what it takes in waits", () =>
	withNodes(async ({ startNode }) => {
		const api = await startNode({ only: ["api", "rules", "timers", "sensors"], options: { scheduler: { poll_interval: 0.02 } } });
		const { id } = await api.submit();
		const looks = performance.now() + 300;
		while (performance.now() < looks) {
			const { entity } = await api.engine.executions.get(id);
			assert.deepEqual([entity.status, entity.owner], ["requested", null]);
			await new Promise((resolve) => setTimeout(resolve, 20));
		}
	}));

test("a node without the runner checks parameters by what the worker has said of it", () =>
	withNodes(async ({ startNode }) => {
		const { runner } = createProbes();
		await startNode({ only: ["worker"], runners: [runner] });
		const api = await startNode({ only: ["api"] });
		await api.engine.actions.create({ name: "probe", runner_type: "probe" });
		const submit = (parameters: { readonly word?: string; readonly wrod?: string }) =>
			api.engine.executions.submit({ action: "default.probe", parameters }, principal);
		await assert.rejects(submit({}), { code: "SVC_INVALID", message: /word/ });
		await assert.rejects(submit({ word: "a", wrod: "b" }), { code: "SVC_INVALID", message: /wrod/ });
		const { entity } = await submit({ word: "a" });
		assert.deepEqual((await api.settled(entity.id)).result, { word: "a" });
	}));

test("a cancel over a node without a worker reaches the worker at once", () =>
	withNodes(async ({ startNode }) => {
		const api = await startNode({ only: ["api"], options: { scheduler: { lease: 60 } } });
		await startNode({ only: ["worker"], options: { scheduler: { lease: 60 } } });
		const { id } = await api.submit({ outcome: "hang" });
		await api.settled(id, "running");
		await api.engine.executions.cancel(id, principal);
		assert.equal((await within(5, api.settled(id))).status, "canceled");
	}));

test("events of a node without rules are looked at by one that has them, and its executions are run by a worker", () =>
	withNodes(async ({ startNode }) => {
		const api = await startNode({ only: ["api"] });
		await startNode({ only: ["rules"] });
		await startNode({ only: ["worker"] });
		await api.engine.triggers.types.create({ pack: "default", name: "happening" });
		const rule = {
			name: "one",
			pack: "default",
			trigger: { type: "default.happening" },
			action: { ref: "default.scripted" },
			enabled: true,
		};
		await api.engine.rules.create(rule, principal);
		const { instance } = await api.engine.dispatcher.dispatch({ trigger: "default.happening", payload: {} });
		const find = () => api.engine.executions.list({ filter: { trigger_instance_id: instance.id }, limit: 1 });
		await until(async () => (await find()).items[0]?.entity.status === "succeeded", "the rule's execution has succeeded");
		assert.equal((await api.engine.triggers.instances.get(instance.id)).status, "processed");
	}));

test("an action that is changed over one node runs as it is now over another", () =>
	withNodes(async ({ startNode }) => {
		const [one, other] = [await startNode({ only: ["api"] }), await startNode({ only: ["api"], eventBus: deafBus() })];
		await startNode({ only: ["worker"], options: { scheduler: { poll_interval: 0.02 } } });
		const run = async () => other.settled((await other.submit({}, { parameters: {} })).id);
		assert.equal((await run()).status, "succeeded");
		await one.engine.actions.update("default.scripted", { name: "scripted", runner_type: "scripted", enabled: false });
		await until(
			async () =>
				run().then(
					() => false,
					() => true,
				),
			"the other node refuses what is disabled",
			3,
		);
	}));

const everything = { runners: [], auth: { enable: false } } as const;

test("a part alone is refused on a storage or a bus for one process, which is named", async () => {
	await assert.rejects(startEngine({ only: ["api"], storage: memoryStorage(), eventBus: deafBus(), options: everything }), {
		code: "SVC_CONFIG",
		message: /^node\.only: other nodes must run auth, stream, worker, .*the storage "memory", .*hint: storage: knexStorage/,
	});
	const { createDoor } = createSharedStorage();
	await assert.rejects(startEngine({ only: ["worker"], storage: createDoor().plugin, eventBus: memoryBus(), options: everything }), {
		code: "SVC_CONFIG",
		message: /^node\.only: other nodes must run auth, api, .*the event bus "memory" reaches this process only; hint: event_bus: /,
	});
});

test.run();
