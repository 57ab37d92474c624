import * as assert from "node:assert/strict";
import { test } from "uvu";
import { type EventBus, isSvcError } from "../../core/contract/index.ts";
import { testEventBus } from "../../core/testing/event-bus-suite.ts";
import { memoryBus } from "./index.ts";

testEventBus({ test, name: "memory bus", create: async () => memoryBus().create() });

async function withBus(run: (bus: EventBus) => Promise<void>): Promise<void> {
	const bus = memoryBus().create();
	try {
		await run(bus);
	} finally {
		await bus.stop?.();
	}
}

test("two buses in one process share no event", async () => {
	await withBus((first) =>
		withBus(async (second) => {
			const events = await first.subscribe(["*"], { signal: new AbortController().signal });
			second.publish("a", { from: "second" });
			first.publish("a", { from: "first" });
			for await (const event of events) {
				assert.equal(event.data["from"], "first");
				break;
			}
		}),
	);
});

test("a filter that throws fails its own subscriber only", async () => {
	await withBus(async (bus) => {
		const { signal } = new AbortController();
		const filter = () => {
			throw new Error("bad filter");
		};
		const broken = await bus.subscribe(["a"], { signal, filter });
		const sound = await bus.subscribe(["a"], { signal });
		bus.publish("a", { number: 1 });
		await assert.rejects(async () => {
			for await (const event of broken) assert.fail(event.name);
		}, /bad filter/);
		for await (const event of sound) {
			assert.equal(event.data["number"], 1);
			break;
		}
	});
});

test("a * that is not at the end is refused with the name", async () => {
	await withBus(async (bus) => {
		const subscribed = bus.subscribe(["a*b"], { signal: new AbortController().signal });
		await assert.rejects(subscribed, (error) => isSvcError(error, "SVC_INVALID") && error.message.includes('"a*b"'));
	});
});

test("subscribing to a stopped bus is refused", async () => {
	const bus = memoryBus().create();
	await bus.stop?.();
	await assert.rejects(bus.subscribe(["a"], { signal: new AbortController().signal }), (error) => isSvcError(error, "SVC_UNAVAILABLE"));
});

test("many readers waiting at once get the events in the order of their calls", async () => {
	await withBus(async (bus) => {
		const events = (await bus.subscribe(["a"], { signal: new AbortController().signal }))[Symbol.asyncIterator]();
		const reads = [events.next(), events.next(), events.next()];
		for (const number of [0, 1, 2]) bus.publish("a", { number });
		const results = await Promise.all(reads);
		assert.deepEqual(
			results.map((result) => (result.done === true ? undefined : result.value.data["number"])),
			[0, 1, 2],
		);
	});
});

test("publishing to a thousand filtered subscribers takes well under a millisecond", async () => {
	await withBus(async (bus) => {
		for (let id = 0; id < 1_000; id += 1) {
			await bus.subscribe(["a", `other.${id}`], { signal: new AbortController().signal, filter: (event) => event.data["id"] === id });
		}
		const begin = performance.now();
		for (let count = 0; count < 1_000; count += 1) bus.publish("a", { id: -1 });
		assert.ok(performance.now() - begin < 1_000);
	});
});

test.run();
