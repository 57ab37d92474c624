import type { JsonObject } from "../json.ts";
import type { EntityKindDefinition } from "./kind.ts";

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

export const nodeKind: EntityKindDefinition<NodeEntity> = {
	fields: {
		id: "text",
		name: "text",
		hostname: "text",
		pid: "integer",
		version: "text",
		state: "text",
		drain: "boolean",
		running: "integer",
		started_at: "text",
		heartbeat_at: "text",
		expires_at: "text",
		late_writes: "integer",
		event_bus: "text",
		event_bus_shared: "boolean",
		roles: "json",
		addresses: "json",
		clock_offset: "real",
	},
	indexes: [["expires_at"]],
};
