import type { ExecutionEntity, NodeEntity, NodeRole } from "../../contract/index.ts";

/** Record of a node, with its liveness. */
export interface NodeView {
	readonly node: NodeEntity;
	/** True if the record of the node has not expired. Otherwise the node counts as crashed, and other nodes take its executions over. */
	readonly isAlive: boolean;
}

/** Nodes of the service: the processes that share its storage. */
export interface Nodes {
	/** Returns all nodes, sorted by name, then by start. Nodes that have crashed are included for an hour. */
	list(): Promise<readonly NodeView[]>;
	/**
	 * Returns a node by id or by name. Throws `SVC_NOT_FOUND` if no such node exists, and `SVC_INVALID` if several nodes have the name. If a
	 * live node has the name, crashed nodes with that name are ignored.
	 */
	get(idOrName: string): Promise<NodeView>;
	/** Returns the executions that a node runs, the newest first, at most 100. */
	running(nodeId: string): Promise<readonly Pick<ExecutionEntity, "id" | "action_ref" | "status">[]>;
	/**
	 * Requests that a node drains, or that it works again. The node applies the request at once if the event bus reaches it, otherwise with
	 * its next heartbeat. Throws `SVC_INVALID` if the node has stopped, and the errors of `get`.
	 */
	setDrain(idOrName: string, drain: boolean): Promise<NodeView>;
	/** Returns the roles that at least one live node has, in the order of `nodeRoles`. */
	groups(): Promise<readonly NodeRole[]>;
	/** Returns the live nodes with a role. Throws `SVC_NOT_FOUND` if the role does not exist. */
	members(group: string): Promise<readonly NodeView[]>;
}

/** Readiness of a node for requests. */
export interface Readiness {
	readonly ready: boolean;
	/** Reasons why the node is not ready; empty if it is. */
	readonly reasons: readonly UnreadyReason[];
	/**
	 * Problems that do not affect readiness. `clock`: the clock of the node differs from that of the storage by more than
	 * `scheduler.clock_tolerance`.
	 */
	readonly warnings: readonly "clock"[];
}

/**
 * Reason why a node is not ready. `storage`: the storage does not respond, or refuses the writes of the node. The other values are states
 * of the node.
 */
export type UnreadyReason = "starting" | "draining" | "drained" | "stopping" | "storage";
