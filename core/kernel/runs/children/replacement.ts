import type { ExecutionEntity, JsonObject } from "../../../contract/index.ts";
import type { EngineClock } from "../../basics/clock.ts";
import { createId } from "../../basics/ids.ts";
import { toChildId, toChildOrigin } from "../../executions/child-record.ts";
import { newExecution } from "../../executions/new-execution.ts";

export interface FollowUpRequest {
	readonly context: JsonObject;
	/** Milliseconds that it waits; null: none. */
	readonly delay: number | null;
	readonly queue: string | null;
}

/** What has been noted of the one that has ended, and is not true of another. */
const noted = ["cancelled_by", "paused_by", "resumed_by"];

/** Whether somebody waits for the execution, and for one in its place: nobody has asked for it but a person, a rule, or a run that has named it. */
export function mayBeFollowed(ended: ExecutionEntity): boolean {
	return ended.parent_id === null || toChildOrigin(ended) !== undefined;
}

/** A new execution of the same, in the place of one that has ended: of what a run has started, the run sees it as the same child. */
export function draftFollowUp(clock: EngineClock, ended: ExecutionEntity, { context, delay, queue }: FollowUpRequest): ExecutionEntity {
	const origin = toChildOrigin(ended);
	const followUps = (origin?.followUps ?? 0) + 1;
	const id = origin === undefined ? createId(clock) : toChildId(origin.parentId, origin.key, followUps);
	const kept = Object.fromEntries(Object.entries(context).filter(([name]) => !noted.includes(name)));
	return newExecution(
		clock,
		{
			...ended,
			context: {
				...kept,
				...(origin !== undefined && { parent: { ...(context["parent"] as JsonObject), follow_ups: followUps } }),
				...(context["workflow_execution"] === ended.id && { workflow_execution: id }),
			},
			delay,
			queue,
		},
		id,
	);
}
