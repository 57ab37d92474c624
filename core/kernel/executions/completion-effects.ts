import { type ExecutionEntity, isSvcError, type WriteOperation } from "../../contract/index.ts";
import type { Uses } from "../basics/engine-parts.ts";
import { type DescendantCancellationOptions, draftDescendantCancellation } from "./cancel-descendants.ts";
import { isCompleted } from "./status.ts";

/** The effects of one hook on the completion of an execution. Its writes are stored with the final status, all or nothing. */
export interface CompletionHookResult {
	readonly operations: readonly WriteOperation[];
	/**
	 * Id of an inserted execution that replaces the completed one, such as a retry. Callers that wait for the completed execution then wait
	 * for the replacement. Only for an execution that has been scheduled. Default: the execution is not replaced.
	 */
	readonly replacementId?: string;
	/** Publishes the effects. To be called once the operations are stored. */
	announce(): void;
}

/** The effects of all hooks on the completion of an execution. */
export interface CompletionEffectsDraft extends Pick<CompletionHookResult, "operations" | "announce"> {
	/** Fields to store with the execution's own final status. */
	readonly executionPatch: Partial<Pick<ExecutionEntity, "followed_by">>;
	/**
	 * Writes that end open questions and nested workflow executions below the execution. They are stored in the same write, before the
	 * execution's own row. All writes of an execution tree lock rows from the child upwards, so that no two of them deadlock.
	 */
	readonly descendantOperations: readonly WriteOperation[];
}

/** Data about a completion that the caller already knows, so that it need not be read from the storage. */
export interface CompletionFacts {
	/** True if the run itself has decided its end, after everything below it had ended: open children are not searched. Default false. */
	readonly hasNoOpenDescendants?: boolean;
}

/** Hook of a feature that drafts its effects on the completion of an execution. */
export type CompletionEffectsHook = (ended: ExecutionEntity) => Promise<CompletionHookResult>;

/** Drafts the completion effects of executions. */
export interface CompletionEffects {
	/**
	 * Drafts the effects for an execution as it is about to be stored. There are none unless the status is final or `pending`.
	 * If a hook fails, the error is logged and its effects are left out. Rejects with `SVC_UNAVAILABLE` while the storage is unavailable.
	 */
	draft(ended: ExecutionEntity, facts?: CompletionFacts): Promise<CompletionEffectsDraft>;
	/**
	 * Returns the writes that revoke the run's credentials. They belong to the write of the end, because the node that held the run may
	 * have crashed.
	 */
	revokeCredentials(ended: ExecutionEntity): readonly WriteOperation[];
}

export const noCompletionEffects: CompletionEffectsDraft = {
	operations: [],
	announce: () => undefined,
	executionPatch: {},
	descendantOperations: [],
};

export interface CompletionEffectsOptions extends Omit<DescendantCancellationOptions, "draft">, Uses<"logger"> {
	/** Returns the hooks of all features, in the order of the features. */
	readonly completionHooks: () => readonly CompletionEffectsHook[];
	/** Returns the writes that revoke the run's credentials. */
	readonly revokeCredentials: (ended: ExecutionEntity) => readonly WriteOperation[];
}

export function createCompletionEffects(parts: CompletionEffectsOptions): CompletionEffects {
	const { logger, completionHooks, revokeCredentials } = parts;

	/** Calls a hook. A hook that fails must prevent neither the end itself nor the effects of other hooks. */
	async function callHook(hook: CompletionEffectsHook, ended: ExecutionEntity): Promise<CompletionHookResult> {
		try {
			return await hook(ended);
		} catch (error) {
			if (isSvcError(error, "SVC_UNAVAILABLE")) throw error;
			logger.error("what follows an ended execution could not be made", { execution_id: ended.id, error });
			return noCompletionEffects;
		}
	}

	async function draft(ended: ExecutionEntity, { hasNoOpenDescendants = false }: CompletionFacts = {}): Promise<CompletionEffectsDraft> {
		if (!isCompleted(ended.status) && ended.status !== "pending") return noCompletionEffects;
		const below =
			hasNoOpenDescendants || ended.status === "pending"
				? noCompletionEffects
				: await draftDescendantCancellation({ ...parts, draft }, ended);
		const drafts: CompletionHookResult[] = [];
		for (const hook of completionHooks()) drafts.push(await callHook(hook, ended));
		const followed_by = drafts.find(({ replacementId }) => replacementId !== undefined)?.replacementId;
		return {
			executionPatch: followed_by === undefined ? {} : { followed_by },
			descendantOperations: below.operations,
			operations: drafts.flatMap(({ operations }) => operations),
			announce() {
				below.announce();
				for (const draft of drafts) draft.announce();
			},
		};
	}

	return { revokeCredentials, draft };
}
