import { type BusEvent, type SubscribeOptions, SvcError } from "../../core/contract/index.ts";
import { SubscriberIndex } from "./subscriber-index.ts";
import { Subscription } from "./subscription.ts";

const defaultBuffer = 1_000;

/** Delivery within one process: direct, in the order of publishing, the same object to everybody. */
export class FanOut {
	readonly #index = new SubscriberIndex<Subscription>();
	readonly #subscriptions = new Set<Subscription>();
	#stopped = false;

	publish(event: BusEvent): void {
		this.#index.forEach(event.name, (subscription) => subscription.deliver(event));
	}

	/** Whether anybody here wants events of this name. */
	wants(name: string): boolean {
		return this.#index.has(name);
	}

	/** `onLeave` is called once, as soon as the subscriber wants no further event. */
	subscribe(
		names: readonly string[],
		{ signal, filter, buffer = defaultBuffer }: SubscribeOptions,
		onLeave: () => void = () => {},
	): Subscription {
		if (this.#stopped) throw new SvcError("SVC_UNAVAILABLE", "the event bus has been stopped");
		const abort = () => subscription.end();
		let hasLeft = false;
		const subscription: Subscription = new Subscription({
			filter,
			buffer: Math.max(1, buffer),
			leave: () => {
				if (hasLeft) return;
				hasLeft = true;
				remove();
				onLeave();
			},
			onEnd: () => {
				this.#subscriptions.delete(subscription);
				signal.removeEventListener("abort", abort);
			},
		});
		const remove = this.#index.add(names, subscription);
		this.#subscriptions.add(subscription);
		signal.addEventListener("abort", abort, { once: true });
		if (signal.aborted) subscription.end();
		return subscription;
	}

	/** Tell every subscriber that events may be missing from here on. */
	lag(message: string): void {
		for (const subscription of this.#subscriptions) subscription.lag(message);
	}

	stop(): void {
		this.#stopped = true;
		for (const subscription of this.#subscriptions) subscription.end();
	}
}
