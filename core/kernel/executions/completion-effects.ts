import { type ExecutionEntity, isSvcError, type Logger, type WriteOperation } from "../../contract/index.ts";
import { draftEndBelow, type EndBelowParts } from "./cancel-descendants.ts";
import { isCompleted } from "./status.ts";

/** The effects of one hook on the completion of an execution. Its writes are stored with the final status, all or nothing. */
export interface EndingDraft {
	readonly operations: readonly WriteOperation[];
	/**
	 * Id of an inserted execution that replaces the completed one, such as a retry. Callers that wait for the completed execution then wait
	 * for the replacement. Only for an execution that has been scheduled. Default: the execution is not replaced.
	 */
	readonly followedBy?: string;
	/** Publishes the effects. To be called once the operations are stored. */
	announce(): void;
}

/** The effects of all hooks on the completion of an execution. */
export interface Ending extends Pick<EndingDraft, "operations" | "announce"> {
	/** Fields to store with the execution's own final status. */
	readonly mark: Partial<Pick<ExecutionEntity, "followed_by">>;
	/**
	 * Writes that end open questions and nested workflows below the execution. They are stored in the same write, before the execution's
	 * own row. All writes of an execution tree lock rows from the child upwards, so that no two of them deadlock.
	 */
	readonly below: readonly WriteOperation[];
}

/** Facts about a completion that save reading the storage. */
export interface EndFacts {
	/** True if the run itself has decided its end, after everything below it had ended: open children are not searched. Default false. */
	readonly isTidy?: boolean;
}

/** Hook of a feature that drafts its effects on the completion of an execution. */
export type Follow = (ended: ExecutionEntity) => Promise<EndingDraft>;

/** Drafts the completion effects of executions. */
export interface Endings {
	/**
	 * Drafts the effects for an execution as it is about to be stored. There are none unless the status is final or `pending`.
	 * If a hook fails, the error is logged and its effects are left out. Rejects with `SVC_UNAVAILABLE` while the storage is unavailable.
	 */
	draft(ended: ExecutionEntity, facts?: EndFacts): Promise<Ending>;
	/**
	 * Returns the writes that revoke the run's credentials. They belong to the write of the end, as the node that holds the run may be
	 * gone.
	 */
	takeBack(ended: ExecutionEntity): readonly WriteOperation[];
}

export const nothingFollows: Ending = { operations: [], announce: () => undefined, mark: {}, below: [] };

export interface EndingParts extends Omit<EndBelowParts, "draft"> {
	readonly logger: Logger;
	/** Returns the hooks of all features, in the order of the features. */
	readonly follows: () => readonly Follow[];
	/** Returns the writes that revoke the run's credentials. */
	readonly takeBack: (ended: ExecutionEntity) => readonly WriteOperation[];
}

export function createEndings(parts: EndingParts): Endings {
	const { logger, follows, takeBack } = parts;

	/** Calls a hook. A hook that fails must prevent neither the end itself nor the effects of other hooks. */
	async function callHook(hook: Follow, ended: ExecutionEntity): Promise<EndingDraft> {
		try {
			return await hook(ended);
		} catch (error) {
			if (isSvcError(error, "SVC_UNAVAILABLE")) throw error;
			logger.error("what follows an ended execution could not be made", { execution_id: ended.id, error });
			return nothingFollows;
		}
	}

	async function draft(ended: ExecutionEntity, { isTidy = false }: EndFacts = {}): Promise<Ending> {
		if (!isCompleted(ended.status) && ended.status !== "pending") return nothingFollows;
		const below = isTidy || ended.status === "pending" ? nothingFollows : await draftEndBelow({ ...parts, draft }, ended);
		const drafts: EndingDraft[] = [];
		for (const hook of follows()) drafts.push(await callHook(hook, ended));
		const followed_by = drafts.find(({ followedBy }) => followedBy !== undefined)?.followedBy;
		return {
			mark: followed_by === undefined ? {} : { followed_by },
			below: below.operations,
			operations: drafts.flatMap(({ operations }) => operations),
			announce() {
				below.announce();
				for (const draft of drafts) draft.announce();
			},
		};
	}

	return { takeBack, draft };
}
