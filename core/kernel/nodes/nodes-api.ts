import type { ExecutionEntity, NodeEntity, NodeRole } from "../../contract/index.ts";

/** A node, and whether it has told of itself lately. */
export interface NodeView {
	readonly node: NodeEntity;
	/** False: it has gone without saying so, and what it ran is being taken over. */
	readonly isAlive: boolean;
}

/** The processes that make up the service. */
export interface Nodes {
	/** By name, then by start. Those that have gone without saying so are among them for an hour. */
	list(): Promise<readonly NodeView[]>;
	/** By id, or by a name that only one node has. `SVC_NOT_FOUND`, or `SVC_INVALID` for a name that several have. */
	get(idOrName: string): Promise<NodeView>;
	/** What a node runs, the oldest first; a hundred at most. */
	running(nodeId: string): Promise<readonly Pick<ExecutionEntity, "id" | "action_ref" | "status">[]>;
	/**
	 * Ask a node to take on nothing new, or to take on work again. It obeys at once where the event bus reaches it, and with its next
	 * heartbeat otherwise. `SVC_INVALID` for one that has gone.
	 */
	setDrain(idOrName: string, drain: boolean): Promise<NodeView>;
	/** Roles that some node has, in the order of the list of roles. */
	groups(): Promise<readonly NodeRole[]>;
	/** Living nodes with a role. `SVC_NOT_FOUND` for what is no role. */
	members(group: string): Promise<readonly NodeView[]>;
}

/** Whether a node is to be sent requests. */
export interface Readiness {
	readonly ready: boolean;
	/** Why not; empty when ready. */
	readonly reasons: readonly UnreadyReason[];
	/** What is wrong although it is ready. `clock`: its clock differs from the storage's by more than `scheduler.clock_tolerance`. */
	readonly warnings: readonly "clock"[];
}

/** `storage`: it cannot be reached, or refuses what the node writes. The others are what the node is at. */
export type UnreadyReason = "starting" | "draining" | "drained" | "stopping" | "storage";
