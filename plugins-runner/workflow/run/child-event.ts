import type { Child } from "../../../core/contract/index.ts";
import type { WorkflowEvent } from "../conductor-protocol.ts";

/** Returns the event for a child. Returns undefined for an execution without a key, which is not a task of the workflow. */
export function toChildEvent({ key, execution_id: id, status }: Child): WorkflowEvent | undefined {
	return key === undefined ? undefined : { type: "child", key, id, status };
}
