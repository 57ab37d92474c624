import * as assert from "node:assert/strict";
import { test } from "uvu";
import { defineSensor } from "../../contract/index.ts";
import { principal } from "../../testing/engine/engine.test-support.ts";
import { deafBus } from "../../testing/engine/shared-bus.test-support.ts";
import { type TestNode, until, within, withNodes } from "./nodes.test-support.ts";

const stateOf = async (asked: TestNode, { engine }: TestNode) => (await asked.engine.nodes.get(engine.nodeId)).node.state;
const hasState = (asked: TestNode, node: TestNode, state: string) =>
	until(async () => (await stateOf(asked, node)) === state, `the node is ${state}`);

test("a drained node lets its runs go on to their end and takes on nothing new until it is told to", () =>
	withNodes(async ({ startNode }) => {
		const api = await startNode({ only: ["api"] });
		const worker = await startNode({ only: ["worker"], options: { scheduler: { poll_interval: 0.02 } } });
		const { id } = await api.submit({ outcome: "hang" });
		await api.settled(id, "running");
		const { id: later } = await api.submit({ outcome: "hang" });
		await api.settled(later, "running");
		await api.engine.nodes.setDrain(worker.engine.nodeId, true);
		await hasState(api, worker, "draining");
		assert.deepEqual((await worker.engine.readiness()).reasons, ["draining"]);
		const waiting = await api.submit();
		await new Promise((resolve) => setTimeout(resolve, 200));
		assert.equal((await api.engine.executions.get(waiting.id)).entity.status, "requested");
		assert.equal((await api.settled(id, "running")).owner, worker.engine.nodeId);
		assert.deepEqual(
			(await api.engine.nodes.running(worker.engine.nodeId)).map((execution) => execution.id),
			[later, id],
			"newest first",
		);
		for (const one of [later, id]) await api.engine.executions.cancel(one, principal);
		await hasState(api, worker, "drained");
		assert.deepEqual(await worker.engine.readiness(), { ready: false, reasons: ["drained"], warnings: [] });
		await api.engine.nodes.setDrain(worker.engine.nodeId, false);
		assert.equal((await within(5, api.settled(waiting.id))).status, "succeeded");
		assert.deepEqual(await worker.engine.readiness(), { ready: true, reasons: [], warnings: [] });
		await hasState(api, worker, "ready");
	}));

test("without the bus a node obeys at its next heartbeat", () =>
	withNodes(async ({ startNode }) => {
		const api = await startNode({ only: ["api"], eventBus: deafBus() });
		const worker = await startNode({ only: ["worker"], eventBus: deafBus() });
		await api.engine.nodes.setDrain(worker.engine.nodeId, true);
		await hasState(api, worker, "drained");
	}));

test("another node takes the sensors and the timers of one that is drained", () =>
	withNodes(async ({ startNode }) => {
		const running = new Set<string>();
		const createSensor = (name: string) =>
			defineSensor("watcher", () => ({
				description: "Watches.",
				trigger_types: [],
				run: ({ signal }) =>
					new Promise<void>((resolve) => {
						running.add(name);
						signal.addEventListener("abort", () => {
							running.delete(name);
							resolve();
						});
					}),
			}))();
		const one = await startNode({ options: { sensors: [createSensor("one")] } });
		await until(() => running.has("one"), "the first node runs it");
		const other = await startNode({ options: { sensors: [createSensor("other")] } });
		await other.engine.nodes.setDrain(one.engine.nodeId, true);
		await until(() => running.has("other") && !running.has("one"), "the other node runs it");
		await other.engine.nodes.setDrain(one.engine.nodeId, false);
		await other.engine.nodes.setDrain(other.engine.nodeId, true);
		await until(() => running.has("one") && !running.has("other"), "the first node runs it again");
		assert.deepEqual([...running], ["one"]);
	}));

test("a node that was stopped is not listed, one that was killed is gone, and its name finds the one that lives", () =>
	withNodes(async ({ startNode, storage }) => {
		const named = { node: { name: "blue" } };
		const [one, other, third] = [await startNode(), await startNode({ options: named }), await startNode({ options: named })];
		assert.equal((await one.engine.nodes.list()).length, 3);
		await assert.rejects(one.engine.nodes.get("blue"), {
			code: "SVC_INVALID",
			message: /several nodes have the name "blue"; give one of the ids/,
		});
		await other.stop();
		assert.equal((await one.engine.nodes.list()).length, 2);
		const dead = {
			...(await one.engine.nodes.get(third.engine.nodeId)).node,
			id: "0".repeat(24),
			expires_at: "2020-01-01T00:00:00.000000Z",
		};
		await storage.insert("node", [dead]);
		assert.equal((await one.engine.nodes.get("blue")).node.id, third.engine.nodeId);
		assert.equal((await one.engine.nodes.get(dead.id)).isAlive, false);
		await assert.rejects(one.engine.nodes.setDrain(dead.id, true), { code: "SVC_INVALID", message: /is gone and accepts no work/ });
		await until(async () => (await one.engine.nodes.list()).length === 2, "what has been gone for long is removed");
		await assert.rejects(one.engine.nodes.get("green"), { code: "SVC_NOT_FOUND" });
	}));

test("a node that others took for gone makes itself known again", () =>
	withNodes(async ({ startNode, storage }) => {
		const { engine } = await startNode();
		await storage.remove("node", { where: {} });
		await until(async () => (await storage.get("node", engine.nodeId))?.state === "ready", "it is there again");
	}));

test("groups are the roles of living nodes, and members those that have them", () =>
	withNodes(async ({ startNode }) => {
		const api = await startNode({ only: ["api", "stream"] });
		await startNode({ only: ["worker"] });
		assert.deepEqual(await api.engine.nodes.groups(), ["api", "stream", "worker"]);
		assert.equal((await api.engine.nodes.members("worker")).length, 1);
		assert.deepEqual(await api.engine.nodes.members("timers"), []);
		await assert.rejects(api.engine.nodes.members("drummers"), { code: "SVC_NOT_FOUND", message: /groups: auth, api/ });
	}));

test("an engine that is told to stop takes on nothing from that moment, though something of it hangs", () =>
	withNodes(async ({ startNode }) => {
		const node = await startNode({ options: { scheduler: { poll_interval: 0.01 } } });
		const { id } = await node.submit({ outcome: "hang" });
		await node.settled(id, "running");
		const other = await startNode({ only: ["api"] });
		const stopping = node.engine.drain();
		assert.deepEqual((await node.engine.readiness()).reasons, ["stopping"]);
		const later = await other.submit();
		await new Promise((resolve) => setTimeout(resolve, 150));
		assert.equal((await other.engine.executions.get(later.id)).entity.status, "requested");
		assert.equal((await other.settled(id, "running")).status, "running", "its runs have their grace");
		await node.engine.abort();
		await stopping;
		assert.equal((await other.settled(id)).status, "abandoned");
	}));

test.run();
