import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type NatsServer, startNats } from "../../core/testing/services/nats.test-support.ts";
import { type BusNode, startBus as startAnyBus } from "../_event-bus/shared-bus.test-support.ts";
import { SharedBus } from "../_event-bus/shared-bus.ts";
import { NatsTransport } from "./nats-transport.ts";
import type { NatsBusOptions } from "./options.ts";

export function startBus(options: NatsBusOptions, beat?: number): Promise<BusNode> {
	return startAnyBus(new SharedBus(new NatsTransport(() => options), beat === undefined ? {} : { beat }));
}

const quickBeat = 200;

export interface Scene {
	readonly server: NatsServer;
	start(options?: Partial<NatsBusOptions>): Promise<BusNode>;
}

type Test = (name: string, run: () => Promise<void>) => void;

/** A test with a server of its own. @param configuration of the server, in its own language */
export function withServer(test: Test, name: string, body: (scene: Scene) => Promise<void>, configuration = ""): void {
	test(name, async () => {
		const directory = await mkdtemp(join(tmpdir(), "svc-nats-"));
		const file = join(directory, "nats.conf");
		await writeFile(file, configuration);
		const server = await startNats(["-c", file]);
		const nodes: BusNode[] = [];
		const start: Scene["start"] = async (options) => {
			const node = await startBus({ servers: server.url, ...options }, quickBeat);
			nodes.push(node);
			return node;
		};
		try {
			await body({ server, start });
		} finally {
			for (const { bus } of nodes) await bus.stop?.();
			await server.stop();
			await rm(directory, { recursive: true });
		}
	});
}
