import { test } from "uvu";
import { findFreePort } from "../../core/testing/services/free-port.test-support.ts";
import { natsTest, startNats } from "../../core/testing/services/nats.test-support.ts";
import { arrives, readUntilLag } from "../_event-bus/shared-bus.test-support.ts";
import { startBus } from "./nats-bus.test-support.ts";

natsTest(test)("in a cluster events go from server to server, and nodes of a lost server go to another one", async () => {
	const ports = [await findFreePort(), await findFreePort()];
	const routes = ports.map((port) => `nats://127.0.0.1:${port}`).join(",");
	const start = (port: number | undefined) =>
		startNats(["--cluster_name", "test", "--cluster", `nats://127.0.0.1:${port}`, "--routes", routes]);
	const [first, second] = [await start(ports[0]), await start(ports[1])];
	const both = { servers: [first.url, second.url] };
	const nodes = [
		await startBus({ servers: first.url }, 200),
		await startBus({ servers: second.url }, 200),
		await startBus(both, 200),
	] as const;
	const [onFirst, onSecond, onEither] = nodes;
	try {
		await arrives(onFirst, onSecond);
		await arrives(onSecond, onFirst);
		const events = await onEither.subscribe("a");
		await arrives(onEither, onSecond);
		await first.halt();
		await onFirst.logged(/has no connection/);
		const other = await startBus(both, 200);
		await arrives(other, onSecond).finally(() => other.bus.stop?.());
		await arrives(onSecond, onEither);
		await second.halt();
		await first.resume();
		await readUntilLag(events);
		await arrives(onFirst, onEither);
	} finally {
		for (const { bus } of nodes) await bus.stop?.();
		for (const server of [first, second]) await server.stop();
	}
});

test.run();
