import { test } from "uvu";
import type { EventBus } from "../../core/contract/index.ts";
import { testEventBus } from "../../core/testing/event-bus-suite.ts";
import { createTestDatabase, postgresTest } from "../../core/testing/services/postgres.test-support.ts";
import { startBus } from "./postgres-bus.test-support.ts";

const database = await createTestDatabase();
let channel = 0;

testEventBus({
	test: postgresTest(test),
	name: "postgres bus",
	create: async (): Promise<EventBus> => (await startBus({ url: database.url, channel: `suite${++channel}` })).bus,
	connect: async (): Promise<EventBus> => (await startBus({ url: database.url, channel: `suite${channel}` })).bus,
});

test.after(() => database.drop());

test.run();
