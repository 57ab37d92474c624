import type { Audit } from "./audit-exports.ts";

/** Members that this feature adds to the engine. */
export interface AuditApi {
	readonly audit: Audit;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends AuditApi {}
}
