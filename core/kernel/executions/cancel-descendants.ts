import type { ExecutionEntity, Storage, WriteOperation } from "../../contract/index.ts";
import { inquiryRunnerType } from "../../language/inquiry-schema.ts";
import { toTimestamp } from "../basics/clock.ts";
import type { Uses } from "../basics/engine-parts.ts";
import type { Principal } from "../basics/principal.ts";
import { publishInterrupt, publishResumable, publishUpdated } from "./execution-events.ts";
import { withExecutionFields } from "./new-execution.ts";
import { applyPatch, type ExecutionPatch, expiredLeaseTimestamp, isCompleted, toResultPatch, toStatusPatch } from "./status.ts";

/** The completion effects of a child that is ended in the write of its parent. */
export interface ChildCompletionEffects {
	/** Fields to store together with the final status of the child. */
	readonly executionPatch: Partial<Pick<ExecutionEntity, "followed_by">>;
	/** Operations to store in the same write as the end of the child. */
	readonly operations: readonly WriteOperation[];
	/** Publishes the effects. Must be called once the operations are stored. */
	announce(): void;
}

export interface DescendantCancellationOptions extends Uses<"eventBus" | "clock" | "runners"> {
	readonly storage: Pick<Storage, "find">;
	/** Drafts the completion effects of a child that ends. */
	readonly draft: (ended: ExecutionEntity) => Promise<ChildCompletionEffects>;
	/** Returns the writes that revoke the run credentials of a child that ends. */
	readonly revokeCredentials: (ended: ExecutionEntity) => readonly WriteOperation[];
}

/** Writes that end the open questions and nested workflow executions below an execution, and their announcements. */
export interface DescendantCancellationDraft {
	readonly operations: readonly WriteOperation[];
	/** Publishes the changes of the children. Must be called once the operations are stored. */
	announce(): void;
}

const noCancellation: DescendantCancellationDraft = { operations: [], announce: () => undefined };

/**
 * Drafts the writes that cancel the questions and nested workflow executions below a workflow that ends. The caller stores them in the
 * write of that end, so that an inquiry never outlives its execution, regardless of how that execution ends. The writes expect the status
 * that was read here. A concurrent answer therefore makes the whole write fail with `SVC_CONFLICT`, and the caller reads again. Children of
 * other kinds are not canceled here.
 */
export async function draftDescendantCancellation(
	parts: DescendantCancellationOptions,
	ended: ExecutionEntity,
): Promise<DescendantCancellationDraft> {
	const { runners, storage, clock } = parts;
	// Only workflow runs have children to cancel, and only once they have started.
	if (ended.attempt === 0 || runners.get(ended.runner_name)?.capabilities.workflow !== true) return noCancellation;
	const workflowRunners = [...runners].filter(([, { capabilities }]) => capabilities.workflow === true).map(([name]) => name);
	const where = {
		parent_id: ended.id,
		end_timestamp: null,
		status: { not: "canceling" },
		runner_name: { in: [inquiryRunnerType, ...workflowRunners] },
	} as const;
	const openChildren = await storage.find("execution", { where, orderBy: [["id", "asc"]] });
	const timestamp = toTimestamp(clock.now());
	const ends = await Promise.all(openChildren.map((child) => draftEnd(parts, child, { ended, timestamp })));
	return {
		operations: ends.flatMap(({ operations }) => operations),
		announce() {
			for (const { announce } of ends) announce();
		},
	};
}

async function draftEnd(
	parts: DescendantCancellationOptions,
	child: ExecutionEntity,
	{ ended, timestamp }: { readonly ended: ExecutionEntity; readonly timestamp: string },
): Promise<DescendantCancellationDraft> {
	const canceledBy = ended.context["cancelled_by"];
	const username = typeof canceledBy === "string" ? canceledBy : ended.user;
	const patch = toCancelPatch(child, { username }, timestamp);
	const after = applyPatch(child, patch);
	const isFinal = isCompleted(after.status);
	const { executionPatch, operations, announce } = isFinal
		? await parts.draft(after)
		: { executionPatch: {}, operations: [], announce: () => undefined };
	const changedChild = withExecutionFields(after, executionPatch);
	const update = { update: "execution", id: child.id, patch: { ...patch, ...executionPatch }, expected: { status: child.status } } as const;
	return {
		operations: [update, ...(isFinal && child.fence !== null ? parts.revokeCredentials(child) : []), ...operations],
		announce() {
			publishUpdated(parts.eventBus, changedChild);
			if (changedChild.lease_expires_at === expiredLeaseTimestamp) publishResumable(parts.eventBus);
			else publishInterrupt(parts.eventBus, changedChild);
			announce();
		},
	};
}

/**
 * Returns the patch that cancels an execution. If its run has started, the status becomes `canceling`, and the node that holds the run ends
 * it. Any other execution becomes `canceled` at once.
 */
export function toCancelPatch(entity: ExecutionEntity, principal: Pick<Principal, "username">, timestamp: string): ExecutionPatch {
	const context = { ...entity.context, cancelled_by: principal.username };
	const result = { message: "Action canceled by user.", user: principal.username };
	const hasStarted = !["requested", "delayed", "scheduled", "pending"].includes(entity.status);
	// This also applies to children: if no node holds the parent, no node would end a child that is `canceling` and has not started.
	const status = hasStarted ? "canceling" : "canceled";
	return { ...toStatusPatch(entity, status, timestamp), ...toResultPatch(result), context };
}
