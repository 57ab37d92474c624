import type { Api } from "../../client/api.ts";
import type { ListPage } from "../../client/page.ts";
import { isSvcError } from "../../contract/errors.ts";
import type { ExecutionStatus, JsonObject, NodeRole, NodeState } from "../../contract/index.ts";

/** A node as the API shows it. */
export interface NodeRecord {
	readonly id: string;
	readonly name: string;
	readonly hostname: string;
	readonly pid: number;
	readonly version: string;
	/** `gone`: it has not told of itself for longer than its lease. */
	readonly state: NodeState | "gone";
	/** Whether it has been asked to drain. */
	readonly drain: boolean;
	/** Executions that run there. */
	readonly running: number;
	readonly started_at: string;
	readonly heartbeat_at: string;
	/** Writes refused because the work was no longer its own. */
	readonly late_writes: number;
	/** Seconds by which its clock is ahead of the storage's; null where it alone uses the storage. */
	readonly clock_offset: number | null;
	readonly event_bus: string;
	readonly roles: readonly NodeRole[];
	/** Where its components listen, by component. */
	readonly addresses: JsonObject;
}

/** A node with what runs there. */
export interface SingleNodeRecord extends NodeRecord {
	/** What runs there, the oldest first; a hundred at most. */
	readonly executions: readonly { readonly id: string; readonly action_ref: string; readonly status: ExecutionStatus }[];
}

/** Whether a node is ready for requests. */
export interface ReadinessRecord {
	readonly ready: boolean;
	/** Why not, in words. */
	readonly problem?: string;
	/** What is not as it should be, though it is ready: `clock`. */
	readonly warnings: readonly string[];
}

interface Waiting {
	readonly signal?: AbortSignal | undefined;
}

/** The nodes of a service. */
export interface NodeClient {
	list(): Promise<ListPage<NodeRecord>>;
	/** By id, or by a name that only one node has. */
	get(idOrName: string, options?: Waiting): Promise<SingleNodeRecord>;
	/** Ask it to take on nothing new. */
	drain(idOrName: string): Promise<NodeRecord>;
	/** Ask it to take on work again. */
	resume(idOrName: string): Promise<NodeRecord>;
	/** Whether the node that answers is ready. */
	readiness(options?: Waiting): Promise<ReadinessRecord>;
}

export function createNodeClient({ read, list }: Api): NodeClient {
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
