// test-timeout: 30
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { collectGarbage } from "../../core/testing/collect-garbage.test-support.ts";
import { createHub, type Hub } from "./hub.test-support.ts";
import type { Packet } from "./packet.ts";
import { type BusNode, readUntilLag, startBus } from "./shared-bus.test-support.ts";
import { SharedBus } from "./shared-bus.ts";

/** Milliseconds. */
const beat = 40;

interface Scene {
	readonly hub: Hub;
	startNode(changes?: { readonly echoes?: boolean; readonly beat?: number }): Promise<BusNode>;
}

function withHub(name: string, body: (scene: Scene) => Promise<void>): void {
	test(name, async () => {
		const hub = createHub();
		const nodes: BusNode[] = [];
		try {
			await body({
				hub,
				async startNode({ echoes = false, beat: ownBeat = beat } = {}) {
					const node = await startBus(new SharedBus(hub.createTransport({ echoes }), { beat: ownBeat }));
					nodes.push(node);
					return node;
				},
			});
		} finally {
			for (const { bus } of nodes) await bus.stop?.();
		}
	});
}

const numberOf = ({ body }: Packet) => Number(/"number":(-?\d+)/.exec(body)?.[1]);
const isEvents = ({ kind }: Packet) => kind === "events";

/** Publish in one tick each, so that each has a packet of its own. */
async function publishOneByOne({ bus }: BusNode, numbers: readonly number[]): Promise<void> {
	for (const number of numbers) {
		bus.publish("a", { number });
		await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
	}
}

async function readNumbers(events: Awaited<ReturnType<BusNode["subscribe"]>>, count: number): Promise<number[]> {
	const numbers: number[] = [];
	while (numbers.length < count) numbers.push(Number((await events.next()).value?.data["number"]));
	return numbers;
}

withHub("a packet that is lost tells the subscribers where the gap is", async ({ hub, startNode }) => {
	const [here, there] = [await startNode(), await startNode()];
	const events = await there.subscribe("a");
	hub.fault = (packet) => (isEvents(packet) && numberOf(packet) === 2 ? [] : [packet]);
	await publishOneByOne(here, [0, 1, 2, 3, 4]);
	assert.deepEqual(await readUntilLag(events), [0, 1]);
});

withHub("the loss of the last packet shows, although nothing follows it", async ({ hub, startNode }) => {
	const [here, there] = [await startNode(), await startNode()];
	const events = await there.subscribe("a");
	hub.fault = (packet) => (isEvents(packet) && numberOf(packet) === 1 ? [] : [packet]);
	await publishOneByOne(here, [0, 1]);
	assert.deepEqual(await readUntilLag(events), [0]);
});

withHub("packets that come twice or late are not delivered again", async ({ hub, startNode }) => {
	const [here, there] = [await startNode(), await startNode()];
	const events = await there.subscribe("a");
	const old: Packet[] = [];
	hub.fault = (packet) => {
		if (isEvents(packet)) old.push(packet);
		return [packet, packet, ...old.slice(0, -1)];
	};
	await publishOneByOne(here, [0, 1, 2, 3]);
	assert.deepEqual(await readNumbers(events, 4), [0, 1, 2, 3]);
	await publishOneByOne(there, [4]);
	assert.deepEqual(await readNumbers(events, 1), [4]);
});

withHub("two packets in the wrong order count as a gap, for the first of them comes too late", async ({ hub, startNode }) => {
	const [here, there] = [await startNode(), await startNode()];
	const events = await there.subscribe("a");
	let held: Packet | undefined;
	hub.fault = (packet) => {
		if (isEvents(packet) && numberOf(packet) === 1) held = packet;
		return packet === held ? [] : isEvents(packet) && held !== undefined ? [packet, held] : [packet];
	};
	await publishOneByOne(here, [0, 1, 2]);
	assert.deepEqual(await readUntilLag(events), [0]);
});

withHub("what was sent by a node that was cut off from its start shows when it comes", async ({ hub, startNode }) => {
	const there = await startNode();
	const events = await there.subscribe("a");
	hub.fault = () => [];
	const here = await startNode();
	await publishOneByOne(here, [0, 1]);
	// Beats of the others would be in time by now.
	await new Promise((resolve) => setTimeout(resolve, beat * 4));
	hub.fault = (packet) => [packet];
	assert.deepEqual(await readUntilLag(events), []);
});

withHub("a node that comes later is not told of what was before it", async ({ startNode }) => {
	const here = await startNode();
	await publishOneByOne(here, [0, 1, 2]);
	const there = await startNode();
	const events = await there.subscribe("a");
	await publishOneByOne(here, [3, 4]);
	assert.deepEqual(await readNumbers(events, 2), [3, 4]);
});

withHub("after a lost connection every subscriber is told, and what was published meanwhile arrives afterwards", async (scene) => {
	const { hub, startNode } = scene;
	const [here, there] = [await startNode(), await startNode()];
	const [own, other] = [await here.subscribe("a"), await there.subscribe("a")];
	hub.isUp = false;
	hub.cut();
	await here.logged(/has no connection/);
	await there.logged(/has no connection/);
	const late = await there.subscribe("a");
	here.bus.publish("a", { number: 1 });
	hub.isUp = true;
	assert.deepEqual(await readUntilLag(own), [1]);
	// It may have come back before the other one has sent what waited.
	for (const events of [other, late]) assert.ok((await readUntilLag(events)).length <= 1);
	const again = await there.subscribe("a");
	here.bus.publish("a", { number: 2 });
	const [first = 0] = await readNumbers(again, 1);
	if (first === 1) assert.deepEqual(await readNumbers(again, 1), [2]);
	else assert.equal(first, 2);
});

withHub("what could not be sent is sent again, and arrives once", async ({ hub, startNode }) => {
	const [here, there] = [await startNode(), await startNode()];
	const events = await there.subscribe("a");
	let failures = 0;
	hub.fault = (packet) => {
		// The packet has arrived, the answer is lost.
		if (isEvents(packet) && failures < 2) {
			failures += 1;
			hub.refusal = new Error("no answer");
			setTimeout(() => (hub.refusal = undefined), 10);
		}
		return [packet];
	};
	await publishOneByOne(here, [0, 1, 2]);
	assert.deepEqual(await readNumbers(events, 3), [0, 1, 2]);
});

withHub("what the server refuses for ever is given up, and receivers are told", async ({ hub, startNode }) => {
	const [here, there] = [await startNode({ beat: 60_000 }), await startNode({ beat: 60_000 })];
	const events = await there.subscribe("a");
	await publishOneByOne(here, [0]);
	await readNumbers(events, 1);
	hub.refusal = new Error("refused");
	here.bus.publish("a", { number: 1 });
	assert.equal((await here.logged(/has no connection/)).fields["reason"], "refused");
	hub.refusal = undefined;
	here.bus.publish("a", { number: 2 });
	assert.deepEqual(await readUntilLag(events), []);
});

withHub("while nothing can be sent memory is bounded: the older half is dropped, told of once, and shows as a gap", async (scene) => {
	const { hub, startNode } = scene;
	const [here, there] = [await startNode(), await startNode()];
	const events = await there.subscribe("a");
	await publishOneByOne(here, [0]);
	let release = () => {};
	hub.hold = new Promise((resolve) => {
		release = resolve;
	});
	const before = collectGarbage();
	const text = "x".repeat(1_000);
	for (let number = 1; number < 200_000; number += 1) here.bus.publish("a", { number, text });
	assert.ok(collectGarbage() - before < 150_000_000);
	hub.hold = undefined;
	release();
	assert.ok((await readUntilLag(events)).length < 2_000);
	assert.equal(here.lines.filter(({ message }) => /are not sent/.test(message)).length, 1);
	hub.cut();
	assert.ok(Number((await here.logged(/were not sent/)).fields["count"]) > 150_000);
});

withHub("one event above 16 MiB is not sent, and receivers are told at its place", async ({ startNode }) => {
	const [here, there] = [await startNode(), await startNode()];
	const events = await there.subscribe("a");
	here.bus.publish("a", { number: 0 });
	here.bus.publish("a", { number: 1, text: "x".repeat(17 * 1_048_576) });
	here.bus.publish("a", { number: 2 });
	assert.deepEqual(await readUntilLag(events), [0]);
});

withHub("data that is not JSON never throws; receivers are told that it is missing", async ({ startNode }) => {
	const [here, there] = [await startNode(), await startNode()];
	const events = await there.subscribe("a");
	const circle: Record<string, unknown> = {};
	circle["circle"] = circle;
	await publishOneByOne(here, [0]);
	here.bus.publish("a", circle);
	here.bus.publish("a", { big: 1n });
	assert.deepEqual(await readUntilLag(events), [0]);
	assert.match(String((await here.logged(/are not sent/)).fields["reason"]), /"a" is not JSON/);
});

withHub("what is published in one tick travels together", async ({ hub, startNode }) => {
	const [here, there] = [await startNode(), await startNode()];
	const events = await there.subscribe("a");
	for (let number = 0; number < 20; number += 1) here.bus.publish("a", { number });
	await readNumbers(events, 20);
	assert.equal(hub.sent.filter(isEvents).length, 1);
});

withHub("a connection that does not bring back what is sent is made anew", async ({ hub, startNode }) => {
	const here = await startNode({ echoes: true });
	hub.fault = () => [];
	assert.match(String((await here.logged(/has no connection/)).fields["reason"]), /are not received/);
});

withHub("messages that cannot be read harm nobody", async ({ hub, startNode }) => {
	const [here, there] = [await startNode(), await startNode()];
	const events = await there.subscribe("a");
	hub.fault = (packet) => (isEvents(packet) && numberOf(packet) === 1 ? [{ ...packet, body: '"a"\n{"number":' }] : [packet]);
	await publishOneByOne(here, [0, 1, 2]);
	assert.deepEqual(await readUntilLag(events), [0]);
	await there.logged(/cannot be read/);
	const again = await there.subscribe("a");
	await publishOneByOne(here, [3]);
	assert.deepEqual(await readNumbers(again, 1), [3]);
});

withHub("a start without a server ends soon, and the bus connects when there is one", async ({ hub, startNode }) => {
	hub.isUp = false;
	const here = await startNode();
	await here.logged(/has no connection/);
	const events = await here.subscribe("a");
	here.bus.publish("a", { number: 0 });
	assert.deepEqual(await readNumbers(events, 1), [0]);
	hub.isUp = true;
	await here.logged(/connected/);
	assert.deepEqual(await readUntilLag(events), []);
	assert.equal(here.lines.filter(({ level }) => level === "warn").length, 1);
});

test.run();
