import * as assert from "node:assert/strict";
import { test } from "uvu";
import { defineRunner, type ExecutionEntity, type JsonObject, type WriteOperation } from "../../contract/index.ts";
import { principal } from "../../testing/engine/engine.test-support.ts";
import { createSharedBus } from "../../testing/engine/shared-bus.test-support.ts";
import type { OnCall } from "../../testing/engine/shared-storage.test-support.ts";
import { getSystemClock, toTimestamp } from "../basics/clock.ts";
import { eventNames, readEventExecution } from "../executions/execution-events.ts";
import { until, withNodes } from "../nodes/nodes.test-support.ts";

/** Writes that concern executions, as the statuses that they store. */
function createWatch() {
	const watch = { stored: [] as string[], isOn: false };
	const onCall: OnCall = (method, [first]) => {
		if (!watch.isOn || method !== "write") return;
		for (const operation of first as readonly WriteOperation[]) {
			if ("insert" in operation && operation.insert === "execution") watch.stored.push(...operation.entities.map(({ status }) => status));
			if ("update" in operation && operation.update === "execution") watch.stored.push(String(operation.patch.status));
		}
	};
	return { watch, onCall };
}

const allStates = ["requested", "scheduled", "running", "succeeded"];
const statesOf = ({ log }: ExecutionEntity) => log.map(({ status }) => status);
/** Nothing is taken over by itself while a test lasts. */
const options = { scheduler: { lease: 20 } };

test("what can begin at once is stored as running with its first write, and shows every state at its time", () =>
	withNodes(async ({ startNode }) => {
		const { watch, onCall } = createWatch();
		const node = await startNode({ onCall, options });
		await node.settled((await node.submit()).id);
		watch.isOn = true;
		const requested = await node.submit();
		assert.deepEqual(statesOf(requested), ["requested"], "the answer tells what was asked for");
		const ended = await node.settled(requested.id);
		assert.deepEqual(watch.stored, ["running", "succeeded"]);
		assert.deepEqual(statesOf(ended), allStates);
		const times = ended.log.map(({ timestamp }) => timestamp);
		assert.deepEqual(times, [...times].sort());
		assert.equal(ended.attempt, 1);
	}));

/** Has its result without a run, unless it is told to fail; counts the runs. */
function createInstant() {
	const counts = { runs: 0 };
	const plugin = defineRunner("instant", () => ({
		description: "Says what it was given.",
		parameters: { said: { type: "string", default: "" }, fail: { type: "string", enum: ["", "at once", "throw"], default: "" } },
		capabilities: {},
		async run({ runnerParameters: { said, fail } }) {
			counts.runs += 1;
			return { succeeded: fail === "", result: { said } };
		},
		runAtOnce({ runnerParameters: { said, fail } }) {
			if (fail === "throw") throw new Error("cannot be told");
			return { succeeded: fail === "", result: { said } };
		},
	}))();
	return { counts, plugin };
}

test("what has its result without a run is stored once, as it has ended, and takes nobody's place", () =>
	withNodes(async ({ startNode }) => {
		const { watch, onCall } = createWatch();
		const { counts, plugin } = createInstant();
		const node = await startNode({ onCall, runners: [plugin], options: { ...options, actionrunner: { actions_pool_size: 1 } } });
		await node.engine.actions.create({ name: "instant", runner_type: "instant" });
		const start = (parameters: JsonObject) => node.submit(parameters, { action: "default.instant" });
		await node.settled((await start({})).id);
		watch.isOn = true;
		counts.runs = 0;
		const all = await Promise.all(["a", "b", "c"].map((said) => start({ said })));
		for (const [index, requested] of all.entries()) {
			assert.deepEqual(statesOf(requested), ["requested"]);
			const ended = await node.settled(requested.id);
			assert.deepEqual(statesOf(ended), allStates);
			assert.deepEqual(ended.result, { said: ["a", "b", "c"][index] });
			assert.deepEqual([ended.attempt, ended.owner, ended.fence, ended.lease_expires_at], [1, null, null, null]);
			assert.equal(ended.end_timestamp, ended.log.at(-1)?.timestamp);
		}
		const hanging = await node.submit({ outcome: "hang" });
		await node.settled(hanging.id, "running");
		watch.stored.length = 0;
		counts.runs = 0;
		await node.settled((await start({})).id);
		assert.deepEqual([watch.stored, counts.runs], [["succeeded"], 0]);
		await node.engine.executions.cancel(hanging.id, principal);
		await node.settled(hanging.id);
		// Whatever is no plain success is run, so that its end is recorded as any other.
		for (const fail of ["at once", "throw"]) {
			watch.stored.length = 0;
			assert.equal((await node.settled((await start({ fail })).id)).status, "failed");
			assert.deepEqual(watch.stored, ["running", "failed"]);
		}
		assert.equal(counts.runs, 2);
	}));

test("a result without a run is not waited for long: the execution is run instead", () =>
	withNodes(async ({ startNode }) => {
		const { watch, onCall } = createWatch();
		const { counts, plugin } = createInstant();
		const stuck = { ...plugin, create: () => ({ ...plugin.create(), runAtOnce: () => new Promise<never>(() => {}) }) };
		const node = await startNode({ onCall, runners: [stuck], options });
		await node.engine.actions.create({ name: "instant", runner_type: "instant" });
		watch.isOn = true;
		const ended = await node.settled((await node.submit({}, { action: "default.instant" })).id);
		assert.deepEqual([ended.status, watch.stored, counts.runs], ["succeeded", ["running", "succeeded"], 1]);
	}));

test("where nothing begins, what has its result without a run waits for a node where something does", () =>
	withNodes(async ({ startNode }) => {
		const { watch, onCall } = createWatch();
		const { plugin } = createInstant();
		const node = await startNode({ onCall, runners: [plugin], only: ["api"], options });
		await node.engine.actions.create({ name: "instant", runner_type: "instant" });
		watch.isOn = true;
		const { id } = await node.submit({}, { action: "default.instant" });
		assert.deepEqual(watch.stored, ["requested"]);
		const other = await startNode({ runners: [plugin], options });
		assert.equal((await other.settled(id)).status, "succeeded");
	}));

for (const [action, startsInline] of [
	["scripted", true],
	["scripted", false],
	["instant", true],
	["instant", false],
] as const) {
	const how = startsInline ? "started inline" : "stored first";
	test(`each state of an execution is published, in order: ${action}, ${how}`, () =>
		withNodes(async ({ startNode }) => {
			const bus = createSharedBus();
			const node = await startNode({ startsInline, eventBus: bus, runners: [createInstant().plugin], options });
			await node.engine.actions.create({ name: "instant", runner_type: "instant" });
			const start = () => node.submit({}, { action: `default.${action}` });
			await node.settled((await start()).id);
			const controller = new AbortController();
			const names = [eventNames.executionCreate, eventNames.executionUpdate];
			const events = await bus.create().subscribe(names, { signal: controller.signal });
			const { id } = await start();
			const seen: string[] = [];
			for await (const event of events) {
				const entity = readEventExecution(event);
				if (entity.id !== id) continue;
				assert.equal(entity.log.at(-1)?.status, entity.status);
				seen.push(`${event.name === eventNames.executionCreate ? "created" : "updated"} ${entity.status}`);
				if (entity.end_timestamp !== null) break;
			}
			controller.abort();
			assert.deepEqual(seen, ["created requested", "updated scheduled", "updated running", "updated succeeded"]);
		}));
}

/** An execution without its ids, times and process. */
function toComparable(execution: ExecutionEntity) {
	const { id, liveaction_id, trace_id, context, start_timestamp, end_timestamp, due_timestamp, elapsed_seconds, log, ...rest } = execution;
	assert.deepEqual([rest.owner, rest.fence, rest.lease_expires_at, rest.token_hash], [null, null, null, null]);
	return { ...rest, hasEnd: end_timestamp !== null, hasDuration: elapsed_seconds !== null, states: log.map(({ status }) => status) };
}

test("an execution has the same record, whether it is started inline or stored first", () =>
	withNodes(async ({ startNode }) => {
		const requests = [
			[{ lines: ["a"], secret: "hush-hush" }, "default.scripted"],
			[{ outcome: "fail" }, "default.scripted"],
			[{ outcome: "throw" }, "default.scripted"],
			[{ said: "a" }, "default.instant"],
			[{ fail: "at once" }, "default.instant"],
			[{ fail: "throw" }, "default.instant"],
		] as const;
		const records: unknown[][] = [];
		for (const startsInline of [true, false]) {
			const { watch, onCall } = createWatch();
			const node = await startNode({ startsInline, onCall, runners: [createInstant().plugin], options });
			await node.engine.actions.create({ name: "instant", runner_type: "instant" }).catch(() => undefined);
			watch.isOn = true;
			const ended: ExecutionEntity[] = [];
			for (const [parameters, action] of requests) ended.push(await node.settled((await node.submit(parameters, { action })).id));
			assert.equal(watch.stored.includes("requested"), !startsInline);
			records.push(ended.map(toComparable));
			await node.stop();
		}
		assert.deepEqual(records[0], records[1]);
	}));

test("what its run needs and is not at hand is not waited for long: it is stored as claimed, and begins later", () =>
	withNodes(async ({ startNode }) => {
		const { watch, onCall } = createWatch();
		const slowly: OnCall = async (method, values) => {
			await onCall(method, values);
			const isOfRun = method === "find" && values[0] === "runner_type" && JSON.stringify(values[1]).includes('"enabled"');
			if (watch.isOn && isOfRun) await new Promise((resolve) => setTimeout(resolve, 100));
		};
		const node = await startNode({ onCall: slowly, options });
		await node.settled((await node.submit()).id);
		// Another node may have changed what is known of actions.
		await new Promise((resolve) => setTimeout(resolve, 1_050));
		watch.isOn = true;
		await node.settled((await node.submit()).id);
		assert.deepEqual(watch.stored, ["scheduled", "running", "succeeded"]);
	}));

test("a wait for the storage that is longer than the lease: what was stored as running begins if it is still this node's", async () => {
	// There is one node at a time: another would end an execution whose lease has expired.
	for (const isTaken of [false, true]) {
		await withNodes(async ({ startNode, storage }) => {
			let isOn = false;
			let isStoredAsRunning = false;
			const slowly: OnCall = async (method, [first, id]) => {
				if (!isOn) return;
				if (method === "write" && JSON.stringify(first).includes('"requested"')) {
					isStoredAsRunning = JSON.stringify(first).includes('"status":"running","');
					await new Promise((resolve) => setTimeout(resolve, 400));
				}
				// Just before this node asks whether it still has it.
				if (method === "update" && first === "execution" && isTaken) {
					const lease_expires_at = toTimestamp(getSystemClock().now() + 60_000_000);
					await storage.update("execution", String(id), { fence: "another's", owner: "another", lease_expires_at });
				}
			};
			const node = await startNode({ onCall: slowly, options: { scheduler: { lease: 0.3 } } });
			await node.settled((await node.submit()).id);
			isOn = true;
			let { id } = await node.submit();
			// On a busy machine, preparing a run may take longer than an inline start waits for it.
			while (!isStoredAsRunning) {
				await node.settled(id);
				({ id } = await node.submit());
			}
			if (isTaken) {
				await until(async () => (await storage.get("execution", id))?.owner === "another", "it has been taken");
				assert.equal((await storage.get("execution", id))?.status, "running");
			} else assert.equal((await node.settled(id)).status, "succeeded");
		});
	}
});

test.run();
