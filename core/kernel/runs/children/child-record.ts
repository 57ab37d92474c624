import { createHash } from "node:crypto";
import { type Child, type ExecutionEntity, isJsonObject } from "../../../contract/index.ts";
import { isCompleted } from "../../executions/status.ts";

/** What is read of a child. */
export const childFields = ["id", "parent_id", "action_ref", "liveaction_id", "status", "log", "context"] as const;

export type StoredChild = Pick<ExecutionEntity, (typeof childFields)[number]>;

/**
 * The id of the child with this key. As ids are unique there is one such child at most, whichever nodes mean to start it at once. The first
 * part is the parent's, which stands for the time in ids.
 */
export function toChildId(parentId: string, key: string): string {
	const hash = createHash("sha256").update(`${parentId}\0${key}`).digest("hex");
	return parentId.slice(0, 8) + hash.slice(0, 16);
}

export function toChild({ id, parent_id, action_ref, liveaction_id, status, context }: StoredChild): Child {
	const parent = context["parent"];
	const key = isJsonObject(parent) ? parent["key"] : undefined;
	// Over the API anybody may write any key, and another run of a child has its context.
	const isOwn = typeof key === "string" && parent_id !== null && id === toChildId(parent_id, key);
	return { id, key: isOwn ? key : undefined, action_ref, liveaction_id, status, hasEnded: isCompleted(status), context };
}
