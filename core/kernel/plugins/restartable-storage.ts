import type { Storage, StoragePlugin } from "../../contract/index.ts";

/** Restartable proxy: one storage object for the engine, behind which each attempt to start has a new instance of the plugin. */
export interface RestartableStorage {
	/** Its capabilities may be read at any time, all other members only once `start` has resolved. */
	readonly storage: Storage;
	/** Starts an instance by calling `begin`. If that fails, stops the instance and rejects; the next call starts a new one. */
	start(begin: (instance: Storage) => Promise<void>): Promise<void>;
	stop(): Promise<void>;
}

/** Creates the plugin's first instance, and the proxy for it. */
export function createRestartableStorage(plugin: StoragePlugin): RestartableStorage {
	let instance = plugin.create();
	/** True if a start has been attempted with the instance, so that the next attempt needs a new one. */
	let isUsed = false;
	const boundMembers = new Map<PropertyKey, unknown>();

	function replaceIfUsed(): void {
		if (isUsed) instance = plugin.create();
		isUsed = true;
		boundMembers.clear();
	}

	const storage = new Proxy({} as Storage, {
		get(_target, name: keyof Storage) {
			const boundMember = boundMembers.get(name);
			if (boundMember !== undefined) return boundMember;
			const member: unknown = instance[name];
			const value: unknown = typeof member === "function" ? member.bind(instance) : member;
			boundMembers.set(name, value);
			return value;
		},
	});

	return {
		storage,
		async start(begin) {
			replaceIfUsed();
			try {
				await begin(instance);
			} catch (error) {
				// The caller must see the error of the start, not one while stopping.
				await instance.stop?.().catch(() => undefined);
				throw error;
			}
		},
		stop: async () => instance.stop?.(),
	};
}
