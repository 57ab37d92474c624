import { createHash } from "node:crypto";
import { type Child, type ExecutionEntity, isJsonObject, type Storage, type Where } from "../../contract/index.ts";
import { EventLoopYield } from "../../lib/event-loop.ts";
import { type ListCursor, listStart, type Page, readPage } from "../basics/pagination.ts";
import { isCompleted } from "./status.ts";

/** Fields of a child that are read from the storage. */
export const childFields = ["id", "parent_id", "action_ref", "liveaction_id", "status", "log", "context", "followed_by"] as const;

/** Maximum number of children that one query reads. A run may have a hundred thousand children. */
const pageSize = 500;

/** Reads the children that match, page by page, in the order of their start. */
export async function* readChildPages(
	storage: Pick<Storage, "find" | "count">,
	where: Where<ExecutionEntity>,
): AsyncGenerator<readonly StoredChild[]> {
	const query = {
		where,
		fields: [...childFields, "start_timestamp"],
		orderBy: [["start_timestamp", "asc"]],
		limit: pageSize,
		exactTotal: 1,
	} as const;
	const loopYield = new EventLoopYield();
	for (let after: ListCursor | undefined = listStart; after !== undefined; await loopYield.yieldIfDue()) {
		const { items, next }: Page<StoredChild> = await readPage(storage, "execution", { ...query, after });
		if (items.length > 0) yield items;
		after = next;
	}
}

/** Stored execution of a child, limited to the fields that are read. */
export type StoredChild = Pick<ExecutionEntity, (typeof childFields)[number]>;

/** Fields of an execution that identify its parent run, and which child of that run it is. */
type ChildIdentity = Pick<ExecutionEntity, "id" | "parent_id" | "context">;

/** Origin of an execution that a run has started as a child. */
export interface ChildOrigin {
	readonly parentId: string;
	/** Key that the run gave the child; unique among the children of the run. */
	readonly key: string;
	/** Number of earlier executions of this child, each replaced by the next one, as by a retry; 0 for the first execution. */
	readonly replacementCount: number;
	/** Nesting depth: the number of parent runs above the child. */
	readonly depth: number;
}

/** State of a child at the time it was read. An execution and its replacements are one child, which has the id of the first execution. */
export interface ChildReading {
	readonly child: Child;
	/** Version of the child: of two readings, the one with the higher number is the later one. */
	readonly version: number;
}

/** The versions of each replacement start at the next multiple of this number. It exceeds the number of log entries of any execution. */
const versionsPerExecution = 2 ** 32;

/**
 * Returns the id of the child with this key, or of one of its replacements. The id is derived from parent and key. Ids are unique, so the
 * child is started at most once, even if several nodes start it at the same time. The first 8 characters are the parent's; they are the
 * time part of an id.
 */
export function toChildId(parentId: string, key: string, replacements = 0): string {
	const origin = replacements === 0 ? `${parentId}\0${key}` : `${parentId}\n${replacements}\n${key}`;
	return parentId.slice(0, 8) + createHash("sha256").update(origin).digest("hex").slice(0, 16);
}

/**
 * Returns the origin of a child; undefined if no run has started the execution as a child. The context alone proves nothing: API clients
 * may send any key, and a re-run of a child has a copy of its context. So the id of the execution must match as well.
 */
export function toChildOrigin({ id, parent_id: parentId, context }: ChildIdentity): ChildOrigin | undefined {
	const parent = context["parent"];
	if (parentId === null || !isJsonObject(parent)) return undefined;
	const { key, follow_ups: followUps = 0, depth = 1 } = parent;
	if (typeof key !== "string" || typeof followUps !== "number" || typeof depth !== "number") return undefined;
	return id === toChildId(parentId, key, followUps) ? { parentId, key, replacementCount: followUps, depth } : undefined;
}

/** Returns the id of the execution that replaces this one as the same child; undefined if none does. */
export function findReplacementId(stored: ChildIdentity & Pick<ExecutionEntity, "followed_by">): string | undefined {
	return stored.followed_by === null ? undefined : findReplacement(stored, toChildOrigin(stored));
}

/**
 * Returns a child as it was stored, with its version. If the execution has a replacement, the child is that replacement, as `requested`.
 */
export function toChildReading(stored: StoredChild): ChildReading {
	const { id, action_ref, liveaction_id, status, context, log } = stored;
	const origin = toChildOrigin(stored);
	const { key, replacementCount = 0 } = origin ?? {};
	const isFirst = origin === undefined || replacementCount === 0;
	const own = { id: isFirst ? id : toChildId(origin.parentId, origin.key), key, action_ref, liveaction_id, context };
	const replacement = findReplacement(stored, origin);
	if (replacement === undefined) {
		return {
			child: { ...own, execution_id: id, status, hasEnded: isCompleted(status) },
			version: replacementCount * versionsPerExecution + log.length,
		};
	}
	// The write that ended this execution has also stored its replacement, even if no event about the replacement has arrived yet.
	return {
		child: { ...own, execution_id: replacement, status: "requested", hasEnded: false },
		version: (replacementCount + 1) * versionsPerExecution,
	};
}

function findReplacement({ followed_by }: Pick<ExecutionEntity, "followed_by">, origin: ChildOrigin | undefined): string | undefined {
	if (followed_by === null || origin === undefined) return undefined;
	// An execution with any other id does not count as the same child, so the parent would wait for it forever.
	return followed_by === toChildId(origin.parentId, origin.key, origin.replacementCount + 1) ? followed_by : undefined;
}
