import type { ExecutionEntity, JsonObject } from "../../../contract/index.ts";
import type { EngineClock } from "../../basics/clock.ts";
import { createId } from "../../basics/ids.ts";
import { toChildId, toChildOrigin } from "../../executions/child-identity.ts";
import { newExecution } from "../../executions/new-execution.ts";

/** Fields in which the replacement differs from the execution that it replaces. */
export interface ReplacementOverrides {
	readonly context: JsonObject;
	/** Milliseconds before the replacement may start; null: no delay. */
	readonly delay: number | null;
	readonly queue: string | null;
}

/** Members of the context that record who changed the ended execution. They do not apply to its replacement. */
const historyContextNames = ["cancelled_by", "paused_by", "resumed_by"];

/**
 * Returns true if the execution may be replaced: it was requested by a user, a rule, or a run that has given it a key. An execution with a
 * parent but without a key may not be replaced, because no run would wait for the replacement.
 */
export function mayHaveReplacement(ended: ExecutionEntity): boolean {
	return ended.parent_id === null || toChildOrigin(ended) !== undefined;
}

/**
 * Returns a new execution of the same action that replaces an ended one. If the ended execution is a child of a run, the id of the new one
 * makes it the same child for that run.
 */
export function draftReplacement(
	clock: EngineClock,
	ended: ExecutionEntity,
	{ context, delay, queue }: ReplacementOverrides,
): ExecutionEntity {
	const origin = toChildOrigin(ended);
	const replacements = (origin?.replacementCount ?? 0) + 1;
	const id = origin === undefined ? createId(clock) : toChildId(origin.parentId, origin.key, replacements);
	const newContext = Object.fromEntries(Object.entries(context).filter(([name]) => !historyContextNames.includes(name)));
	return newExecution(
		clock,
		{
			...ended,
			context: {
				...newContext,
				...(origin !== undefined && { parent: { ...(context["parent"] as JsonObject), follow_ups: replacements } }),
				...(context["workflow_execution"] === ended.id && { workflow_execution: id }),
			},
			delay,
			queue,
		},
		id,
	);
}
