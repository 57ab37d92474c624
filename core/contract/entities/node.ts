import type { JsonObject } from "../json.ts";
import type { EntityKindDefinition } from "./kind.ts";

/**
 * Roles of a node.
 *
 * - `auth`: serves sign-in and tokens.
 * - `api`: serves the API.
 * - `stream`: serves event streams.
 * - `worker`: runs executions.
 * - `rules`: processes trigger instances.
 * - `timers`: fires timers.
 * - `sensors`: runs sensors.
 */
export const nodeRoles = ["auth", "api", "stream", "worker", "rules", "timers", "sensors"] as const;

/** A part of the service that a node may run. */
export type NodeRole = (typeof nodeRoles)[number];

/**
 * State of a node.
 *
 * - `starting`: some components have not started yet.
 * - `ready`: all components run.
 * - `draining`: current work continues, and no new work begins.
 * - `drained`: no work is left.
 */
export type NodeState = "starting" | "ready" | "draining" | "drained";

/** A node: a running engine. It updates its record three times per `scheduler.lease`. The id is the `nodeId` of `PluginContext`. */
export interface NodeEntity {
	readonly id: string;
	/** The option `node.name`, by default the name of the host. Several nodes may share a name. */
	readonly name: string;
	readonly hostname: string;
	readonly pid: number;
	readonly version: string;
	readonly state: NodeState;
	/** True if an operator has requested the node to drain. */
	readonly drain: boolean;
	/** Number of executions that run on the node. */
	readonly running: number;
	readonly started_at: string;
	readonly heartbeat_at: string;
	/** Time after which the node counts as failed, unless it renews its record. */
	readonly expires_at: string;
	/** Number of refused stale writes since the start of the node: writes about work that it no longer owned. */
	readonly late_writes: number;
	/**
	 * Seconds by which the clock of the node is ahead of the storage's clock.
	 *
	 * Null for a node of an earlier version that does not report it, or if only this node uses the storage.
	 */
	readonly clock_offset: number | null;
	/** Name of the event bus plugin. Nodes with different event buses do not receive each other's events. */
	readonly event_bus: string;
	/** True if the event bus reaches other processes. */
	readonly event_bus_shared: boolean;
	readonly roles: readonly NodeRole[];
	/** Listen addresses by component. */
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
