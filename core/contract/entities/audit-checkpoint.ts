import type { EntityKindDefinition } from "./kind.ts";

/** Signed word of what the audit record was at a moment. */
export interface AuditCheckpointEntity {
	readonly id: string;
	/** Of the last entry at that moment. */
	readonly number: number;
	/** Hash of that entry. */
	readonly hash: string;
	readonly timestamp: string;
	/** Public key that the signature is checked with: Ed25519, SPKI in base64. */
	readonly public_key: string;
	/** Of number, hash and time; base64. */
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
