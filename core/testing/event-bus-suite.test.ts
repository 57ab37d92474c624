// test-waits
import { test } from "uvu";
import { createHub } from "../../plugins/_event-bus/hub.test-support.ts";
import { SharedBus } from "../../plugins/_event-bus/shared-bus.ts";
import { memoryBus } from "../../plugins/event-bus-memory/index.ts";
import type { EventBus } from "../contract/index.ts";
import { brokenSharedBuses } from "./broken/event-bus-publishing.test-support.ts";
import { brokenEventBuses } from "./broken/event-buses.test-support.ts";
import { assertAccepted, assertRefused } from "./broken/refusals.test-support.ts";
import { testEventBus } from "./event-bus-suite.ts";
import { createPluginContext } from "./plugin-context.ts";
import type { RegisterTest } from "./run-kit.ts";

const started: SharedBus[] = [];

test.after(async () => {
	for (const bus of started) await bus.stop();
});

type Spoil = (sound: EventBus) => EventBus;

const register = (test: RegisterTest, spoil: Spoil) => testEventBus({ test, name: "bus", create: async () => spoil(memoryBus().create()) });

function registerShared(test: RegisterTest, spoil: Spoil): void {
	let hub = createHub();
	const connect = async () => {
		const bus = new SharedBus(hub.createTransport());
		await bus.start(createPluginContext());
		// A statement that hangs does not come to its stop.
		started.push(bus);
		return spoil(bus);
	};
	testEventBus({
		test,
		name: "bus",
		create() {
			hub = createHub();
			return connect();
		},
		connect,
	});
}

for (const { name, spoil, ...refusal } of brokenEventBuses) {
	test(`the kit refuses an event bus of which it is true that ${name}`, () => assertRefused(refusal, (check) => register(check, spoil)));
}

for (const { name, spoil, ...refusal } of brokenSharedBuses) {
	test(`the kit refuses a shared event bus of which it is true that ${name}`, () =>
		assertRefused(refusal, (check) => registerShared(check, spoil)));
}

test("the kit accepts the bus that the broken ones are made of, fifty times", async () => {
	for (let round = 0; round < 50; round++) await assertAccepted((check) => register(check, (sound) => sound));
});

test("the kit accepts the shared bus that the broken ones are made of", () =>
	assertAccepted((check) => registerShared(check, (sound) => sound)));

test.run();
