import { isSvcError, type SensorState } from "../../contract/index.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { DatastoreItems } from "../datastore/items-api.ts";

export interface SensorStateParts {
	readonly datastore: DatastoreItems;
	/** Whom the log names. */
	readonly principal: Principal;
	/** What names begin with in the datastore. */
	readonly prefix: string;
	/** Throws once the sensor is not this run's any more. */
	readonly assertHeld: () => void;
	/** Does something again and again while the storage is away. */
	readonly outlast: <T>(attempt: () => Promise<T>) => Promise<T>;
}

/** Items of the system under a prefix (reference 7.5). While the storage is away it waits. */
export function createSensorState({ datastore, principal, prefix, assertHeld, outlast }: SensorStateParts): SensorState {
	/** Undefined for what is not there. */
	async function unlessMissing<T>(ask: () => Promise<T>): Promise<T | undefined> {
		try {
			return await whileHeld(ask);
		} catch (error) {
			if (!isSvcError(error, "SVC_NOT_FOUND")) throw error;
			return undefined;
		}
	}

	const whileHeld = <T>(ask: () => Promise<T>): Promise<T> =>
		outlast(async () => {
			assertHeld();
			return ask();
		});

	return {
		get: async (name) => (await unlessMissing(() => datastore.get(prefix + name, { form: "decrypted" }, principal)))?.value,
		async set(name, value, { ttl, secret } = {}) {
			await whileHeld(() => datastore.set(prefix + name, { value, ttl, secret }, principal));
		},
		delete: async (name) => (await unlessMissing(() => datastore.remove(prefix + name, {}, principal).then(() => true))) === true,
		async list(namePrefix = "") {
			const query = { prefix: prefix + namePrefix, orderBy: [["name", "asc"]], form: "decrypted" } as const;
			const items = await whileHeld(() => datastore.list(query, principal));
			return items.map(({ name, value }) => ({ name: name.slice(prefix.length), value }));
		},
	};
}
