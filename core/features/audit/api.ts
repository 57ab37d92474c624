import type { Audit } from "./audit-api.ts";

/** What the engine has of this feature. */
export interface AuditApi {
	readonly audit: Audit;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends AuditApi {}
}
