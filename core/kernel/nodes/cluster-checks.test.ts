import * as assert from "node:assert/strict";
import { test } from "uvu";
import { memoryBus } from "../../../plugins/event-bus-memory/index.ts";
import type { EventBusPlugin, NodeEntity } from "../../contract/index.ts";
import { deafBus } from "../../testing/engine/shared-bus.test-support.ts";
import { getSystemClock, toTimestamp } from "../basics/clock.ts";
import { createId } from "../basics/ids.ts";
import { lease, type NodesTest, withNodes } from "./nodes.test-support.ts";

const clock = getSystemClock();

/** A node of which only the record is left, about to run out. */
async function leaveRecord({ storage }: NodesTest, changes: Partial<NodeEntity> = {}): Promise<NodeEntity> {
	const now = toTimestamp(clock.now());
	const node: NodeEntity = {
		id: createId(clock),
		name: "gone",
		hostname: "host",
		pid: 1,
		version: "0.0.0",
		state: "ready",
		drain: false,
		running: 0,
		started_at: now,
		heartbeat_at: now,
		expires_at: toTimestamp(clock.now() + lease * 1_000_000),
		late_writes: 0,
		clock_offset: null,
		event_bus: "memory",
		event_bus_shared: false,
		roles: ["worker"],
		addresses: {},
		...changes,
	};
	await storage.insert("node", [node]);
	return node;
}

const pairs: readonly [first: () => EventBusPlugin, second: () => EventBusPlugin, whose: string][] = [
	[deafBus, memoryBus, 'this node\'s event bus "memory"'],
	[memoryBus, deafBus, 'its event bus "memory"'],
	[memoryBus, memoryBus, 'this node\'s event bus "memory"'],
];

for (const [first, second, whose] of pairs) {
	test(`a second node is refused beside a living one: ${first().name} and ${second().name}`, () =>
		withNodes(async ({ startNode, storage }) => {
			const { engine } = await startNode({ eventBus: first(), options: { node: { name: "first" } } });
			await assert.rejects(startNode({ eventBus: second() }), {
				code: "SVC_CONFIG",
				message: new RegExp(`^event_bus: node "first" \\(${engine.nodeId}, .* ${whose} reaches one process only; .* stop that node first$`),
			});
			const nodes = await storage.find("node", {});
			assert.deepEqual(
				nodes.map(({ id }) => id),
				[engine.nodeId],
			);
		}));
}

test("after a kill the same node starts again, once the record of the dead one has run out", () =>
	withNodes(async (test) => {
		await leaveRecord(test);
		const { engine } = await test.startNode({ eventBus: memoryBus() });
		assert.equal((await engine.nodes.get(engine.nodeId)).node.state, "ready");
	}));

test("of two nodes that start at once on buses for one process, one is refused and one goes on", () =>
	withNodes(async ({ startNode, storage }) => {
		const starts = await Promise.allSettled([startNode({ eventBus: memoryBus() }), startNode({ eventBus: memoryBus() })]);
		assert.deepEqual(starts.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
		assert.equal(await storage.count("node", {}), 1);
	}));

test("nodes on unlike buses go together", () =>
	withNodes(async (test) => {
		await leaveRecord(test, { event_bus: "other", event_bus_shared: true, expires_at: toTimestamp(clock.now() + 60_000_000) });
		const { engine } = await test.startNode();
		assert.equal((await engine.nodes.list()).length, 2);
	}));

test.run();
