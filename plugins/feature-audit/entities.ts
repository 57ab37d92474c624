import type { EntityKindDefinition } from "../../core/contract/index.ts";

/**
 * An entry of the audit record: a change, or a refused request, and its author.
 *
 * Each entry contains the hash of the previous one, so that the removal of an entry is detectable.
 */
export interface AuditEntryEntity {
	readonly id: string;
	/** Number of the entry, from 1 without gaps. */
	readonly number: number;
	readonly timestamp: string;
	/** The user of the request. Empty if the request named none, or if a refused sign-in named a user who does not exist. */
	readonly user: string;
	/** Credential of the request: `token:<id>`, `api_key:<id>`, or `none`. For changes by an execution, `execution:<id>`. */
	readonly credential: string;
	/** Client address of the request. Null if it is unknown. */
	readonly address: string | null;
	/** Id of the node that wrote the entry. */
	readonly node: string;
	readonly request_id: string | null;
	/** Method and path as in the API reference. For changes by an execution, `action <ref>`. */
	readonly request: string;
	readonly verb: string;
	/** Kind, id and name of the changed record. Null if the request does not concern a single record. */
	readonly record_kind: string | null;
	readonly record_id: string | null;
	readonly ref: string | null;
	/**
	 * - `done`: the entry was stored in one write with the change.
	 * - `begun`: the entry was stored before a change that takes several writes.
	 * - `refused`: nothing was changed.
	 */
	readonly outcome: string;
	/** Names of the members that changed, never their values. */
	readonly fields: readonly string[];
	/**
	 * Reason of a refusal; for a pack, version and hash of its files before and after; for a webhook or a timer, its title, such as
	 * `webhook hello`; or the number of changes that were not recorded.
	 */
	readonly detail: string | null;
	/** Hash of the previous entry. The first entry has 64 zeros. */
	readonly previous_hash: string;
	/** SHA-256 of all other fields except `id`, in hex. */
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

/** A signed statement about the audit record at one time. */
export interface AuditCheckpointEntity {
	readonly id: string;
	/** Number of the last entry that the statement covers. */
	readonly number: number;
	/** Hash of the last entry that the statement covers. */
	readonly hash: string;
	readonly timestamp: string;
	/** Public key for the verification of the signature: Ed25519, SPKI in base64. */
	readonly public_key: string;
	/** Signature of number, hash and time, in base64. */
	readonly signature: string;
}

export const auditCheckpointKind: EntityKindDefinition<AuditCheckpointEntity> = {
	fields: {
		id: "text",
		number: "integer",
		hash: "text",
		timestamp: "text",
		public_key: "text",
		signature: "text",
	},
	indexes: [["number"]],
};
