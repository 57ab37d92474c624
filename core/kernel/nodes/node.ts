import type { JsonObject } from "../../contract/index.ts";
import { settledWithin } from "../../lib/wait.ts";
import type { StorageClock } from "../basics/clock.ts";
import type { Uses } from "../basics/engine-parts.ts";
import type { LeasePolicy } from "../coordination/lease-policy.ts";
import type { StartupRetry } from "../plugins/startup-retry.ts";
import { type BackgroundLoop, createRoleLoops } from "./background-loops.ts";
import { Heartbeat } from "./heartbeat.ts";
import { NodeLifecycle } from "./node-lifecycle.ts";
import type { Nodes, Readiness, UnreadyReason } from "./nodes-api.ts";
import { createStoredNodes } from "./stored-nodes.ts";

/** Milliseconds for which the result of a storage check is reused, so that frequent readiness requests do not load the storage. */
const checkReuseMs = 1_000;
/** Milliseconds after which a storage check without a response counts as failed. */
const responseTimeoutMs = 2_000;

export interface NodeOptions extends Uses<"storage" | "eventBus" | "logger" | "nodeId" | "options" | "roles"> {
	readonly clock: StorageClock;
	readonly leasing: LeasePolicy;
	readonly version: string;
	/** Names of the storage and event bus plugins. */
	readonly names: { readonly storage: string; readonly eventBus: string };
	readonly addresses: () => JsonObject;
	/** Background loops of the roles of this node, in the order in which they start. */
	readonly loops: readonly BackgroundLoop[];
	readonly retryStartup: StartupRetry;
	/** Resolves when no execution runs on this node. */
	readonly idle: () => Promise<void>;
	/** Returns the number of executions that run on this node. */
	readonly running: () => number;
	/** Returns the number of writes that were refused because this node no longer held the run. */
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
	/** Begins to work. Must be called last, when all other parts have started. */
	startWork(): Promise<void>;
	/** Stops working for good. Resolves when no loop claims work any more. From the call on, the node is not ready. */
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

interface ReadinessOptions extends Uses<"storage" | "clock" | "nodeId"> {
	/**
	 * Returns true if the node's last heartbeat was stored. A successful read does not suffice: with a full disk, reads succeed and every
	 * write fails.
	 */
	readonly isHeartbeatStored: () => boolean;
	/** Returns the state of the node; undefined if it is ready. */
	readonly unreadyReason: () => UnreadyReason | undefined;
}

/** Returns a function that reports whether this node is ready for requests. The function never rejects. */
function createReadiness({ storage, clock, nodeId, isHeartbeatStored, unreadyReason }: ReadinessOptions): () => Promise<Readiness> {
	let lastCheck: Promise<boolean> | undefined;
	let lastCheckStart = Number.NEGATIVE_INFINITY;

	async function checkStorage(): Promise<boolean> {
		let hasResponded = false;
		const response = storage.get("node", nodeId).then(() => {
			hasResponded = true;
		});
		await settledWithin(response, responseTimeoutMs);
		return hasResponded;
	}

	function isStorageAvailable(): Promise<boolean> {
		if (lastCheck === undefined || performance.now() - lastCheckStart > checkReuseMs) {
			lastCheckStart = performance.now();
			lastCheck = checkStorage();
		}
		return lastCheck;
	}

	return async () => {
		const reason = unreadyReason();
		const reasons: UnreadyReason[] = reason === undefined ? [] : [reason];
		// While the node is starting, its storage may not have been started.
		if (reason !== "starting" && !(isHeartbeatStored() && (await isStorageAvailable()))) reasons.push("storage");
		// The state may have changed during the check of the storage.
		const currentReason = unreadyReason();
		if (currentReason !== undefined && !reasons.includes(currentReason)) reasons.unshift(currentReason);
		return { ready: reasons.length === 0, reasons, warnings: clock.isOutOfSync() ? ["clock"] : [] };
	};
}
