import type { EntityKindDefinition } from "../../core/contract/index.ts";

/** State of a pack that the service follows in a git repository: it installs each new revision. */
export interface FollowedPackEntity {
	readonly id: string;
	/** Source of the pack with revision and directory, in the form in which `svc pack install` accepts it. */
	readonly source: string;
	/** Ref of the pack. Null until it has been installed from this source. */
	readonly pack: string | null;
	/** Commit of the last or current installation. */
	readonly commit: string | null;
	/**
	 * - `installing`: an installation is running.
	 * - `installed`: the last installation succeeded.
	 * - `failed`: the last installation failed.
	 * - `unreachable`: the repository cannot be reached.
	 */
	readonly state: string;
	/** Reason of the state `failed` or `unreachable`. */
	readonly reason: string | null;
	/** Id of the execution of the last installation. */
	readonly execution_id: string | null;
	readonly tried_at: string | null;
	/** Time at which the same commit is tried again. Null: only another commit is tried. */
	readonly retry_at: string | null;
	/** Time at which the last poll of the repository began. */
	readonly checked_at: string;
}

export const followedPackKind: EntityKindDefinition<FollowedPackEntity> = {
	fields: {
		id: "text",
		source: "text",
		pack: "text",
		commit: "text",
		state: "text",
		reason: "text",
		execution_id: "text",
		tried_at: "text",
		retry_at: "text",
		checked_at: "text",
	},
	unique: [["source"]],
};
