// test-waits
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { defineRunner, type ExecutionEntity, type TriggerInstanceEntity, type WriteOperation } from "../../contract/index.ts";
import { principal, startEngine } from "../../testing/engine/engine.test-support.ts";
import { createSettableClock } from "../../testing/engine/settable-clock.test-support.ts";
import { lease, until, withNodes } from "../nodes/nodes.test-support.ts";

const pause = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1_000));

/** Longer than in other tests: a lease that runs out because the machine is busy would say nothing about clocks. */
const longLease = 2;

test("nodes whose clocks are off, ahead or behind, end no run of others, and say that they are off", () =>
	withNodes(async ({ startNode }) => {
		const options = { scheduler: { lease: longLease } };
		const busy = await startNode({ options });
		const { id } = await busy.submit({ outcome: "hang" });
		const running = await busy.settled(id, "running");
		for (const seconds of [30, -30, 3_600, -3_600]) {
			const wrong = await startNode({ options, clock: createSettableClock(seconds) });
			assert.deepEqual((await wrong.engine.readiness()).warnings, ["clock"]);
			const { node } = await busy.engine.nodes.get(wrong.engine.nodeId);
			assert.ok(Math.abs((node.clock_offset ?? 0) - seconds) < 2, String(node.clock_offset));
			// Its own work goes by the storage's time as well.
			const { id: own } = await wrong.submit();
			assert.equal((await wrong.settled(own)).status, "succeeded");
		}
		await pause(longLease * 2);
		const after = await busy.settled(id, "running");
		assert.deepEqual([after.owner, after.fence], [running.owner, running.fence]);
		assert.deepEqual((await busy.engine.readiness()).warnings, []);
		await busy.engine.executions.cancel(id, principal);
		await busy.settled(id);
	}));

test("a node whose clock is off takes over nothing, and does once it is right", () =>
	withNodes(async ({ startNode, storage }) => {
		const clock = createSettableClock(10);
		const node = await startNode({ clock });
		const { id } = await node.submit({}, { delay: 60_000 });
		const left: Partial<ExecutionEntity> = {
			status: "running",
			owner: "gone",
			fence: "gone",
			lease_expires_at: "2020-01-01T00:00:00.000000Z",
		};
		await storage.update("execution", id, left);
		await pause(lease * 3);
		assert.equal((await node.engine.executions.get(id)).entity.status, "running");
		clock.set(0);
		assert.equal((await node.settled(id)).status, "abandoned");
		assert.deepEqual((await node.engine.readiness()).warnings, []);
	}));

test("a node that cannot reach its storage ends what it runs when its lease ends", () =>
	withNodes(async ({ startNode }) => {
		let abortedAt = 0;
		const patient = defineRunner("patient", () => ({
			description: "Waits until it is ended.",
			capabilities: { cancellation: true },
			parameters: {},
			run: ({ signal }) =>
				new Promise((resolve) => {
					signal.addEventListener("abort", () => {
						abortedAt = performance.now();
						resolve({ succeeded: false, result: {} });
					});
				}),
		}))();
		const node = await startNode({ runners: [patient] });
		await node.engine.actions.create({ name: "patient", runner_type: "patient" });
		const { id } = await node.submit({}, { action: "default.patient" });
		await node.settled(id, "running");
		const cutAt = performance.now();
		// Nothing is answered any more, as behind a network that swallows everything.
		node.door.shut();
		await until(() => abortedAt > 0, "the run is ended");
		assert.ok(abortedAt > cutAt);
	}));

test("output is stored before the end of a run or not at all, whoever has ended it while the write was on its way", () =>
	withNodes(async ({ startNode, storage }) => {
		let say = () => {};
		const talker = defineRunner("talker", () => ({
			description: "Says something when it may.",
			capabilities: { streaming: true },
			parameters: {},
			async run({ emit }) {
				await new Promise<void>((resolve) => {
					say = resolve;
				});
				await emit("stdout", "late\n");
				return { succeeded: true, result: {} };
			},
		}))();
		let id = "";
		let isEnded = false;
		const holdsOutput = (operations: unknown) =>
			Array.isArray(operations) &&
			(operations as WriteOperation[]).some((operation) => "insert" in operation && operation.insert === "output_chunk");
		const node = await startNode({
			runners: [talker],
			// Another node takes the run over after this one has decided to write, and before it does.
			async onCall(method, [first]) {
				if (isEnded || !(method === "insert" ? first === "output_chunk" : method === "write" && holdsOutput(first))) return;
				isEnded = true;
				await storage.update("execution", id, { status: "abandoned", owner: null, fence: null, lease_expires_at: null });
			},
		});
		await node.engine.actions.create({ name: "talker", runner_type: "talker" });
		id = (await node.submit({}, { action: "default.talker" })).id;
		await node.settled(id, "running");
		say();
		await until(() => isEnded, "the output was to be stored");
		await pause(lease);
		assert.equal((await storage.get("execution", id))?.status, "abandoned");
		assert.equal(await storage.count("output_chunk", { execution_id: id }), 0);
	}));

test("a clock that is set back holds up nothing on a single node", async () => {
	const clock = createSettableClock();
	const node = await startEngine({ clock, options: { scheduler: { poll_interval: 0.05 } } });
	const { engine, storage, submit, settled, stop } = node;
	try {
		const types = [
			{ type: "core.svc.IntervalTimer", parameters: { unit: "seconds", delta: 1 } },
			{ type: "core.svc.CronTimer", parameters: { second: "*" } },
		];
		for (const timer of types) await engine.triggers.triggers.create(timer);
		const firedOf = async (type: string) =>
			(await storage.find("trigger_instance", { where: { trigger_type: type } })) as TriggerInstanceEntity[];
		for (const { type } of types) await until(async () => (await firedOf(type)).length > 0, `${type} has fired`);
		const { id } = await submit({}, { delay: 500 });
		clock.set(-3_600);
		const before = new Map<string, number>();
		for (const { type } of types) before.set(type, (await firedOf(type)).length);
		assert.equal((await settled(id)).status, "succeeded");
		for (const { type } of types) await until(async () => (await firedOf(type)).length > (before.get(type) ?? 0) + 1, `${type} goes on`);
		// What has fired once does not fire again when the clock comes to the same time again.
		const all = (await Promise.all(types.map(({ type }) => firedOf(type)))).flat();
		assert.equal(new Set(all.map(({ unique_key }) => unique_key)).size, all.length);
	} finally {
		await stop();
	}
});

test.run();
