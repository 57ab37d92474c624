import type { ExecutionEntity, Storage, Where } from "../contract/index.ts";
import { EventLoopYield } from "../lib/event-loop.ts";
import { type ListCursor, listStart, type Page, readPage } from "./basics/pagination.ts";
import type { Descendant } from "./executions/executions-api.ts";

type ReadableStorage = Pick<Storage, "find" | "count">;

/** Maximum number of parents in one query. */
const maxParents = 500;
/** Maximum number of children that one query returns. */
const pageSize = 1_000;
const childQuery = {
	fields: ["id", "parent_id", "start_timestamp", "action_ref"],
	orderBy: [["start_timestamp", "asc"]],
} as const;

/**
 * Entry of the traversal stack: a descendant to yield, or the children of `parentId` to read after a cursor. `level` is the generation, 1
 * for children.
 */
type PendingEntry =
	| { readonly item: Descendant; readonly level: number }
	| { readonly parentId: string; readonly after: ListCursor; readonly level: number };

/**
 * Descendants of an execution, depth first: each descendant is followed by its own descendants. Reads only as far as the caller iterates,
 * one page of siblings at a time. If executions have few children, one query reads the children of many executions.
 */
export class DescendantTree {
	readonly #storage: ReadableStorage;
	readonly #levels: number;
	/** Stack of the entries to process; the last one is next. */
	readonly #pending: PendingEntry[];
	/** Children that were read ahead, by the id of their parent; undefined if a parent has too many for one query. */
	readonly #childrenByParent = new Map<string, readonly Descendant[] | undefined>();
	/** Number of executions whose children the next query reads. */
	#batchSize = maxParents;

	/** @param levels number of generations to read */
	constructor(storage: ReadableStorage, rootId: string, levels: number) {
		this.#storage = storage;
		this.#levels = levels;
		this.#pending = [{ parentId: rootId, after: listStart, level: 1 }];
	}

	async *[Symbol.asyncIterator](): AsyncGenerator<Descendant> {
		const loopYield = new EventLoopYield();
		for (let next = this.#pending.pop(); next !== undefined; next = this.#pending.pop()) {
			await loopYield.yieldIfDue();
			if (!("item" in next)) {
				await this.#readSiblings(next);
				continue;
			}
			const { item, level } = next;
			if (level < this.#levels) await this.#addChildren(item.id, level + 1);
			yield item;
		}
	}

	async #readSiblings({ parentId, after, level }: Exclude<PendingEntry, { readonly item: Descendant }>): Promise<void> {
		const { items, next } = await readChildPage(this.#storage, { parent_id: parentId }, after);
		if (next !== undefined) this.#pending.push({ parentId, after: next, level });
		this.#add(items, level);
	}

	#add(items: readonly Descendant[], level: number): void {
		for (let index = items.length - 1; index >= 0; index--) this.#pending.push({ item: items[index] as Descendant, level });
	}

	async #addChildren(parentId: string, level: number): Promise<void> {
		if (!this.#childrenByParent.has(parentId)) await this.#readAhead(parentId);
		const children = this.#childrenByParent.get(parentId);
		this.#childrenByParent.delete(parentId);
		if (children === undefined) this.#pending.push({ parentId, after: listStart, level });
		else this.#add(children, level);
	}

	/**
	 * Reads the children of an execution and of those that follow it with one query. If there are too many children, repeats the query for
	 * half as many executions.
	 */
	async #readAhead(parentId: string): Promise<void> {
		const ids = [parentId];
		for (const id of this.#unread()) {
			if (ids.length >= this.#batchSize) break;
			ids.push(id);
		}
		for (;;) {
			const where = { parent_id: { in: ids } };
			const children = await this.#storage.find("execution", { ...childQuery, where, limit: pageSize + 1 });
			if (children.length <= pageSize || ids.length === 1) {
				const byParent = groupByParent(children);
				for (const id of ids) this.#childrenByParent.set(id, children.length <= pageSize ? (byParent.get(id) ?? []) : undefined);
				this.#batchSize = Math.min(maxParents, ids.length * 2);
				return;
			}
			ids.length = Math.ceil(ids.length / 2);
		}
	}

	/** Yields the ids of executions whose children have not been read, in the order in which they are processed next. */
	*#unread(): Generator<string> {
		for (let index = this.#pending.length - 1; index >= 0; index--) {
			const next = this.#pending[index] as PendingEntry;
			if ("item" in next) yield* this.#unreadFrom(next.item, next.level);
		}
	}

	*#unreadFrom({ id }: Descendant, level: number): Generator<string> {
		if (level >= this.#levels) return;
		if (!this.#childrenByParent.has(id)) yield id;
		for (const child of this.#childrenByParent.get(id) ?? []) yield* this.#unreadFrom(child, level + 1);
	}
}

/**
 * Yields the descendants of an execution in the order of their start. No execution starts before its parent, so it suffices to read the
 * earliest executions of each generation. Reads up to 1,000 descendants at first, and ten times as many each time that the caller needs
 * more.
 */
export async function* descendantsByStart(storage: ReadableStorage, rootId: string, levels: number): AsyncGenerator<Descendant> {
	let yieldedCount = 0;
	for (let limit = pageSize; ; limit *= 10) {
		const descendants = await readFirst(storage, { rootId, levels, limit });
		for (const descendant of descendants.slice(yieldedCount)) yield descendant;
		if (descendants.length < limit) return;
		yieldedCount = descendants.length;
	}
}

/** Returns the first `limit` descendants in the order of their start. */
async function readFirst(
	storage: ReadableStorage,
	{ rootId, levels, limit }: { readonly rootId: string; readonly levels: number; readonly limit: number },
): Promise<readonly Descendant[]> {
	let first: Descendant[] = [];
	let generation: readonly string[] = [rootId];
	const loopYield = new EventLoopYield();
	for (let level = 0; generation.length > 0 && level < levels; level++) {
		const children: Descendant[] = [];
		for (let from = 0; from < generation.length; from += maxParents) {
			const last = first.length < limit ? undefined : first.at(-1);
			const where = {
				parent_id: { in: generation.slice(from, from + maxParents) },
				...(last !== undefined && { start_timestamp: { lte: last.start_timestamp } }),
			};
			let readCount = 0;
			for (let after: ListCursor | undefined = listStart; after !== undefined && readCount < limit; await loopYield.yieldIfDue()) {
				const { items, next }: Page<Descendant> = await readChildPage(storage, where, after);
				for (const item of items) children.push(item);
				readCount += items.length;
				after = next;
			}
		}
		first = [...first, ...children].sort(byStart).slice(0, limit);
		const firstSet = new Set(first);
		generation = children.flatMap((child) => (firstSet.has(child) ? [child.id] : []));
	}
	return first;
}

function readChildPage(storage: ReadableStorage, where: Where<ExecutionEntity>, after: ListCursor): Promise<Page<Descendant>> {
	return readPage(storage, "execution", { ...childQuery, where, limit: pageSize, exactTotal: 1, after });
}

function byStart(one: Descendant, other: Descendant): number {
	if (one.start_timestamp === other.start_timestamp) return 0;
	return one.start_timestamp < other.start_timestamp ? -1 : 1;
}

/** Groups executions by the id of their parent. Keeps their order within each group. */
export function groupByParent<C extends Pick<Descendant, "parent_id">>(children: readonly C[]): Map<string | null, C[]> {
	const groups = new Map<string | null, C[]>();
	for (const child of children) {
		const group = groups.get(child.parent_id);
		// Append to the list instead of copying it, because an execution may have thousands of children.
		if (group === undefined) groups.set(child.parent_id, [child]);
		else group.push(child);
	}
	return groups;
}
