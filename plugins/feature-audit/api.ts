import type { Audit } from "./audit-exports.ts";

/** Members that this feature adds to the engine. */
export interface AuditApi {
	readonly audit: Audit;
}

declare module "../../core/feature.ts" {
	interface Engine extends AuditApi {}
}
