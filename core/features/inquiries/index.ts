import type { HttpFeature } from "../../http/http-feature.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { InquiriesApi } from "./api.ts";
import { createInquiries } from "./inquiries.ts";
import { endExpiredInquiries } from "./inquiry-expiry.ts";
import { inquiryRoutes } from "./routes.ts";

export interface InquiriesFeature extends HttpFeature<InquiriesApi> {
	/** Ends expired inquiries until the signal aborts. Returns how many it ended. */
	endOverdue(signal: AbortSignal): Promise<number>;
}

/** Creates the feature for inquiries of executions. */
export function createInquiriesFeature(kernel: Kernel): InquiriesFeature {
	return {
		api: { inquiries: createInquiries(kernel) },
		endOverdue: (signal) => endExpiredInquiries(kernel, signal),
		routes: inquiryRoutes,
	};
}
