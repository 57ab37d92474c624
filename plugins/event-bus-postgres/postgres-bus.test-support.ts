import { type BusNode, startBus as startAnyBus } from "../_event-bus/shared-bus.test-support.ts";
import { SharedBus } from "../_event-bus/shared-bus.ts";
import type { PostgresBusOptions } from "./options.ts";
import { PostgresTransport } from "./postgres-transport.ts";

/** Milliseconds between two beats: what is lost at the end of all events shows soon. */
export const quickBeat = 200;

export function startBus(options: PostgresBusOptions, beat?: number): Promise<BusNode> {
	return startAnyBus(new SharedBus(new PostgresTransport(() => options), beat === undefined ? {} : { beat }));
}
