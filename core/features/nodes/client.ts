import type { ApiClient, CallOptions } from "../../client/api-client.ts";
import type { ListPage } from "../../client/page.ts";
import { isSvcError } from "../../contract/errors.ts";
import type { ExecutionStatus, JsonObject, NodeRole, NodeState } from "../../contract/index.ts";

/** A node as the API returns it. */
export interface NodeRecord {
	readonly id: string;
	readonly name: string;
	readonly hostname: string;
	readonly pid: number;
	readonly version: string;
	/** State of the node; `gone` if its lease has expired without a heartbeat. */
	readonly state: NodeState | "gone";
	/** True if an administrator has requested that the node drain. */
	readonly drain: boolean;
	/** Number of executions that run on the node. */
	readonly running: number;
	readonly started_at: string;
	readonly heartbeat_at: string;
	/** Number of stale writes refused since the start of the node, because it no longer held the lease. */
	readonly late_writes: number;
	/** Seconds by which the clock of the node is ahead of the storage clock. Null if no other node uses the storage. */
	readonly clock_offset: number | null;
	readonly event_bus: string;
	readonly roles: readonly NodeRole[];
	/** Listening addresses by component. */
	readonly addresses: JsonObject;
}

/** A node with its running executions. */
export interface SingleNodeRecord extends NodeRecord {
	/** Executions that run on the node, newest first; at most 100. */
	readonly executions: readonly { readonly id: string; readonly action_ref: string; readonly status: ExecutionStatus }[];
}

/** Readiness of a node for requests. */
export interface ReadinessRecord {
	readonly ready: boolean;
	/** Reason, if the node is not ready. */
	readonly problem?: string;
	/** Problems that do not affect readiness: `clock`. */
	readonly warnings: readonly string[];
}

/** Client for the nodes of a service. */
export interface NodeClient {
	list(): Promise<ListPage<NodeRecord>>;
	/** Returns the node with an id, or with a name that only one node has. */
	get(idOrName: string, options?: CallOptions): Promise<SingleNodeRecord>;
	/** Requests that the node start no new work. */
	drain(idOrName: string): Promise<NodeRecord>;
	/** Requests that the node accept new work again. */
	resume(idOrName: string): Promise<NodeRecord>;
	/** Returns the readiness of the node that handles the request. */
	readiness(options?: CallOptions): Promise<ReadinessRecord>;
}

export function createNodeClient({ read, list }: ApiClient): NodeClient {
	const at = (idOrName: string) => `/nodes/${encodeURIComponent(idOrName)}`;
	return {
		list: () => list("/nodes"),
		get: (idOrName, waiting) => read(at(idOrName), waiting),
		drain: (idOrName) => read(`${at(idOrName)}/drain`, { method: "POST" }),
		resume: (idOrName) => read(`${at(idOrName)}/resume`, { method: "POST" }),
		async readiness(waiting) {
			try {
				const { ready, warnings = [] } = await read<Partial<ReadinessRecord>>("/health/ready", waiting);
				return { ready: ready === true, warnings };
			} catch (error) {
				if (isSvcError(error, "SVC_UNAVAILABLE") && error.facts?.["status"] === 503)
					return { ready: false, problem: error.message, warnings: [] };
				throw error;
			}
		},
	};
}
