import type { Inquiries } from "./inquiries-api.ts";

/** Engine members that this feature provides. */
export interface InquiriesApi {
	readonly inquiries: Inquiries;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends InquiriesApi {}
}
