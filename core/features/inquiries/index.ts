import type { HttpFeature } from "../../http/http-feature.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { InquiriesApi } from "./api.ts";
import { endInquiries } from "./end-inquiries.ts";
import { createInquiries } from "./inquiries.ts";
import { inquiryRoutes } from "./routes.ts";

export interface InquiriesFeature extends HttpFeature<InquiriesApi> {
	/** End the questions whose time has passed, until the signal aborts: how many they were. */
	endOverdue(signal: AbortSignal): Promise<number>;
}

/** Questions that executions ask. */
export function createInquiriesFeature(kernel: Kernel): InquiriesFeature {
	return {
		api: { inquiries: createInquiries(kernel) },
		endOverdue: (signal) => endInquiries(kernel, signal),
		routes: inquiryRoutes,
	};
}
