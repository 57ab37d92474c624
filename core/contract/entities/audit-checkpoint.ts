import type { EntityKindDefinition } from "./kind.ts";

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
