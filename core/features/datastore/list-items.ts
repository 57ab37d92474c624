import type { KeyValueEntity, Storage, Where } from "../../contract/index.ts";
import type { ItemAddress, ItemScope } from "./item-address.ts";
import type { ItemListQuery } from "./items-api.ts";

/** Items read at a time. */
const batch = 500;

interface Half {
	readonly scope: ItemScope;
	/** Whose, in user scope. */
	readonly user: ItemAddress["user"];
	readonly query: ItemListQuery;
	/** Whether an item is there for whoever asks. */
	readonly isShown: (item: KeyValueEntity) => boolean;
}

/** Items of one scope. Limit and offset count those that are shown. */
export async function listItems(storage: Storage, { scope, user, query, isShown }: Half): Promise<readonly KeyValueEntity[]> {
	const { limit = Number.POSITIVE_INFINITY, orderBy = [] } = query;
	const where = toWhere(scope, user, query);
	const shown: KeyValueEntity[] = [];
	let skipped = 0;
	for (let offset = 0; shown.length < limit; offset += batch) {
		const read = await storage.find("key_value", { where, orderBy: [...orderBy, ["id", "asc"]], limit: batch, offset });
		for (const item of read) {
			if (!isShown(item) || shown.length >= limit) continue;
			if (skipped < (query.offset ?? 0)) skipped += 1;
			else shown.push(item);
		}
		if (read.length < batch) break;
	}
	return shown;
}

function toWhere(scope: ItemScope, user: string | null, { prefix, names, ids }: ItemListQuery): Where<KeyValueEntity> {
	const toStored = (name: string) => (user === null ? name : `${user}:${name}`);
	return {
		scope,
		...(user !== null && { user }),
		...(names !== undefined ? { name: { in: names.map(toStored) } } : prefix && { name: { prefix: toStored(prefix) } }),
		...(ids !== undefined && { id: { in: ids } }),
	};
}
