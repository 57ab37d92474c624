import type { JsonObject } from "../../contract/index.ts";
import { resultWithin } from "../../lib/wait.ts";
import { Heartbeat, type HeartbeatDependencies } from "./heartbeat.ts";
import { NodeLifecycle, type NodeLifecycleDependencies } from "./node-lifecycle.ts";
import type { Readiness, UnreadyReason } from "./nodes-api.ts";
import { createStoredNodes } from "./stored-nodes.ts";

/** Milliseconds for which the result of a storage check is reused, so that frequent readiness requests do not load the storage. */
const checkReuseMs = 1_000;
/** Milliseconds after which a storage check without a response counts as failed. */
const responseTimeoutMs = 2_000;

export interface NodeDependencies extends Omit<HeartbeatDependencies, "describe" | "onDrain">, Omit<NodeLifecycleDependencies, "onChange"> {
	readonly addresses: () => JsonObject;
	/** Returns the number of executions that run on this node. */
	readonly running: () => number;
	/** Returns the number of writes that were refused because this node no longer held the run. */
	readonly staleWrites: () => number;
}

/** This process as one of the nodes of the service. */
export type Node = ReturnType<typeof createNode>;

/** Creates the node, which does nothing until its parts are started: first the heartbeat, last the work. */
export function createNode(parts: NodeDependencies) {
	const lifecycle = new NodeLifecycle({ ...parts, onChange: () => heartbeat.sendNow() });
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
	return { nodes: createStoredNodes(parts), readiness: createReadiness(parts, heartbeat, lifecycle), heartbeat, lifecycle };
}

/** Returns a function that reports whether this node is ready for requests. The function never rejects. */
function createReadiness(
	{ storage, clock, nodeId }: NodeDependencies,
	heartbeat: Pick<Heartbeat, "isHeartbeatStored">,
	lifecycle: Pick<NodeLifecycle, "unreadyReason">,
): () => Promise<Readiness> {
	let lastCheck: Promise<boolean> | undefined;
	let lastCheckStart = Number.NEGATIVE_INFINITY;

	async function checkStorage(): Promise<boolean> {
		const response = storage.get("node", nodeId).then(() => true);
		return (await resultWithin(response, responseTimeoutMs)) === true;
	}

	function isStorageAvailable(): Promise<boolean> {
		if (lastCheck === undefined || performance.now() - lastCheckStart > checkReuseMs) {
			lastCheckStart = performance.now();
			lastCheck = checkStorage();
		}
		return lastCheck;
	}

	return async () => {
		const reason = lifecycle.unreadyReason();
		const reasons: UnreadyReason[] = reason === undefined ? [] : [reason];
		// While the node is starting, its storage may not have been started. A successful read does not suffice: with a full disk, reads
		// succeed and every write fails, so the last heartbeat must have been stored too.
		if (reason !== "starting" && !(heartbeat.isHeartbeatStored && (await isStorageAvailable()))) reasons.push("storage");
		// The state may have changed during the check of the storage.
		const currentReason = lifecycle.unreadyReason();
		if (currentReason !== undefined && !reasons.includes(currentReason)) reasons.unshift(currentReason);
		return { ready: reasons.length === 0, reasons, warnings: clock.isOutOfSync() ? ["clock"] : [] };
	};
}
