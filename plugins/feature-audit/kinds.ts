import type { ResourceTypeDefinition } from "../../core/feature.ts";
import { type AuditCheckpointEntity, type AuditEntryEntity, auditCheckpointKind, auditEntryKind } from "./entities.ts";

declare module "../../core/feature.ts" {
	interface EntityMap {
		audit_entry: AuditEntryEntity;
		audit_checkpoint: AuditCheckpointEntity;
	}
	interface PermissionVerbs {
		audit: "view";
	}
}

export const kinds = { audit_entry: auditEntryKind, audit_checkpoint: auditCheckpointKind };

export const permissions: { readonly audit: ResourceTypeDefinition } = {
	audit: { verbs: ["view"], global: ["view"], isHiddenFromObservers: true },
};
