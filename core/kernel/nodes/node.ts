import type { JsonObject } from "../../contract/index.ts";
import type { StorageClock } from "../basics/clock.ts";
import type { Uses } from "../basics/engine-parts.ts";
import type { LeasePolicy } from "../coordination/lease-duration.ts";
import type { StartupRetry } from "../plugins/startup-retry.ts";
import { Heartbeat } from "./heartbeat.ts";
import { NodeLifecycle } from "./node-state.ts";
import type { Nodes, Readiness } from "./nodes-api.ts";
import { createReadiness } from "./readiness.ts";
import { type BackgroundLoop, createRoleLoops } from "./role-loops.ts";
import { createStoredNodes } from "./stored-nodes.ts";

export interface NodeOptions extends Uses<"storage" | "eventBus" | "logger" | "nodeId" | "options" | "roles"> {
	readonly clock: StorageClock;
	readonly leasing: LeasePolicy;
	readonly version: string;
	/** Names of the plugins. */
	readonly names: { readonly storage: string; readonly eventBus: string };
	readonly addresses: () => JsonObject;
	/** Background loops of the roles of this node, in the order in which they start. */
	readonly loops: readonly BackgroundLoop[];
	readonly retryStartup: StartupRetry;
	/** Resolves when no execution runs on this node. */
	readonly idle: () => Promise<void>;
	/** Returns the number of executions that run on this node. */
	readonly running: () => number;
	/** Returns the number of writes that were refused because another node had taken the run over. */
	readonly staleWrites: () => number;
	/** Aborts when the node must stop. */
	readonly signal: AbortSignal;
}

/** This process as one of the nodes of the service. */
export interface Node {
	readonly nodes: Nodes;
	readiness(): Promise<Readiness>;
	/** Stores the record of this node and starts its heartbeats. Throws `SVC_CONFIG` if it cannot work together with the other nodes. */
	register(): Promise<void>;
	/** Begins to work. To be called when everything else has started. */
	startWork(): Promise<void>;
	/** Stops working for good. Resolves when no loop claims anything. The node is not ready from the call on. */
	stopWork(): Promise<void>;
	/** Removes the record of this node. */
	deregister(): Promise<void>;
}

/** Creates the node, which does nothing until `register` and `startWork` are called. */
export function createNode(parts: NodeOptions): Node {
	const lifecycle = new NodeLifecycle({
		logger: parts.logger,
		loops: createRoleLoops(parts.loops, parts.retryStartup),
		idle: parts.idle,
		onChange: () => heartbeat.sendNow(),
	});
	const heartbeat = new Heartbeat({
		...parts,
		describe: () => ({
			state: lifecycle.state(),
			running: parts.running(),
			late_writes: parts.staleWrites(),
			addresses: parts.addresses(),
		}),
		onDrain: (drain) => lifecycle.setDrain(drain),
	});
	return {
		nodes: createStoredNodes(parts),
		readiness: createReadiness({
			...parts,
			isHeartbeatStored: () => heartbeat.isHeartbeatStored,
			unreadyReason: () => lifecycle.unreadyReason(),
		}),
		register: () => parts.retryStartup(() => heartbeat.start()),
		startWork: () => lifecycle.startWork(),
		stopWork() {
			const stopped = lifecycle.stopWork();
			heartbeat.sendNow();
			return stopped;
		},
		deregister: () => heartbeat.stop(),
	};
}
