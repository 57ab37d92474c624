import type { OptionDefinitions } from "../../core/contract/index.ts";

/** The option section `workers`. Editors show the comments; a test keeps them equal to the definitions. */
export const workersOptions = {
	/**
	 * Runner types whose runs workers (`svc worker`) may carry out. Their actions have the parameter `svc_worker_labels`. Empty: none.
	 * Default `[]`. `SVC_WORKERS_RUNNERS` takes precedence.
	 */
	runners: {
		type: "list",
		default: [],
		description:
			"Runner types whose runs workers (`svc worker`) may carry out. Their actions have the parameter `svc_worker_labels`. Empty: none.",
	},
	/**
	 * Seconds until the lease of a worker on a run expires, unless it sends a heartbeat. With less than 15, processes that ignore SIGTERM
	 * have less than five seconds to end.
	 * Default `15`. `SVC_WORKERS_LEASE` takes precedence.
	 */
	lease: {
		type: "number",
		default: 15,
		minimum: 0.5,
		description:
			"Seconds until the lease of a worker on a run expires, unless it sends a heartbeat. With less than 15, processes that ignore SIGTERM have less than five seconds to end.",
	},
} as const satisfies OptionDefinitions;
