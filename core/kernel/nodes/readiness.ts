import { settledWithin } from "../../lib/wait.ts";
import type { Uses } from "../basics/engine-parts.ts";
import type { Readiness, UnreadyReason } from "./nodes-api.ts";

/** Milliseconds for which the result of a check of the storage is reused, so that frequent readiness requests cost nothing. */
const checkReuseMs = 1_000;
/** Milliseconds without response after which the storage counts as unavailable. */
const responseTimeoutMs = 2_000;

export interface ReadinessOptions extends Uses<"storage" | "clock" | "nodeId"> {
	/** Returns true if the node's last heartbeat was stored. Reading is not enough: with a full disk, reads work and every write fails. */
	readonly isHeartbeatStored: () => boolean;
	/** Returns the state of the node if that state is not ready; otherwise undefined. */
	readonly unreadyReason: () => UnreadyReason | undefined;
}

/** Returns a function that reports whether this node is ready for requests. The function never rejects. */
export function createReadiness({ storage, clock, nodeId, isHeartbeatStored, unreadyReason }: ReadinessOptions): () => Promise<Readiness> {
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
		// While the node is starting, its storage may not be started.
		if (reason !== "starting" && !(isHeartbeatStored() && (await isStorageAvailable()))) reasons.push("storage");
		// The state may have changed during the check of the storage.
		const currentReason = unreadyReason();
		if (currentReason !== undefined && !reasons.includes(currentReason)) reasons.unshift(currentReason);
		return { ready: reasons.length === 0, reasons, warnings: clock.isOutOfSync() ? ["clock"] : [] };
	};
}
