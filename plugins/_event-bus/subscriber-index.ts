import { PassingMap, SvcError } from "../../core/contract/index.ts";

/** Finds the subscribers of an event name without asking each of them. A subscriber is found once, however many names match. */
export class SubscriberIndex<T> {
	readonly #byName = new PassingMap<string, Set<T>>();
	readonly #byPrefix = new Map<string, Set<T>>();

	/** Returns the function that takes the subscriber out again. */
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

	/** Whether anybody is found by `name`. */
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

/** Names covered by another of the same subscriber are left out, so that no two of the remaining ones match one event. */
function toPatterns(names: readonly string[]): { exact: string[]; prefixes: string[] } {
	const wildcards = [...new Set(names.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1)))];
	const prefixes = wildcards.filter((prefix) => !wildcards.some((other) => other !== prefix && prefix.startsWith(other)));
	const exact = [...new Set(names)].filter((name) => !name.endsWith("*") && !prefixes.some((prefix) => name.startsWith(prefix)));
	for (const pattern of [...prefixes, ...exact]) {
		if (pattern.includes("*")) throw new SvcError("SVC_INVALID", `event name "${pattern}": "*" is allowed at the end only`);
	}
	return { exact, prefixes };
}

function put<T>(index: Pick<PassingMap<string, Set<T>>, "get" | "set" | "delete">, key: string, subscriber: T): () => void {
	const subscribers = index.get(key) ?? new Set<T>();
	index.set(key, subscribers.add(subscriber));
	return () => {
		subscribers.delete(subscriber);
		if (subscribers.size === 0 && index.get(key) === subscribers) index.delete(key);
	};
}
