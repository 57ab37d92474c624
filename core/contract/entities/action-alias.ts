import type { JsonObject } from "../json.ts";
import type { EntityKindDefinition } from "./kind.ts";

/** How a command may be written: a text, or what is shown of it beside what commands are held against. */
export type AliasFormat =
	| string
	| { readonly display: string; readonly representation: readonly string[]; readonly match_multiple?: boolean };

/** What people write in a chat to run an action. */
export interface ActionAliasEntity {
	readonly id: string;
	readonly ref: string;
	readonly pack: string;
	readonly name: string;
	readonly description: string;
	readonly enabled: boolean;
	/** Need not exist. */
	readonly action_ref: string;
	readonly metadata_file: string | null;
	readonly formats: readonly AliasFormat[];
	/** What is said when the execution has been asked for: `enabled`, `format`, `append_url`, `extra`. */
	readonly ack: JsonObject;
	/** What is said when it has ended: `enabled`, `format`, `extra`. */
	readonly result: JsonObject;
	readonly extra: JsonObject;
	/** Parameters that no command may set. */
	readonly immutable_parameters: JsonObject;
	/** User who changed it last: templates in `immutable_parameters` read with the permissions of this user. Null for one of an earlier version. */
	readonly author: string | null;
	/** Scopes of the API key that it was changed last with, which narrow what these templates read. Null: no such key. */
	readonly scopes: readonly string[] | null;
}

export const actionAliasKind: EntityKindDefinition<ActionAliasEntity> = {
	fields: {
		id: "text",
		ref: "text",
		pack: "text",
		name: "text",
		description: "text",
		enabled: "boolean",
		action_ref: "text",
		metadata_file: "text",
		formats: "json",
		ack: "json",
		result: "json",
		extra: "json",
		immutable_parameters: "json",
		author: "text",
		scopes: "json",
	},
	unique: [["ref"]],
	indexes: [["pack", "name"], ["name"], ["enabled", "pack", "name"]],
};
