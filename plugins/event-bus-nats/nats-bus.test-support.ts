import { type BusNode, startBus as startAnyBus } from "../_event-bus/shared-bus.test-support.ts";
import { SharedBus } from "../_event-bus/shared-bus.ts";
import { NatsTransport } from "./nats-transport.ts";
import type { NatsBusOptions } from "./options.ts";

export function startBus(options: NatsBusOptions, beat?: number): Promise<BusNode> {
	return startAnyBus(new SharedBus(new NatsTransport(() => options), beat === undefined ? {} : { beat }));
}
