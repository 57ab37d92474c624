import type { Storage, StoragePlugin } from "../../contract/index.ts";

/** Stands before a storage and refuses what it is told to. */
export class FailingStorage {
	/** What a call of this member throws; undefined: it goes on. */
	failure: ((member: string, values: readonly unknown[]) => Error | undefined) | undefined;

	/** The plugin, whose storages fail as `failure` says. */
	wrap(plugin: StoragePlugin): StoragePlugin {
		return { ...plugin, create: () => this.#wrapStorage(plugin.create()) };
	}

	#wrapStorage(storage: Storage): Storage {
		return new Proxy(storage, {
			get: (target, member) => {
				const value: unknown = Reflect.get(target, member, target);
				if (typeof value !== "function" || typeof member !== "string") return value;
				return (...values: unknown[]) => {
					const failure = this.failure?.(member, values);
					return failure === undefined ? (value as (...given: unknown[]) => unknown).apply(target, values) : Promise.reject(failure);
				};
			},
		});
	}
}
