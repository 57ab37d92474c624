import type { ServedFeature } from "../../http/served-feature.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { PoliciesApi } from "./api.ts";
import { createPolicyCore } from "./policy-core.ts";
import { policyRoutes } from "./routes.ts";

/** Concurrency, which holds executions, and retries, which follow their ends. */
export function createPoliciesFeature(kernel: Kernel): ServedFeature<PoliciesApi> {
	const core = createPolicyCore({ ...kernel, pollInterval: kernel.options.scheduler.poll_interval });
	return {
		api: { policies: core.policies },
		queues: core.queues,
		async follow(ended) {
			const next = await core.retries.draft(ended);
			if (next === undefined) return { operations: [], announce: () => undefined };
			return { operations: [{ insert: "execution", entities: [next] }], announce: () => kernel.announce(next) };
		},
		start: core.start,
		stop: core.stop,
		routes: policyRoutes,
	};
}
