import type { EntityKind, EntityMap, Storage } from "../../contract/index.ts";
import { outlastOutage } from "../../lib/retry-while-unavailable.ts";
import { readPages } from "./pages.ts";

/** Milliseconds that the target may be away for. */
const patience = 30_000;

/**
 * Copy the records of a kind that the target does not have yet: how many. They come in the order of their ids and a page is there
 * whole or not at all, so the last id in the target says where to go on.
 */
export async function copyRecords<K extends EntityKind>(source: Storage, target: Storage, kind: K): Promise<number> {
	let count = 0;
	for await (const page of readPages(source, kind, await findLastId(target, kind))) {
		await insertPage(target, kind, page);
		count += page.length;
	}
	return count;
}

async function insertPage<K extends EntityKind>(target: Storage, kind: K, page: readonly EntityMap[K][]): Promise<void> {
	const lastId = page.at(-1)?.id ?? "";
	const end = performance.now() + patience;
	let isRepeated = false;
	const attempt = async () => {
		// The answer to an attempt that was made may have got lost.
		if (isRepeated && (await findLastId(target, kind)) >= lastId) return;
		await target.insert(kind, page);
	};
	await outlastOutage(attempt, {
		isOver: () => performance.now() > end,
		onOutage() {
			isRepeated = true;
		},
	});
}

async function findLastId(storage: Storage, kind: EntityKind): Promise<string> {
	const [last] = await storage.find(kind, { orderBy: [["id", "desc"]], limit: 1, fields: ["id"] });
	return last?.id ?? "";
}
