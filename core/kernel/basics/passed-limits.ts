import { type EntityKind, type EntityMap, type Storage, stringifyJson, type Where } from "../../contract/index.ts";
import { Attached } from "../../lib/private-slot.ts";

type Counted = Pick<Storage, "count">;

/** Milliseconds for which it is remembered that more match than are counted. */
const rememberedFor = 5_000;
/** Filters that are remembered; callers choose them freely. */
const mostFilters = 200;
/** Characters of a filter that is remembered. */
const longestFilter = 1_000;

const ofStorages = new Attached<Counted, PassedLimits>();

/**
 * Filters that more records match than are counted. To count as far as that takes longer than to read a page, and says the same for each page and order of
 * the list, and for everybody who looks at it. What is remembered is only that there are more, never a number that is exact.
 */
class PassedLimits {
	/** When each was counted, the earliest first. */
	readonly #countedAt = new Map<string, number>();

	has(filter: string): boolean {
		const countedAt = this.#countedAt.get(filter);
		return countedAt !== undefined && performance.now() - countedAt < rememberedFor;
	}

	add(filter: string): void {
		if (filter.length > longestFilter) return;
		this.#countedAt.delete(filter);
		this.#countedAt.set(filter, performance.now());
		const [earliest] = this.#countedAt.keys();
		if (earliest !== undefined && this.#countedAt.size > mostFilters) this.#countedAt.delete(earliest);
	}
}

/** Records that match; of more than `limit` some number above that, and that there are more may have been so a few seconds ago. */
export async function countTo<K extends EntityKind>(storage: Counted, kind: K, where: Where<EntityMap[K]>, limit: number): Promise<number> {
	const limits = limitsOf(storage);
	const filter = stringifyJson([kind, limit, where]);
	if (limits.has(filter)) return limit + 1;
	const total = await storage.count(kind, where, limit + 1);
	if (total > limit) limits.add(filter);
	return total;
}

function limitsOf(storage: Counted): PassedLimits {
	const known = ofStorages.get(storage);
	if (known !== undefined) return known;
	const limits = new PassedLimits();
	ofStorages.set(storage, limits);
	return limits;
}
