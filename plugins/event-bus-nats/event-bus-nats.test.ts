import { test } from "uvu";
import type { EventBus } from "../../core/contract/index.ts";
import { testEventBus } from "../../core/testing/event-bus-suite.ts";
import { type NatsServer, natsTest, startNats } from "../../core/testing/services/nats.test-support.ts";
import { startBus } from "./nats-bus.test-support.ts";

let server: Promise<NatsServer> | undefined;
let count = 0;

async function connect(): Promise<EventBus> {
	server ??= startNats();
	return (await startBus({ servers: (await server).url, subject_prefix: `suite.n${count}` })).bus;
}

testEventBus({
	test: natsTest(test),
	name: "nats bus",
	create: () => {
		count += 1;
		return connect();
	},
	connect,
});

test.after(async () => (await server)?.stop());

test.run();
