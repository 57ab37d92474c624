import * as assert from "node:assert/strict";
import { type BusEvent, type EventBus, isSvcError, type SubscribeOptions } from "../../contract/index.ts";
import { publishNumbers, range, readNumbers, readOne } from "./bus-helpers.ts";
import type { EventBusSuiteOptions } from "./suite-options.ts";

interface Node {
	readonly bus: EventBus;
	/** Subscribes until the test ends. */
	subscribe(names: readonly string[], options?: Partial<SubscribeOptions>): Promise<AsyncIterator<BusEvent>>;
}

type Check = (statement: string, run: (here: Node, there: Node) => Promise<void>) => void;

/** Registers the tests of events between nodes, for a bus with `capabilities.shared`. */
export function testSharedEventBus({ test, name, create, connect }: Required<EventBusSuiteOptions>): void {
	const check: Check = (statement, run) =>
		test(`${name}, two nodes: ${statement}`, async () => {
			const end = new AbortController();
			const buses: EventBus[] = [];
			const toNode = async (starting: Promise<EventBus>): Promise<Node> => {
				const bus = await starting;
				buses.push(bus);
				const subscribe: Node["subscribe"] = async (names, options) =>
					(await bus.subscribe(names, { signal: end.signal, ...options }))[Symbol.asyncIterator]();
				return { bus, subscribe };
			};
			try {
				await run(await toNode(create()), await toNode(connect()));
			} finally {
				end.abort();
				for (const bus of buses) await bus.stop?.();
			}
		});
	checkArrival(check);
	checkNames(check);
	checkLag(check);
	checkEnds(check);
}

function checkArrival(check: Check): void {
	check("it has the capability shared", async ({ bus }) => {
		assert.equal(bus.capabilities.shared, true);
	});

	check("events reach the other node, in the order of publishing, in both directions", async (here, there) => {
		const [events, answers] = [await there.subscribe(["a", "b"]), await here.subscribe(["c"])];
		for (const number of range(300)) here.bus.publish(number % 3 === 0 ? "b" : "a", { number });
		assert.deepEqual(await readNumbers(events, 300), range(300));
		publishNumbers(there.bus, "c", 50);
		assert.deepEqual(await readNumbers(answers, 50), range(50));
	});

	check("name and data arrive unchanged, regardless of their size and characters", async (here, there) => {
		const events = await there.subscribe(["*"]);
		const sent: BusEvent[] = [
			{ name: "svc.a__b", data: { text: "ä\u0000\n\r\u2028\u{1f600}\ud800'\"\\", nested: { list: [1, null, true, { "": "" }] } } },
			{ name: " spaced\tname.>.#/ü\u{1f600}\n\u0000'\"", data: { number: 1 } },
			{ name: "n".repeat(10_000), data: { number: 2 } },
			{ name: "empty", data: {} },
			{ name: "numbers", data: { numbers: [0, -1.5, 1e300, Number.MAX_SAFE_INTEGER, 1234567890123456789n] } },
			// Sizes around the limits at which transports change how they send an event.
			...[7_700, 7_900, 7_999, 8_000, 8_200, 65_536, 1_048_576, 3_000_000].map((size) => ({
				name: "sized",
				data: { x: "€".repeat(size / 3) },
			})),
			{ name: "last", data: { number: 3 } },
		];
		for (const { name, data } of sent) here.bus.publish(name, data);
		for (const event of sent) assert.deepEqual(await readOne(events), event);
	});

	check("large and small events keep their order", async (here, there) => {
		const events = await there.subscribe(["a"]);
		for (const number of range(60)) here.bus.publish("a", { number, text: "x".repeat(number % 4 === 0 ? 20_000 : 10) });
		assert.deepEqual(await readNumbers(events, 60), range(60));
	});

	check("a node receives its own events once", async (here, there) => {
		const [own, other] = [await here.subscribe(["a"]), await there.subscribe(["a"])];
		publishNumbers(here.bus, "a", 20);
		await readNumbers(other, 20);
		// The bus delivers this event after any event of `here` that it might deliver to `here` a second time.
		there.bus.publish("a", { number: 20 });
		assert.deepEqual(await readNumbers(own, 21), range(21));
	});

	check("thousands of concurrent events arrive, each once", async (here, there) => {
		const events = await there.subscribe(["a"], { buffer: 10_000 });
		publishNumbers(here.bus, "a", 10_000);
		assert.deepEqual(await readNumbers(events, 10_000), range(10_000));
	});
}

function checkNames(check: Check): void {
	check("only subscribed names arrive, and a trailing * matches any rest", async (here, there) => {
		const [exact, some] = [await there.subscribe(["svc.b"]), await there.subscribe(["svc.execution*", "svc.announcement__*"])];
		const names = ["svc.execution", "svc.execution__update", "svc.execution.output__create", "svc.announcement__x.y"];
		for (const name of ["svc.exec", "svc", "svc.announcement", ...names, "svc.b.c", "svc.bc", "svc.b"]) here.bus.publish(name, { name });
		for (const name of names) assert.equal((await readOne(some)).name, name);
		assert.equal((await readOne(exact)).name, "svc.b");
	});

	check("a filter sees the data of events of other nodes", async (here, there) => {
		const events = await there.subscribe(["a"], { filter: (event) => Number(event.data["number"]) % 10 === 0 });
		publishNumbers(here.bus, "a", 31);
		assert.deepEqual(await readNumbers(events, 4), [0, 10, 20, 30]);
	});

	check("names subscribed later, or again after the last subscriber has left, arrive", async (here, there) => {
		for (const round of range(5)) {
			const end = new AbortController();
			const events = await there.subscribe([`svc.kind${round % 2}__x`], { signal: end.signal });
			here.bus.publish(`svc.kind${round % 2}__x`, { number: round });
			assert.deepEqual(await readNumbers(events, 1), [round]);
			end.abort();
		}
	});
}

function checkLag(check: Check): void {
	check("a reader that lags behind the other node gets SVC_SUBSCRIBER_LAGGED, without a gap before it", async (here, there) => {
		const slow = await there.subscribe(["a"], { buffer: 10 });
		const witness = await there.subscribe(["a"]);
		publishNumbers(here.bus, "a", 200);
		await readNumbers(witness, 200);
		const seen: number[] = [];
		await assert.rejects(
			async () => {
				for (;;) seen.push(Number((await readOne(slow)).data["number"]));
			},
			(error) => isSvcError(error, "SVC_SUBSCRIBER_LAGGED"),
		);
		assert.deepEqual(seen, range(seen.length));
		assert.ok(seen.length < 200);
	});
}

function checkEnds(check: Check): void {
	check("events published before a stop are sent, and the other node continues", async (here, there) => {
		const events = await there.subscribe(["a"]);
		publishNumbers(here.bus, "a", 100);
		await here.bus.stop?.();
		here.bus.publish("a", { number: -1 });
		assert.deepEqual(await readNumbers(events, 100), range(100));
		there.bus.publish("a", { number: 100 });
		assert.deepEqual(await readNumbers(events, 1), [100]);
	});
}
