import type { EntityKindDefinition } from "./kind.ts";

/** How far the service has come with a pack that the configuration has it follow. */
export interface FollowedPackEntity {
	readonly id: string;
	/** Where the pack comes from, with revision and folder, as it would be written to install it. */
	readonly source: string;
	/** Ref of the pack, once it was installed from there. */
	readonly pack: string | null;
	/** Commit that was tried last, or is being tried. */
	readonly commit: string | null;
	/** `installing`, `installed`, `failed`, or `unreachable`. */
	readonly state: string;
	/** Why it has failed, or cannot be reached. */
	readonly reason: string | null;
	/** Of the last installation. */
	readonly execution_id: string | null;
	readonly tried_at: string | null;
	/** When the commit is tried again, though it is the same; null: with another one. */
	readonly retry_at: string | null;
	/** When the last look there began. */
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
