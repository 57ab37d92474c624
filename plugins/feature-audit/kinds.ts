import { defineKind } from "../../core/feature.ts";
import { type AuditCheckpointEntity, type AuditEntryEntity, auditCheckpointKind, auditEntryKind } from "./entities.ts";

declare module "../../core/feature.ts" {
	interface EntityMap {
		audit_entry: AuditEntryEntity;
		audit_checkpoint: AuditCheckpointEntity;
	}
}

defineKind("audit_entry", auditEntryKind);
defineKind("audit_checkpoint", auditCheckpointKind);
