import type { Inquiries } from "./inquiries-exports.ts";

/** Engine members that this feature provides. */
export interface InquiriesApi {
	readonly inquiries: Inquiries;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends InquiriesApi {}
}
