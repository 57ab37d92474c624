import { type ExecutionEntity, isSvcError, type Storage, type WriteOperation } from "../../contract/index.ts";
import { inquiryRunnerType } from "../../language/inquiry-schema.ts";
import { toTimestamp } from "../basics/clock.ts";
import type { Uses } from "../basics/engine-parts.ts";
import { publishTransition } from "./execution-events.ts";
import { withExecutionFields } from "./new-execution.ts";
import { applyPatch, isCompleted, toCancelPatch } from "./status.ts";

/**
 * Effects that one hook adds to the completion of an execution. The operations are stored in the write of the final status, all or nothing.
 */
export interface CompletionHookResult {
	readonly operations: readonly WriteOperation[];
	/**
	 * Id of an execution among `operations` that replaces the completed one, such as a retry. Callers that wait for the completed execution
	 * then wait for the replacement. Only for an execution that has been scheduled. Default: the execution is not replaced.
	 */
	readonly replacementId?: string;
	/** Publishes the effects. Must be called once the operations are stored. */
	announce(): void;
}

/** Effects of all hooks, and of the kernel itself, on the completion of an execution. */
export interface CompletionEffectsDraft extends Pick<CompletionHookResult, "operations" | "announce"> {
	/** Fields to store together with the final status of the execution. */
	readonly executionPatch: Partial<Pick<ExecutionEntity, "followed_by">>;
	/**
	 * Writes that end open questions and nested workflow executions below the execution. They must precede the update of the execution in the
	 * same write: all writes of an execution tree lock rows from the child upwards, so that no two writes deadlock.
	 */
	readonly descendantOperations: readonly WriteOperation[];
}

/** Hook of a feature that drafts its effects on the completion of an execution. */
export type CompletionEffectsHook = (ended: ExecutionEntity) => Promise<CompletionHookResult>;

/** Drafts the completion effects of executions. */
export interface CompletionEffects {
	/**
	 * Drafts the effects for an execution as it is about to be stored. Returns no effects unless the status is final or `pending`. If a hook
	 * fails, logs the error and omits the effects of that hook. Rejects with `SVC_UNAVAILABLE` while the storage is unavailable.
	 *
	 * `hasNoOpenDescendants`: true if the run itself has decided to end, after all of its descendants had ended. Open children are then not
	 * searched for. Default false.
	 */
	draft(ended: ExecutionEntity, facts?: { readonly hasNoOpenDescendants?: boolean }): Promise<CompletionEffectsDraft>;
	/**
	 * Returns the writes that revoke the run's credentials. The caller must store them in the write that ends the execution, because the node
	 * that held the run may have crashed.
	 */
	revokeCredentials(ended: ExecutionEntity): readonly WriteOperation[];
}

export const noCompletionEffects: CompletionEffectsDraft = {
	operations: [],
	announce: () => undefined,
	executionPatch: {},
	descendantOperations: [],
};

export interface CompletionEffectsDependencies extends Uses<"eventBus" | "clock" | "runners" | "logger"> {
	readonly storage: Pick<Storage, "find">;
	/** Returns the hooks of all features, in the order of the features. */
	readonly completionHooks: () => readonly CompletionEffectsHook[];
	/** Returns the writes that revoke the run's credentials. */
	readonly revokeCredentials: CompletionEffects["revokeCredentials"];
}

export function createCompletionEffects(parts: CompletionEffectsDependencies): CompletionEffects {
	const { logger, completionHooks, revokeCredentials } = parts;

	/**
	 * Calls a hook. Returns no effects if it fails, because it must prevent neither the end of the execution nor the effects of other hooks.
	 */
	async function callHook(hook: CompletionEffectsHook, ended: ExecutionEntity): Promise<CompletionHookResult> {
		try {
			return await hook(ended);
		} catch (error) {
			if (isSvcError(error, "SVC_UNAVAILABLE")) throw error;
			logger.error("completion hook failed", { execution_id: ended.id, error });
			return noCompletionEffects;
		}
	}

	async function draft(ended: ExecutionEntity, { hasNoOpenDescendants = false } = {}): Promise<CompletionEffectsDraft> {
		if (!isCompleted(ended.status) && ended.status !== "pending") return noCompletionEffects;
		const below = hasNoOpenDescendants || ended.status === "pending" ? [] : await draftDescendantCancellation(parts, ended, draft);
		const drafts: CompletionHookResult[] = [];
		for (const hook of completionHooks()) drafts.push(await callHook(hook, ended));
		const followed_by = drafts.find(({ replacementId }) => replacementId !== undefined)?.replacementId;
		return {
			executionPatch: followed_by === undefined ? {} : { followed_by },
			descendantOperations: below.flatMap(({ operations }) => operations),
			operations: drafts.flatMap(({ operations }) => operations),
			announce() {
				for (const { announce } of below) announce();
				for (const draft of drafts) draft.announce();
			},
		};
	}

	return { revokeCredentials, draft };
}

/** Writes that end one execution below an execution that ends, and their announcement. */
type ChildEnd = Pick<CompletionEffectsDraft, "operations" | "announce">;

/**
 * Drafts the writes that cancel the questions and nested workflow executions below a workflow that ends. The caller stores them in the
 * write of that end, so that an inquiry never outlives its execution, regardless of how that execution ends. The writes expect the status
 * that was read here. A concurrent answer therefore makes the whole write fail with `SVC_CONFLICT`, and the caller reads again. Children of
 * other kinds are not canceled here.
 */
async function draftDescendantCancellation(
	parts: CompletionEffectsDependencies,
	ended: ExecutionEntity,
	draft: CompletionEffects["draft"],
): Promise<readonly ChildEnd[]> {
	const { runners, storage, clock, eventBus } = parts;
	// Only workflow runs have children to cancel, and only once they have started.
	if (ended.attempt === 0 || runners.get(ended.runner_name)?.capabilities.workflow !== true) return [];
	const workflowRunners = [...runners].filter(([, { capabilities }]) => capabilities.workflow === true).map(([name]) => name);
	const where = {
		parent_id: ended.id,
		end_timestamp: null,
		status: { not: "canceling" },
		runner_name: { in: [inquiryRunnerType, ...workflowRunners] },
	} as const;
	const openChildren = await storage.find("execution", { where, orderBy: [["id", "asc"]] });
	const canceledBy = ended.context["cancelled_by"];
	const username = typeof canceledBy === "string" ? canceledBy : ended.user;
	const timestamp = toTimestamp(clock.now());
	return Promise.all(
		openChildren.map(async (child) => {
			const patch = toCancelPatch(child, { username }, timestamp);
			const after = applyPatch(child, patch);
			const { executionPatch, operations, announce } = await draft(after);
			const changedChild = withExecutionFields(after, executionPatch);
			const revocations = isCompleted(after.status) && child.fence !== null ? parts.revokeCredentials(child) : [];
			const update = {
				update: "execution",
				id: child.id,
				patch: { ...patch, ...executionPatch },
				expected: { status: child.status },
			} as const;
			return {
				operations: [update, ...revocations, ...operations],
				announce() {
					publishTransition(eventBus, changedChild);
					announce();
				},
			};
		}),
	);
}
