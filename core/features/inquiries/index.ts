import type { ServedFeature } from "../../http/served-feature.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { InquiriesApi } from "./api.ts";
import { createInquiries } from "./inquiries.ts";
import { inquiryRoutes } from "./routes.ts";

/** Questions that executions ask. */
export function createInquiriesFeature(kernel: Kernel): ServedFeature<InquiriesApi> {
	return { api: { inquiries: createInquiries(kernel) }, routes: inquiryRoutes };
}
