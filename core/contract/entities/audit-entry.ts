import type { EntityKindDefinition } from "./kind.ts";

/** An entry of the audit record: who changed what, or was refused. Each holds the hash of the one before, so that none can be taken out unseen. */
export interface AuditEntryEntity {
	readonly id: string;
	/** From 1 without gaps. */
	readonly number: number;
	readonly timestamp: string;
	/** Who asked; empty where nobody has said. */
	readonly user: string;
	/** What they asked with: `token:<id>`, `api_key:<id>`, or `none`; of what an execution has changed `execution:<id>`. */
	readonly credential: string;
	/** Where the request came from, as far as that is known. */
	readonly address: string | null;
	/** Id of the node that wrote the entry. */
	readonly node: string;
	readonly request_id: string | null;
	/** Method and path, as the reference of the API has them; of an execution `action <ref>`. */
	readonly request: string;
	readonly verb: string;
	/** Kind, id and name of the record that was changed; null where it is about no single record. */
	readonly record_kind: string | null;
	readonly record_id: string | null;
	readonly ref: string | null;
	/** `done`: stored together with the change. `begun`: written before what takes more than one write. `refused`: nothing was changed. */
	readonly outcome: string;
	/** Names of the members that changed, never their values. */
	readonly fields: readonly string[];
	/** Why it was refused; of a pack version and hash of its files, as they are and as they were; how much was not recorded before. */
	readonly detail: string | null;
	/** Of the entry before; 64 zeros in the first one. */
	readonly previous_hash: string;
	/** SHA-256 of all the rest, hex. */
	readonly hash: string;
}

export const auditEntryKind: EntityKindDefinition<AuditEntryEntity> = {
	fields: {
		id: "text",
		number: "integer",
		timestamp: "text",
		user: "text",
		credential: "text",
		address: "text",
		node: "text",
		request_id: "text",
		request: "text",
		verb: "text",
		record_kind: "text",
		record_id: "text",
		ref: "text",
		outcome: "text",
		fields: "json",
		detail: "text",
		previous_hash: "text",
		hash: "text",
	},
	unique: [["number"]],
	indexes: [["timestamp"], ["user", "number"], ["record_kind", "number"]],
};
