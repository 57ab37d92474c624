import type { Storage, StoragePlugin } from "../../contract/index.ts";

/** Keeps one storage for the engine to hold on to, while behind it each attempt to start has an instance of its own. */
export interface StorageDoor {
	/** May be asked for its capabilities at any time, and for anything else once `start` has resolved. */
	readonly storage: Storage;
	/** Start the plugin; what a failed attempt has opened is closed again, and the next one begins anew. */
	start(begin: (instance: Storage) => Promise<void>): Promise<void>;
	stop(): Promise<void>;
}

export function createStorageDoor(plugin: StoragePlugin): StorageDoor {
	let instance = plugin.create();
	let isUsed = false;
	const bound = new Map<PropertyKey, unknown>();

	function renew(): void {
		if (isUsed) instance = plugin.create();
		isUsed = true;
		bound.clear();
	}

	const storage = new Proxy({} as Storage, {
		get(_target, name: keyof Storage) {
			const known = bound.get(name);
			if (known !== undefined) return known;
			const member: unknown = instance[name];
			const value: unknown = typeof member === "function" ? member.bind(instance) : member;
			bound.set(name, value);
			return value;
		},
	});

	return {
		storage,
		async start(begin) {
			renew();
			try {
				await begin(instance);
			} catch (error) {
				// The failure to start is what the caller must see.
				await instance.stop?.().catch(() => undefined);
				throw error;
			}
		},
		stop: async () => instance.stop?.(),
	};
}
