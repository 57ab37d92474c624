import type { JsonObject } from "./json.ts";

// What several nodes agree on. The map of all kinds is in entities.ts.

/** Parts of the service that a node may run. */
export const nodeRoles = ["auth", "api", "stream", "worker", "rules", "timers", "sensors"] as const;

/** A part of the service that a node may run. */
export type NodeRole = (typeof nodeRoles)[number];

/** `starting` until everything runs; `draining` while what it has begun goes on and nothing new begins; then `drained`. */
export type NodeState = "starting" | "ready" | "draining" | "drained";

/** A process of the service, as it tells of itself every third of `scheduler.lease`. The id is the node's id. */
export interface NodeEntity {
	readonly id: string;
	/** `node.name` of the options; the host's name by default. Several may have the same. */
	readonly name: string;
	readonly hostname: string;
	readonly pid: number;
	readonly version: string;
	readonly state: NodeState;
	/** Whether somebody has asked it to drain. */
	readonly drain: boolean;
	/** Executions that run there. */
	readonly running: number;
	readonly started_at: string;
	readonly heartbeat_at: string;
	/** A node past it counts as gone. */
	readonly expires_at: string;
	/** Writes about work that was no longer its own, and that were therefore refused, since it started. */
	readonly late_writes: number;
	/** Seconds by which its clock is ahead of the storage's; null where it was started before that was told, or only it uses the storage. */
	readonly clock_offset: number | null;
	/** Name of its event bus plugin: nodes with unlike ones do not hear each other. */
	readonly event_bus: string;
	/** Whether that bus reaches other processes. */
	readonly event_bus_shared: boolean;
	readonly roles: readonly NodeRole[];
	/** Where its components listen, by component. */
	readonly addresses: JsonObject;
}

/** Something that one node at a time does for all, such as removing what is old. */
export interface DutyEntity {
	readonly id: string;
	readonly name: string;
	/** Node that does it, null while nobody does. */
	readonly owner: string | null;
	/** As in executions. */
	readonly fence: string | null;
	readonly lease_expires_at: string | null;
	/** When it was last brought to its end. */
	readonly done_at: string | null;
}

/** A rule about the executions of an action: how many at once, and what follows a failure. */
export interface PolicyEntity {
	readonly id: string;
	readonly ref: string;
	readonly pack: string;
	readonly name: string;
	readonly description: string;
	readonly enabled: boolean;
	/** Ref of the action; need not exist. */
	readonly resource_ref: string;
	/** `action.concurrency`, `action.concurrency.attr`, `action.retry` or `action.crash`. */
	readonly policy_type: string;
	/** Counted up with every execution it lets through, so that of two nodes that count at the same time one counts again. */
	readonly turn: number;
	readonly metadata_file: string | null;
	readonly parameters: JsonObject;
}
