import { createHash } from "node:crypto";
import { type Child, type ExecutionEntity, isJsonObject, type Storage, type Where } from "../../contract/index.ts";
import { Breath } from "../../lib/event-loop.ts";
import { beginning, type Page, type Place, readPage } from "../basics/pagination.ts";

import { isCompleted } from "./status.ts";

/** What is read of a child. */
export const childFields = ["id", "parent_id", "action_ref", "liveaction_id", "status", "log", "context", "followed_by"] as const;

/** Children that are read at a time: there may be a hundred thousand of one run. */
const pageSize = 500;

/** Reads the children of a run that match, page by page, by their start. */
export async function* readChildren(
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
	const breath = new Breath();
	for (let after: Place | undefined = beginning; after !== undefined; await breath.take()) {
		const { items, next }: Page<StoredChild> = await readPage(storage, "execution", { ...query, after });
		if (items.length > 0) yield items;
		after = next;
	}
}

export type StoredChild = Pick<ExecutionEntity, (typeof childFields)[number]>;

/** What of a child says where it comes from. */
type ChildNames = Pick<ExecutionEntity, "id" | "parent_id" | "context">;

/** What a run has started a child with, and how many executions of it have come before this one. */
export interface ChildOrigin {
	readonly parentId: string;
	readonly key: string;
	readonly followUps: number;
	/** How many runs stand above it. */
	readonly depth: number;
}

/** A child as it was at some time. Executions that follow one another are one child, which goes by the id of the first. */
export interface ChildReading {
	readonly child: Child;
	/** Of two readings of a child the one with the higher age is the later one. */
	readonly age: number;
}

/** More states than an execution has. */
const generation = 2 ** 32;

/**
 * The id of the child with this key, and of those that follow it. As ids are unique there is one such child at most, whichever nodes mean to
 * start it at once. The first part is the parent's, which stands for the time in ids.
 */
export function toChildId(parentId: string, key: string, followUps = 0): string {
	const named = followUps === 0 ? `${parentId}\0${key}` : `${parentId}\n${followUps}\n${key}`;
	return parentId.slice(0, 8) + createHash("sha256").update(named).digest("hex").slice(0, 16);
}

/** Undefined of what no run has started: over the API anybody may write any key, and another run of a child has its context. */
export function toChildOrigin({ id, parent_id: parentId, context }: ChildNames): ChildOrigin | undefined {
	const parent = context["parent"];
	if (parentId === null || !isJsonObject(parent)) return undefined;
	const { key, follow_ups: followUps = 0, depth = 1 } = parent;
	if (typeof key !== "string" || typeof followUps !== "number" || typeof depth !== "number") return undefined;
	return id === toChildId(parentId, key, followUps) ? { parentId, key, followUps, depth } : undefined;
}

/** The execution that is the child in the place of this one; undefined: none. */
export function toFollowing(stored: ChildNames & Pick<ExecutionEntity, "followed_by">): string | undefined {
	return stored.followed_by === null ? undefined : followingOf(stored, toChildOrigin(stored));
}

export function toReading(stored: StoredChild): ChildReading {
	const { id, action_ref, liveaction_id, status, context, log } = stored;
	const origin = toChildOrigin(stored);
	const { key, followUps = 0 } = origin ?? {};
	const isFirst = origin === undefined || followUps === 0;
	const own = { id: isFirst ? id : toChildId(origin.parentId, origin.key), key, action_ref, liveaction_id, context };
	const following = followingOf(stored, origin);
	if (following === undefined) {
		return { child: { ...own, execution_id: id, status, hasEnded: isCompleted(status) }, age: followUps * generation + log.length };
	}
	// What follows was stored with this end, whether anything has been heard of it or not.
	return { child: { ...own, execution_id: following, status: "requested", hasEnded: false }, age: (followUps + 1) * generation };
}

function followingOf({ followed_by }: Pick<ExecutionEntity, "followed_by">, origin: ChildOrigin | undefined): string | undefined {
	if (followed_by === null || origin === undefined) return undefined;
	// Nothing else would be seen as the same child, and be waited for ever.
	return followed_by === toChildId(origin.parentId, origin.key, origin.followUps + 1) ? followed_by : undefined;
}
