import { arrayOf, defineSchema, fieldsOf, integerSchema, nullable, objectSchema, stringSchema, timestamp } from "../../core/feature.ts";
import { auditCheckpointKind, auditEntryKind } from "./entities.ts";

const hash = { type: "string", pattern: "^[0-9a-f]{64}$" };

/** Entry of the audit record in API responses. */
export const auditEntrySchema = defineSchema(
	"AuditEntry",
	objectSchema({
		...fieldsOf(auditEntryKind, ["number", "user", "credential", "node", "request", "verb", "outcome"]),
		timestamp,
		address: nullable(stringSchema),
		request_id: nullable(stringSchema),
		record_kind: nullable(stringSchema),
		record_id: nullable(stringSchema),
		ref: nullable(stringSchema),
		fields: arrayOf(stringSchema),
		detail: nullable(stringSchema),
		previous_hash: hash,
		hash,
	}),
	{
		number: 1842,
		timestamp: "2031-03-04T09:15:02.418273Z",
		user: "maria",
		credential: "token:66a1e0019d3e4b7a51c00011",
		address: "192.0.2.17",
		node: "66a1e0019d3e4b7a51c00001",
		request_id: "d1f0a0c2-7b51-4f2e-9b57-1d2c3b4a5e6f",
		request: "PUT /rules/:ref",
		verb: "update",
		record_kind: "rule",
		record_id: "66a1e0019d3e4b7a51c00080",
		ref: "disk.clean",
		outcome: "done",
		fields: ["criteria"],
		detail: null,
		previous_hash: "4f2e9b571d2c3b4a5e6fd1f0a0c27b514f2e9b571d2c3b4a5e6fd1f0a0c27b51",
		hash: "9b571d2c3b4a5e6fd1f0a0c27b514f2e9b571d2c3b4a5e6fd1f0a0c27b514f2e",
	},
);

/** Checkpoint in API responses. */
export const auditCheckpointSchema = defineSchema(
	"AuditCheckpoint",
	objectSchema({ ...fieldsOf(auditCheckpointKind, ["number", "public_key", "signature"]), hash, timestamp }),
	{
		number: 1842,
		hash: "9b571d2c3b4a5e6fd1f0a0c27b514f2e9b571d2c3b4a5e6fd1f0a0c27b514f2e",
		timestamp: "2031-03-04T09:20:00.000000Z",
		public_key: "MCowBQYDK2VwAyEA7V3mXq5y1o0m2l8m7dXr0q8mYb1C0uQj1nS8u0lJc3E=",
		signature: "pQ0l…",
	},
);

/** Result of verifying the record, in API responses. */
export const auditReportSchema = defineSchema(
	"AuditReport",
	objectSchema({
		entries: integerSchema,
		first: nullable(integerSchema),
		last: nullable(integerSchema),
		checkpoints: integerSchema,
		keys: arrayOf(stringSchema),
		findings: arrayOf(objectSchema({ number: integerSchema, problem: stringSchema })),
		findings_total: integerSchema,
	}),
	{ entries: 1842, first: 1, last: 1842, checkpoints: 19, keys: ["5f1c0de2a9b74c31"], findings: [], findings_total: 0 },
);
