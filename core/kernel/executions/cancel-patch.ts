import type { ExecutionEntity } from "../../contract/index.ts";
import type { Principal } from "../basics/principal.ts";
import { type ExecutionPatch, toResultPatch, toStatusPatch } from "./status.ts";

/**
 * Returns the patch that cancels an execution. If its run has started, the status becomes `canceling`, and the node that holds the run
 * ends it. Otherwise the execution is final at once (`canceled`).
 */
export function toCancelPatch(entity: ExecutionEntity, principal: Pick<Principal, "username">, timestamp: string): ExecutionPatch {
	const context = { ...entity.context, cancelled_by: principal.username };
	const result = { message: "Action canceled by user.", user: principal.username };
	const hasStarted = !["requested", "delayed", "scheduled", "pending"].includes(entity.status);
	// A child that has not started is final at once too: if no node holds its parent, no node would end the child.
	const status = hasStarted ? "canceling" : "canceled";
	return { ...toStatusPatch(entity, status, timestamp), ...toResultPatch(result), context };
}
