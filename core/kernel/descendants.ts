import type { ExecutionEntity, Storage, Where } from "../contract/index.ts";
import { Breath } from "../lib/event-loop.ts";
import { beginning, type Page, type Place, readPage } from "./basics/pagination.ts";

import type { Descendant } from "./executions/executions-api.ts";

type Reads = Pick<Storage, "find" | "count">;

/** Parents that one query names, and records that it answers. */
const maxParents = 500;
const pageSize = 1_000;
const query = {
	fields: ["id", "parent_id", "start_timestamp", "action_ref"],
	orderBy: [["start_timestamp", "asc"]],
} as const;

/** A descendant and how far below the root it is; or the children of `parentId` that follow `after`. */
type Pending =
	| { readonly item: Descendant; readonly level: number }
	| { readonly parentId: string; readonly after: Place; readonly level: number };

/**
 * Descendants of an execution, depth first: each is followed by its own. Reads only as far as the caller goes: a page of siblings at a time,
 * and the children of many executions with one query if they are few.
 */
export class DescendantTree {
	readonly #storage: Reads;
	readonly #levels: number;
	/** What comes next, the last entry first. */
	readonly #pending: Pending[];
	/** Children that have been read already; undefined: too many for one query. */
	readonly #children = new Map<string, readonly Descendant[] | undefined>();
	/** Executions whose children the next query reads. */
	#batch = maxParents;

	/** @param levels generations to read */
	constructor(storage: Reads, rootId: string, levels: number) {
		this.#storage = storage;
		this.#levels = levels;
		this.#pending = [{ parentId: rootId, after: beginning, level: 1 }];
	}

	async *[Symbol.asyncIterator](): AsyncGenerator<Descendant> {
		const breath = new Breath();
		for (let next = this.#pending.pop(); next !== undefined; next = this.#pending.pop()) {
			await breath.take();
			if (!("item" in next)) {
				await this.#readSiblings(next);
				continue;
			}
			const { item, level } = next;
			if (level < this.#levels) await this.#addChildren(item.id, level + 1);
			yield item;
		}
	}

	async #readSiblings({ parentId, after, level }: Exclude<Pending, { readonly item: Descendant }>): Promise<void> {
		const { items, next } = await readChildPage(this.#storage, { parent_id: parentId }, after);
		if (next !== undefined) this.#pending.push({ parentId, after: next, level });
		this.#add(items, level);
	}

	#add(items: readonly Descendant[], level: number): void {
		for (let index = items.length - 1; index >= 0; index--) this.#pending.push({ item: items[index] as Descendant, level });
	}

	async #addChildren(parentId: string, level: number): Promise<void> {
		if (!this.#children.has(parentId)) await this.#readAhead(parentId);
		const children = this.#children.get(parentId);
		this.#children.delete(parentId);
		if (children === undefined) this.#pending.push({ parentId, after: beginning, level });
		else this.#add(children, level);
	}

	/** Reads the children of an execution, and of those that come next. If they are too many for one query, of fewer. */
	async #readAhead(parentId: string): Promise<void> {
		const ids = [parentId];
		for (const id of this.#unread()) {
			if (ids.length >= this.#batch) break;
			ids.push(id);
		}
		for (;;) {
			const where = { parent_id: { in: ids } };
			const found = await this.#storage.find("execution", { ...query, where, limit: pageSize + 1 });
			if (found.length <= pageSize || ids.length === 1) {
				const byParent = groupByParent(found);
				for (const id of ids) this.#children.set(id, found.length <= pageSize ? (byParent.get(id) ?? []) : undefined);
				this.#batch = Math.min(maxParents, ids.length * 2);
				return;
			}
			ids.length = Math.ceil(ids.length / 2);
		}
	}

	/** Executions that come next and whose children must still be read, in their order. */
	*#unread(): Generator<string> {
		for (let index = this.#pending.length - 1; index >= 0; index--) {
			const next = this.#pending[index] as Pending;
			if ("item" in next) yield* this.#unreadFrom(next.item, next.level);
		}
	}

	*#unreadFrom({ id }: Descendant, level: number): Generator<string> {
		if (level >= this.#levels) return;
		if (!this.#children.has(id)) yield id;
		for (const child of this.#children.get(id) ?? []) yield* this.#unreadFrom(child, level + 1);
	}
}

/**
 * Descendants of an execution by their start. As none starts before its parent, the first ones are found by reading only the first ones of each
 * generation: first `pageSize` in all, and ten times as many each time that the caller goes on.
 */
export async function* descendantsByStart(storage: Reads, rootId: string, levels: number): AsyncGenerator<Descendant> {
	let given = 0;
	for (let most = pageSize; ; most *= 10) {
		const found = await readFirst(storage, { rootId, levels, most });
		for (const descendant of found.slice(given)) yield descendant;
		if (found.length < most) return;
		given = found.length;
	}
}

async function readFirst(
	storage: Reads,
	{ rootId, levels, most }: { readonly rootId: string; readonly levels: number; readonly most: number },
): Promise<readonly Descendant[]> {
	let first: Descendant[] = [];
	let generation: readonly string[] = [rootId];
	const breath = new Breath();
	for (let level = 0; generation.length > 0 && level < levels; level++) {
		const children: Descendant[] = [];
		for (let from = 0; from < generation.length; from += maxParents) {
			const last = first.length < most ? undefined : first.at(-1);
			const where = {
				parent_id: { in: generation.slice(from, from + maxParents) },
				...(last !== undefined && { start_timestamp: { lte: last.start_timestamp } }),
			};
			let read = 0;
			for (let after: Place | undefined = beginning; after !== undefined && read < most; await breath.take()) {
				const { items, next }: Page<Descendant> = await readChildPage(storage, where, after);
				for (const item of items) children.push(item);
				read += items.length;
				after = next;
			}
		}
		first = [...first, ...children].sort(byStart).slice(0, most);
		const kept = new Set(first);
		generation = children.flatMap((child) => (kept.has(child) ? [child.id] : []));
	}
	return first;
}

function readChildPage(storage: Reads, where: Where<ExecutionEntity>, after: Place): Promise<Page<Descendant>> {
	return readPage(storage, "execution", { ...query, where, limit: pageSize, exactTotal: 1, after });
}

function byStart(one: Descendant, other: Descendant): number {
	if (one.start_timestamp === other.start_timestamp) return 0;
	return one.start_timestamp < other.start_timestamp ? -1 : 1;
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
