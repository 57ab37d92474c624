import { type ExecutionEntity, isSvcError, type Logger, type WriteOperation } from "../../contract/index.ts";
import { draftEndBelow, type EndBelowParts } from "./cancel-descendants.ts";
import { isCompleted } from "./status.ts";

/** What the end of an execution causes: writes that belong to that of the final status, or neither happens. */
export interface EndingDraft {
	readonly operations: readonly WriteOperation[];
	/**
	 * Id of one among them that runs the same again (`draftFollowUp`): whoever waits for the execution waits for that one. Of an execution
	 * that has been scheduled; default: how it has ended stands.
	 */
	readonly followedBy?: string;
	/** Call once they are stored. */
	announce(): void;
}

/** What all features make of an end. */
export interface Ending extends Pick<EndingDraft, "operations" | "announce"> {
	/** What the execution itself is stored with. */
	readonly mark: Partial<Pick<ExecutionEntity, "followed_by">>;
	/**
	 * Ends of what the execution has left open below it. Stored in the same write, before the execution's own row: all writes of a tree go
	 * from the child upwards, so that no two wait for one another.
	 */
	readonly below: readonly WriteOperation[];
}

/** An end about which something is known beforehand. */
export interface EndFacts {
	/** The run itself has decided its end, with everything below it over: nothing is looked for there. */
	readonly isTidy?: boolean;
}

/** Makes a part of what follows an execution that ends. */
export type Follow = (ended: ExecutionEntity) => Promise<EndingDraft>;

/** Makes what follows executions that end. */
export interface Endings {
	/**
	 * For an execution as it is about to be stored; one that has not come to its end, or to a question, causes nothing. What cannot
	 * be made is logged and left out. Rejects with `SVC_UNAVAILABLE` while the storage is away.
	 */
	draft(ended: ExecutionEntity, facts?: EndFacts): Promise<Ending>;
	/** Writes that belong to the end as well: what the run was given is taken back, whatever becomes of whoever runs it. */
	takeBack(ended: ExecutionEntity): readonly WriteOperation[];
}

export const nothingFollows: Ending = { operations: [], announce: () => undefined, mark: {}, below: [] };

export interface EndingParts extends Omit<EndBelowParts, "draft"> {
	readonly logger: Logger;
	/** Those of all features, in their order. */
	readonly follows: () => readonly Follow[];
	readonly takeBack: (ended: ExecutionEntity) => readonly WriteOperation[];
}

export function createEndings(parts: EndingParts): Endings {
	const { logger, follows, takeBack } = parts;

	/** One feature that fails must not take the end itself, or what others make of it, along. */
	async function orNothing(follow: Follow, ended: ExecutionEntity): Promise<EndingDraft> {
		try {
			return await follow(ended);
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
		for (const follow of follows()) drafts.push(await orNothing(follow, ended));
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
