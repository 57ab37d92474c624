import { type BusEvent, defineEventBus, type EventBus, type EventData, type SubscribeOptions } from "../../core/contract/index.ts";
import { FanOut } from "../_event-bus/fan-out.ts";

/** Event bus within one process, for services with a single node. */
export const memoryBus = defineEventBus("memory", () => new MemoryBus());

class MemoryBus implements EventBus {
	readonly capabilities = { shared: false, direct: true };
	readonly #fanOut = new FanOut();

	publish(name: string, data: EventData): void {
		this.#fanOut.publish({ name, data });
	}

	async subscribe(names: readonly string[], options: SubscribeOptions): Promise<AsyncIterable<BusEvent>> {
		return this.#fanOut.subscribe(names, options);
	}

	async stop(): Promise<void> {
		this.#fanOut.stop();
	}
}
