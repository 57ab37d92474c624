import { type EntityKind, type EntityMap, type Storage, stringifyJson, type Where } from "../../contract/index.ts";

/** Characters of JSON that a page should come to. */
const pageSize = 2_000_000;
const mostRecords = 1_000;

/** All records of a kind with ids after `after`, in the order of their ids; pages adapt to the size of the records. */
export async function* readPages<K extends EntityKind>(storage: Storage, kind: K, after: string): AsyncGenerator<readonly EntityMap[K][]> {
	let limit = 32;
	for (let last = after; ; ) {
		const page = await storage.find(kind, { where: { id: { gt: last } } as Where<EntityMap[K]>, limit });
		const final = page.at(-1);
		if (final === undefined) return;
		yield page;
		last = final.id;
		const average = stringifyJson(page).length / page.length;
		limit = Math.max(1, Math.min(mostRecords, limit * 4, Math.floor(pageSize / average)));
	}
}
