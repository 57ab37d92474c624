// test-waits
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { SvcError } from "../../contract/index.ts";
import { createOtherWriter } from "../../testing/engine/other-writer.test-support.ts";
import { createSharedStorage } from "../../testing/engine/shared-storage.test-support.ts";
import { aborted, createScripted, type ScriptedSensor, type SensorEngine, startWith, until } from "./sensors.test-support.ts";

interface Node {
	readonly scripted: ScriptedSensor;
	readonly service: SensorEngine;
	readonly door: ReturnType<ReturnType<typeof createSharedStorage>["createDoor"]>;
	/** Calls fail from here on, as those of a node that has lost its network. */
	cut(isCut: boolean): void;
}

/** @param lease seconds; with a short one another node soon takes over, with a long one a busy machine loses nothing */
async function withNodes(count: number, use: (nodes: readonly Node[]) => Promise<void>, lease = 0.6): Promise<void> {
	const { createDoor, release } = createSharedStorage();
	const nodes: Node[] = [];
	try {
		for (let index = 0; index < count; index += 1) {
			const scripted = createScripted(aborted);
			let isCut = false;
			const door = createDoor(() => {
				if (isCut) throw new SvcError("SVC_UNAVAILABLE", "the storage cannot be reached");
			});
			const service = await startWith(scripted.plugin, {
				storage: door.plugin,
				eventBus: door.eventBus,
				options: { scheduler: { lease } },
			});
			nodes.push({
				scripted,
				service,
				door,
				cut(value) {
					isCut = value;
				},
			});
		}
		await use(nodes);
	} finally {
		for (const { service, door, cut } of nodes) {
			door.open();
			cut(false);
			await service.stop();
		}
		await release();
	}
}

const running = (nodes: readonly Node[]) => nodes.filter(({ scripted }) => scripted.active() === 1);

test("a storage that is away for a while is no failure of a sensor: what it asks for waits", () =>
	withNodes(
		1,
		async ([node]) => {
			await until(() => node?.scripted.active() === 1);
			const context = node?.scripted.runs[0];
			await context?.state.set("a", "1");
			node?.cut(true);
			const asked = Promise.all([context?.state.get("a"), context?.state.set("b", "2"), context?.state.list(), context?.triggers()]);
			// What is wrong with it counts where it is awaited, and must not end the process before.
			asked.catch(() => undefined);
			await new Promise((resolve) => setTimeout(resolve, 150));
			node?.cut(false);
			const [value] = await asked;
			assert.equal(value, "1");
			assert.equal(await context?.state.get("b"), "2");
			assert.equal(node?.scripted.runs.length, 1);
		},
		30,
	));

test("a sensor that another node has taken since it was read is left alone", async () => {
	const { createDoor, storage, release } = createSharedStorage();
	const other = createOtherWriter();
	const scripted = createScripted(aborted);
	const taken = { owner: "other", fence: "other", lease_expires_at: "2100-01-01T00:00:00.000000Z" };
	other.before("sensor", {}, async () => {
		for (const { id } of await storage.find("sensor", {})) await storage.update("sensor", id, taken);
	});
	const { plugin, eventBus } = createDoor(other.onCall);
	const service = await startWith(scripted.plugin, { storage: plugin, eventBus });
	try {
		await until(other.hasCome);
	} finally {
		await service.stop();
	}
	const [sensor] = await storage.find("sensor", {});
	await release();
	assert.deepEqual([sensor?.owner, scripted.runs.length], ["other", 0]);
});

test("of several nodes one runs a sensor, and another takes it over when that one stops", () =>
	withNodes(3, async (nodes) => {
		await until(() => running(nodes).length === 1);
		await new Promise((resolve) => setTimeout(resolve, 800));
		assert.equal(running(nodes).length, 1, "the lease is renewed");
		const [first] = running(nodes);
		await first?.service.stop();
		await until(() => running(nodes).length === 1);
		assert.notEqual(running(nodes)[0], first);
	}));

test("a node that stands still loses the sensor, and what it says afterwards does not count", () =>
	withNodes(2, async (nodes) => {
		await until(() => running(nodes).length === 1);
		const [still] = running(nodes) as [Node];
		const other = nodes.find((node) => node !== still) as Node;
		const [context] = still.scripted.runs;
		still.door.shut();
		await until(() => other.scripted.active() === 1);
		assert.equal((await other.service.sensor()).owner, other.service.engine.nodeId);
		await assert.rejects(context?.dispatch("tests.seen", { n: 1 }) ?? Promise.resolve(), { code: "SVC_CONFLICT" });
		await assert.rejects(context?.state.set("a", "1") ?? Promise.resolve(), { code: "SVC_CONFLICT" });
		still.door.open();
		await until(() => still.scripted.active() === 0);
		await new Promise((resolve) => setTimeout(resolve, 300));
		assert.equal(other.scripted.active(), 1);
		assert.equal((await other.service.sensor()).state, "running");
	}));

test("a node that cannot reach the storage ends the sensor when its lease is over, and takes it again later", () =>
	withNodes(1, async (nodes) => {
		await until(() => running(nodes).length === 1);
		const [node] = nodes as readonly [Node];
		node.cut(true);
		await until(() => node.scripted.active() === 0);
		node.cut(false);
		await until(() => node.scripted.active() === 1);
		assert.equal(node.scripted.most(), 1);
	}));

test("an event waits for the storage while the lease lasts", () =>
	withNodes(1, async (nodes) => {
		await until(() => running(nodes).length === 1);
		const [node] = nodes as readonly [Node];
		node.cut(true);
		const dispatching = node.scripted.runs[0]?.dispatch("tests.seen", { n: 1 });
		await new Promise((resolve) => setTimeout(resolve, 20));
		node.cut(false);
		assert.ok(await dispatching);
		assert.deepEqual(await node.service.payloads("tests.seen"), [{ n: 1 }]);
	}));

test("switching a sensor off over one node ends it on the other", () =>
	withNodes(2, async (nodes) => {
		await until(() => running(nodes).length === 1);
		const other = nodes.find((node) => node.scripted.active() === 0) as Node;
		await other.service.engine.sensorTypes.setEnabled("tests.watcher", false);
		await until(() => running(nodes).length === 0);
		await other.service.becomes(({ state }) => state === "stopped");
	}));

test.run();
