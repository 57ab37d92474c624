import { type BusEvent, HighChurnMap, type SubscribeOptions, SvcError } from "../../core/contract/index.ts";
import { Subscription } from "./subscription.ts";

const defaultBuffer = 1_000;

/** Delivers events within one process, synchronously and in the order of publishing. All subscribers get the same object. */
export class FanOut {
	readonly #index = new SubscriberIndex<Subscription>();
	readonly #subscriptions = new Set<Subscription>();
	#stopped = false;

	publish(event: BusEvent): void {
		this.#index.forEach(event.name, (subscription) => subscription.deliver(event));
	}

	/** Returns true if a subscriber of this process wants events of this name. */
	wants(name: string): boolean {
		return this.#index.has(name);
	}

	/** Adds a subscriber. `onLeave` is called once, as soon as the subscriber wants no further event. */
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

	/** Ends every subscription with `SVC_SUBSCRIBER_LAGGED` after its buffered events, because later events may be missing. */
	lag(message: string): void {
		for (const subscription of this.#subscriptions) subscription.lag(message);
	}

	stop(): void {
		this.#stopped = true;
		for (const subscription of this.#subscriptions) subscription.end();
	}
}

/** Finds the subscribers of an event name without testing each of them. Visits a subscriber once even if several of its names match. */
class SubscriberIndex<T> {
	readonly #byName = new HighChurnMap<string, Set<T>>();
	readonly #byPrefix = new Map<string, Set<T>>();

	/** Adds a subscriber. Returns the function that removes it. */
	add(names: readonly string[], subscriber: T): () => void {
		const { exact, prefixes } = toPatterns(names);
		const removals = [
			...exact.map((name) => put(this.#byName, name, subscriber)),
			...prefixes.map((prefix) => put(this.#byPrefix, prefix, subscriber)),
		];
		return () => {
			for (const remove of removals) remove();
		};
	}

	/** Returns true if `name` has a subscriber. */
	has(name: string): boolean {
		if (this.#byName.has(name)) return true;
		for (const prefix of this.#byPrefix.keys()) if (name.startsWith(prefix)) return true;
		return false;
	}

	forEach(name: string, visit: (subscriber: T) => void): void {
		this.#byName.get(name)?.forEach(visit);
		for (const [prefix, subscribers] of this.#byPrefix) if (name.startsWith(prefix)) subscribers.forEach(visit);
	}
}

/**
 * Splits the names of a subscriber into exact ones and prefixes. Omits names that another one covers, so that an event matches at most one.
 */
function toPatterns(names: readonly string[]): { exact: string[]; prefixes: string[] } {
	const wildcards = [...new Set(names.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1)))];
	const prefixes = wildcards.filter((prefix) => !wildcards.some((other) => other !== prefix && prefix.startsWith(other)));
	const exact = [...new Set(names)].filter((name) => !name.endsWith("*") && !prefixes.some((prefix) => name.startsWith(prefix)));
	for (const pattern of [...prefixes, ...exact]) {
		if (pattern.includes("*")) throw new SvcError("SVC_INVALID", `event name "${pattern}": "*" is only allowed at the end`);
	}
	return { exact, prefixes };
}

function put<T>(index: Pick<HighChurnMap<string, Set<T>>, "get" | "set" | "delete">, key: string, subscriber: T): () => void {
	const subscribers = index.get(key) ?? new Set<T>();
	index.set(key, subscribers.add(subscriber));
	return () => {
		subscribers.delete(subscriber);
		if (subscribers.size === 0 && index.get(key) === subscribers) index.delete(key);
	};
}
