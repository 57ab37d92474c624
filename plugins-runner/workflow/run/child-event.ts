import type { Child } from "../../../core/contract/index.ts";
import type { WorkflowEvent } from "../steps.ts";

/** What a workflow is told of a child; undefined of what somebody else has started below it, which is none of its tasks. */
export function toChildEvent({ key, execution_id: id, status }: Child): WorkflowEvent | undefined {
	return key === undefined ? undefined : { type: "child", key, id, status };
}
