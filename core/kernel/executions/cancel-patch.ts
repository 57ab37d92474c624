import type { ExecutionEntity } from "../../contract/index.ts";
import type { Principal } from "../basics/principal.ts";
import { type ExecutionPatch, toResultPatch, toStatusPatch } from "./status.ts";

/** Patch that asks for the end of an execution: final at once unless a run has started, which then ends it. */
export function toCancelPatch(entity: ExecutionEntity, principal: Pick<Principal, "username">, timestamp: string): ExecutionPatch {
	const context = { ...entity.context, cancelled_by: principal.username };
	const result = { message: "Action canceled by user.", user: principal.username };
	const started = !["requested", "delayed", "scheduled", "pending"].includes(entity.status);
	// If no node holds the parent, no node would finish the execution, so it is final at once as well.
	const status = started ? "canceling" : "canceled";
	return { ...toStatusPatch(entity, status, timestamp), ...toResultPatch(result), context };
}
