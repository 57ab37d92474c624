import type { ExecutionEntity, Storage, Where } from "../../contract/index.ts";
import { Breath } from "../basics/breath.ts";
import { type Page, readPage } from "../basics/page.ts";
import { beginning, type Place } from "../basics/walk.ts";

/** An execution as far as the tree needs it. There may be hundreds of thousands. */
export type Descendant = Pick<ExecutionEntity, "id" | "parent_id" | "start_timestamp" | "action_ref">;

/** Parents that one query names, and records that it answers. */
const maxParents = 500;
const pageSize = 1_000;

/** All descendants, nearest first, at most `depth` generations; 0 or negative: all. Reads page by page and yields to the event loop in between. */
export async function readDescendants(storage: Storage, id: string, depth: number): Promise<Descendant[]> {
	const found: Descendant[] = [];
	const breath = new Breath();
	let generation: readonly string[] = [id];
	for (let level = 0; generation.length > 0 && (depth <= 0 || level < depth); level += 1) {
		const children: Descendant[] = [];
		for (let from = 0; from < generation.length; from += maxParents) {
			const where = { parent_id: { in: generation.slice(from, from + maxParents) } };
			for await (const page of pagesOf(storage, where)) {
				for (const { id, parent_id, start_timestamp, action_ref } of page) children.push({ id, parent_id, start_timestamp, action_ref });
				await breath.take();
			}
		}
		if (generation.length > maxParents) children.sort(byStart);
		for (const child of children) found.push(child);
		generation = children.map((child) => child.id);
	}
	return found;
}

async function* pagesOf(storage: Storage, where: Where<ExecutionEntity>): AsyncGenerator<readonly Descendant[]> {
	const fields = ["id", "parent_id", "start_timestamp", "action_ref"] as const;
	const query = { where, fields, orderBy: [["start_timestamp", "asc"]], limit: pageSize, exactTotal: 1 } as const;
	for (let after: Place | undefined = beginning; after !== undefined; ) {
		const { items, next }: Page<Descendant> = await readPage(storage, "execution", { ...query, after });
		yield items;
		after = next;
	}
}

export function byStart(one: Descendant, other: Descendant): number {
	if (one.start_timestamp === other.start_timestamp) return 0;
	return one.start_timestamp < other.start_timestamp ? -1 : 1;
}

/** Depth first: every execution is followed by its own descendants. */
export function toTreeOrder(rootId: string, descendants: readonly Descendant[]): Descendant[] {
	const byParent = groupByParent(descendants);
	const ordered: Descendant[] = [];
	const visit = (id: string): void => {
		for (const child of byParent.get(id) ?? []) {
			ordered.push(child);
			visit(child.id);
		}
	};
	visit(rootId);
	return ordered;
}

export function groupByParent<C extends Pick<Descendant, "parent_id">>(children: readonly C[]): Map<string | null, C[]> {
	const groups = new Map<string | null, C[]>();
	for (const child of children) {
		const group = groups.get(child.parent_id);
		// An execution may have thousands of children: no list is made anew for each.
		if (group === undefined) groups.set(child.parent_id, [child]);
		else group.push(child);
	}
	return groups;
}
