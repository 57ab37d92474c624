import type { EntityKind, EntityMap, Storage, Where } from "../../contract/index.ts";
import type { Pace } from "./pacing.ts";

/** Records of one kind whose `time` is before a limit. */
export interface Aged<K extends EntityKind> {
	readonly kind: K;
	/** Field with the time, which an index leads to. */
	readonly time: keyof EntityMap[K] & string;
	readonly before: string;
	/** What an earlier time of going through them has answered. Default: from the beginning. */
	readonly from?: string | undefined;
	readonly where?: Where<EntityMap[K]>;
	/** What `handle` needs, besides id and time. */
	readonly fields?: readonly (keyof EntityMap[K] & string)[];
}

/** Time and id of the last record that was looked at. */
const position = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z)\/([0-9a-f]{24})$/;

/** Whether a text is what `eachAgedPage` answers. */
export function isPosition(text: string): boolean {
	return position.test(text);
}

/**
 * Go through aged records, oldest first, a small page at a time, until `handle` says that it is enough or the pace is over. Nothing is
 * skipped and nothing comes twice, whatever is removed meanwhile. Where to go on from; undefined when there are no more.
 */
export async function eachAgedPage<K extends EntityKind>(
	{ storage, pace }: { readonly storage: Storage; readonly pace: Pace },
	aged: Aged<K>,
	handle: (page: readonly EntityMap[K][]) => Promise<"enough" | undefined>,
): Promise<string | undefined> {
	const { kind, time, before, where, fields = [] } = aged;

	async function find(conditions: object): Promise<EntityMap[K][]> {
		// A condition on a field that the caller chooses is beyond the compiler.
		const all = { ...where, ...conditions } as Where<EntityMap[K]>;
		return pace.run((limit) => storage.find(kind, { where: all, orderBy: [[time, "asc"]], limit, fields: ["id", time, ...fields] }));
	}

	async function readPage(after: string | undefined): Promise<EntityMap[K][]> {
		if (after === undefined) return find({ [time]: { lt: before } });
		const [, lastTime, lastId] = position.exec(after) ?? [];
		const tied = await find({ [time]: lastTime, id: { gt: lastId } });
		return tied.length > 0 ? tied : find({ [time]: { gt: lastTime, lt: before } });
	}

	for (let after = aged.from; ; ) {
		const page = await readPage(after);
		const last = page.at(-1);
		if (last === undefined) return undefined;
		const outcome = await handle(page);
		// What was cut short is looked at again.
		if (pace.signal.aborted) return after;
		after = `${String(last[time])}/${last.id}`;
		if (outcome === "enough" || pace.isOver()) return after;
	}
}
