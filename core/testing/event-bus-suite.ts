import * as assert from "node:assert/strict";
import { getContractVersion } from "../contract/contract-version.ts";
import { type BusEvent, type EventBus, isSvcError, type SubscribeOptions } from "../contract/index.ts";
import { assertKnownContract, contractStatement } from "./assert-contract.ts";
import { publishNumbers, range, readNumbers, readOne } from "./event-bus/bus-helpers.ts";
import { testSharedEventBus } from "./event-bus/cross-node-suite.ts";
import type { EventBusSuiteOptions } from "./event-bus/suite-options.ts";
import { guardTests } from "./test-guard.ts";

export type { EventBusSuiteOptions } from "./event-bus/suite-options.ts";

interface Scope {
	readonly bus: EventBus;
	/** Subscribes until the test ends. */
	subscribe(names: readonly string[], options?: Partial<SubscribeOptions>): Promise<AsyncIterator<BusEvent>>;
}

/** Registers the conformance suite of `EventBus`: one test for each promise of the contract. */
export function testEventBus({ name, create, connect, ...given }: EventBusSuiteOptions): void {
	const test = guardTests(given.test);
	const check = (statement: string, run: (scope: Scope) => Promise<void>) =>
		test(`${name}: ${statement}`, async () => {
			const bus = await create();
			const ends: AbortController[] = [];
			const subscribe: Scope["subscribe"] = async (names, options) => {
				const end = new AbortController();
				ends.push(end);
				return (await bus.subscribe(names, { signal: end.signal, ...options }))[Symbol.asyncIterator]();
			};
			try {
				await run({ bus, subscribe });
			} finally {
				for (const end of ends) end.abort();
				await bus.stop?.();
			}
		});
	check(contractStatement, async ({ bus }) => assertKnownContract(getContractVersion(bus)));
	checkDelivery(check);
	checkNames(check);
	checkLag(check);
	checkEnds(check);
	if (connect !== undefined) testSharedEventBus({ test, name, create, connect });
	else
		check("a shared bus has `connect`, which the statements about shared buses need", async ({ bus }) =>
			assert.ok(!bus.capabilities.shared),
		);
}

type Check = (statement: string, run: (scope: Scope) => Promise<void>) => void;

function checkDelivery(check: Check): void {
	check("events published between subscribe and the first read arrive", async ({ bus, subscribe }) => {
		const events = await subscribe(["a"]);
		publishNumbers(bus, "a", 100);
		assert.deepEqual(await readNumbers(events, 100), range(100));
	});

	check("every subscriber gets every event in the order of publishing", async ({ bus, subscribe }) => {
		const subscribers = await Promise.all(range(200).map(() => subscribe(["a", "b"])));
		const reads = subscribers.map((events) => readNumbers(events, 50));
		for (const number of range(50)) bus.publish(number % 2 === 0 ? "a" : "b", { number });
		for (const numbers of await Promise.all(reads)) assert.deepEqual(numbers, range(50));
	});

	check("name and data arrive unchanged", async ({ bus, subscribe }) => {
		const events = await subscribe(["svc.a__b"]);
		const data = { text: "ä\u0000\n\u{1f600}", nested: { list: [1, null, true, { "": "" }] }, big: "x".repeat(100_000) };
		bus.publish("svc.a__b", data);
		assert.deepEqual(await readOne(events), { name: "svc.a__b", data });
	});

	check("a filter decides which events arrive", async ({ bus, subscribe }) => {
		const events = await subscribe(["a"], { filter: (event) => Number(event.data["number"]) % 10 === 0 });
		publishNumbers(bus, "a", 31);
		assert.deepEqual(await readNumbers(events, 4), [0, 10, 20, 30]);
	});

	check("events that a reader publishes arrive", async ({ bus, subscribe }) => {
		const events = await subscribe(["a"]);
		bus.publish("a", { number: 0 });
		for (const number of range(20)) {
			assert.equal((await readOne(events)).data["number"], number);
			bus.publish("a", { number: number + 1 });
		}
	});

	check("publish without a subscriber does nothing", async ({ bus }) => {
		bus.publish("nobody", {});
	});
}

function checkNames(check: Check): void {
	check("only subscribed names arrive, exactly as written", async ({ bus, subscribe }) => {
		const events = await subscribe(["a.b"]);
		for (const name of ["a", "a.bc", "A.B", "xa.b", "a_b", "a.b "]) bus.publish(name, {});
		bus.publish("a.b", { number: 1 });
		assert.equal((await readOne(events)).data["number"], 1);
	});

	check("a name that ends with * matches every name with that prefix", async ({ bus, subscribe }) => {
		const events = await subscribe(["svc.execution*"]);
		const names = ["svc.execution", "svc.execution__update", "svc.execution.output__create"];
		for (const name of ["svc.exec", "other", ...names]) bus.publish(name, {});
		for (const name of names) assert.equal((await readOne(events)).name, name);
	});

	check("* alone takes everything", async ({ bus, subscribe }) => {
		const events = await subscribe(["*"]);
		for (const name of ["a", "b.c", "d__e"]) bus.publish(name, {});
		for (const name of ["a", "b.c", "d__e"]) assert.equal((await readOne(events)).name, name);
	});

	check("an event that matches several names of a subscriber arrives once", async ({ bus, subscribe }) => {
		const events = await subscribe(["a.b", "a.b", "a*", "a.*"]);
		bus.publish("a.b", { number: 0 });
		bus.publish("a.b", { number: 1 });
		assert.deepEqual(await readNumbers(events, 2), [0, 1]);
	});
}

function checkLag(check: Check): void {
	check("a reader that exceeds its buffer gets SVC_SUBSCRIBER_LAGGED, without a gap before it", async ({ bus, subscribe }) => {
		const slow = await subscribe(["a"], { buffer: 10 });
		const witness = await subscribe(["a"], { buffer: 1_000 });
		publishNumbers(bus, "a", 200);
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
		assert.equal((await slow.next()).done, true);
	});

	check("a slow reader blocks neither the publisher nor the other readers", async ({ bus, subscribe }) => {
		await subscribe(["a"], { buffer: 1 });
		const quick = await subscribe(["a"]);
		publishNumbers(bus, "a", 500);
		assert.deepEqual(await readNumbers(quick, 500), range(500));
	});

	check("events rejected by the filter do not fill the buffer", async ({ bus, subscribe }) => {
		const events = await subscribe(["a"], { buffer: 2, filter: (event) => Number(event.data["number"]) >= 498 });
		publishNumbers(bus, "a", 500);
		assert.deepEqual(await readNumbers(events, 2), [498, 499]);
	});

	check("a reader that keeps up never lags, regardless of the number of events", async ({ bus, subscribe }) => {
		const events = await subscribe(["a"], { buffer: 10 });
		for (const batch of range(100)) {
			for (const offset of range(10)) bus.publish("a", { number: batch * 10 + offset });
			assert.deepEqual(
				await readNumbers(events, 10),
				range(10).map((offset) => batch * 10 + offset),
			);
		}
	});
}

function checkEnds(check: Check): void {
	check("the signal ends a waiting reader without an error", async ({ bus, subscribe }) => {
		const end = new AbortController();
		const events = await subscribe(["a"], { signal: end.signal });
		const waiting = events.next();
		end.abort(new Error("the abort reason must not be thrown"));
		assert.equal((await waiting).done, true);
		bus.publish("a", {});
		assert.equal((await events.next()).done, true);
	});

	check("the signal ends a lagging reader without an error", async ({ bus, subscribe }) => {
		const end = new AbortController();
		const slow = await subscribe(["a"], { signal: end.signal, buffer: 1 });
		const witness = await subscribe(["a"]);
		publishNumbers(bus, "a", 5);
		await readNumbers(witness, 5);
		end.abort();
		assert.equal((await slow.next()).done, true);
	});

	check("an already aborted signal returns a finished iterable", async ({ subscribe }) => {
		const events = await subscribe(["a"], { signal: AbortSignal.abort() });
		assert.equal((await events.next()).done, true);
	});

	check("leaving the loop ends the subscription", async ({ bus }) => {
		const end = new AbortController();
		const events = await bus.subscribe(["a"], { signal: end.signal });
		publishNumbers(bus, "a", 3);
		for await (const event of events) {
			assert.equal(event.data["number"], 0);
			break;
		}
		bus.publish("a", { number: 3 });
		assert.equal((await events[Symbol.asyncIterator]().next()).done, true);
	});

	check("the end of one subscriber does not affect the others", async ({ bus, subscribe }) => {
		const end = new AbortController();
		const first = await subscribe(["a"], { signal: end.signal });
		const second = await subscribe(["a"]);
		end.abort();
		publishNumbers(bus, "a", 5);
		assert.deepEqual(await readNumbers(second, 5), range(5));
		assert.equal((await first.next()).done, true);
	});

	check("stop ends every subscriber, and a second stop does nothing", async ({ bus, subscribe }) => {
		const subscribers = await Promise.all(range(20).map(() => subscribe(["a", "b*"])));
		const waiting = subscribers.map((events) => events.next());
		await bus.stop?.();
		for (const result of await Promise.all(waiting)) assert.equal(result.done, true);
		await bus.stop?.();
		bus.publish("a", {});
	});
}
