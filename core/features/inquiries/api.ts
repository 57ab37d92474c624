import type { Inquiries } from "./inquiries-api.ts";

/** What the engine has of this feature. */
export interface InquiriesApi {
	readonly inquiries: Inquiries;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends InquiriesApi {}
}
