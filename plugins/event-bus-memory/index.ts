import {
	type BusEvent,
	defineEventBus,
	type EventBus,
	type EventData,
	type SubscribeOptions,
	SvcError,
} from "../../core/contract/index.ts";
import { SubscriberIndex } from "./subscriber-index.ts";
import { Subscription } from "./subscription.ts";

const defaultBuffer = 1_000;

/** Events within one process: for services of one node. */
export const memoryBus = defineEventBus("memory", () => new MemoryBus());

class MemoryBus implements EventBus {
	readonly capabilities = { shared: false };
	readonly #index = new SubscriberIndex<Subscription>();
	readonly #subscriptions = new Set<Subscription>();
	#stopped = false;

	publish(name: string, data: EventData): void {
		const event: BusEvent = { name, data };
		this.#index.forEach(name, (subscription) => subscription.deliver(event));
	}

	async subscribe(
		names: readonly string[],
		{ signal, filter, buffer = defaultBuffer }: SubscribeOptions,
	): Promise<AsyncIterable<BusEvent>> {
		if (this.#stopped) throw new SvcError("SVC_UNAVAILABLE", "the event bus has been stopped");
		const abort = () => subscription.end();
		const subscription: Subscription = new Subscription({
			filter,
			buffer: Math.max(1, buffer),
			leave: () => leave(),
			onEnd: () => {
				this.#subscriptions.delete(subscription);
				signal.removeEventListener("abort", abort);
			},
		});
		const leave = this.#index.add(names, subscription);
		this.#subscriptions.add(subscription);
		signal.addEventListener("abort", abort, { once: true });
		if (signal.aborted) subscription.end();
		return subscription;
	}

	async stop(): Promise<void> {
		this.#stopped = true;
		for (const subscription of this.#subscriptions) subscription.end();
	}
}
