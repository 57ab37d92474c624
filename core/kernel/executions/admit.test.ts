import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { ExecutionEntity, WriteOperation } from "../../contract/index.ts";
import { createSharedBus } from "../../testing/engine/shared-bus.test-support.ts";
import type { OnCall } from "../../testing/engine/shared-storage.test-support.ts";
import { until, withNodes } from "../nodes/nodes.test-support.ts";
import { eventNames, toEventEntity } from "./execution-events.ts";

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

test("everybody is told of each state of what is stored once, in order", () =>
	withNodes(async ({ startNode }) => {
		const bus = createSharedBus();
		const node = await startNode({ eventBus: bus, options });
		await node.settled((await node.submit()).id);
		const controller = new AbortController();
		const names = [eventNames.executionCreate, eventNames.executionUpdate];
		const events = await bus.create().subscribe(names, { signal: controller.signal });
		const { id } = await node.submit();
		const seen: string[] = [];
		for await (const event of events) {
			const entity = toEventEntity(event);
			if (entity.id !== id) continue;
			assert.equal(entity.log.at(-1)?.status, entity.status);
			seen.push(`${event.name === eventNames.executionCreate ? "created" : "updated"} ${entity.status}`);
			if (entity.end_timestamp !== null) break;
		}
		controller.abort();
		assert.deepEqual(seen, ["created requested", "updated scheduled", "updated running", "updated succeeded"]);
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

test("a wait for the storage that is longer than the lease: what was stored as running begins if it is still this node's", () =>
	withNodes(async ({ startNode, storage }) => {
		for (const isTaken of [false, true]) {
			let isOn = false;
			const slowly: OnCall = async (method, [first, id]) => {
				if (!isOn) return;
				if (method === "write" && JSON.stringify(first).includes('"requested"')) await new Promise((resolve) => setTimeout(resolve, 400));
				// Just before this node asks whether it still has it.
				if (method === "update" && first === "execution" && isTaken) {
					await storage.update("execution", String(id), { fence: "another's", owner: "another" });
				}
			};
			const node = await startNode({ onCall: slowly, options: { scheduler: { lease: 0.3 } } });
			await node.settled((await node.submit()).id);
			isOn = true;
			const { id } = await node.submit();
			if (isTaken) {
				await until(async () => (await storage.get("execution", id))?.owner === "another", "it has been taken");
				assert.equal((await storage.get("execution", id))?.status, "running");
			} else assert.equal((await node.settled(id)).status, "succeeded");
			isOn = false;
		}
	}));

test.run();
