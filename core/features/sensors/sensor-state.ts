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
}

/** Items of the system under a prefix (reference 7.5). */
export function createSensorState({ datastore, principal, prefix, assertHeld }: SensorStateParts): SensorState {
	/** Undefined for what is not there. */
	async function unlessMissing<T>(ask: Promise<T>): Promise<T | undefined> {
		return ask.catch((error: unknown) => {
			if (!isSvcError(error, "SVC_NOT_FOUND")) throw error;
			return undefined;
		});
	}

	return {
		async get(name) {
			assertHeld();
			return (await unlessMissing(datastore.get(prefix + name, { form: "decrypted" }, principal)))?.value;
		},
		async set(name, value, { ttl, secret } = {}) {
			assertHeld();
			await datastore.set(prefix + name, { value, ttl, secret }, principal);
		},
		async delete(name) {
			assertHeld();
			const removed = datastore.remove(prefix + name, {}, principal).then(() => true);
			return (await unlessMissing(removed)) === true;
		},
		async list(namePrefix = "") {
			assertHeld();
			const query = { prefix: prefix + namePrefix, orderBy: [["name", "asc"]], form: "decrypted" } as const;
			const items = await datastore.list(query, principal);
			return items.map(({ name, value }) => ({ name: name.slice(prefix.length), value }));
		},
	};
}
