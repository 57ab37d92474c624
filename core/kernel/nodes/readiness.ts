import type { Storage } from "../../contract/index.ts";
import { settledWithin } from "../../lib/wait.ts";
import type { EngineClock } from "../basics/clock.ts";
import type { Readiness, UnreadyReason } from "./nodes-api.ts";

/** Milliseconds for which an answer of the storage is good: whoever asks again and again costs nothing. */
const freshFor = 1_000;
/** Milliseconds after which a storage that does not answer counts as away. */
const patience = 2_000;

export interface ReadinessParts {
	readonly storage: Storage;
	readonly clock: Pick<EngineClock, "isOff">;
	readonly nodeId: string;
	/** Whether the node's last heartbeat was stored: a full disk refuses every write, and still lets read. */
	readonly isTold: () => boolean;
	/** What the node is at, when that keeps it from being ready. */
	readonly unreadyReason: () => UnreadyReason | undefined;
}

/** Tells whether this node is to be sent requests. Never rejects. */
export function createReadiness({ storage, clock, nodeId, isTold, unreadyReason }: ReadinessParts): () => Promise<Readiness> {
	let asking: Promise<boolean> | undefined;
	let askedAt = Number.NEGATIVE_INFINITY;

	async function ask(): Promise<boolean> {
		let isThere = false;
		const answer = storage.get("node", nodeId).then(() => {
			isThere = true;
		});
		await settledWithin(answer, patience);
		return isThere;
	}

	function reachesStorage(): Promise<boolean> {
		if (asking === undefined || performance.now() - askedAt > freshFor) {
			askedAt = performance.now();
			asking = ask();
		}
		return asking;
	}

	return async () => {
		const reason = unreadyReason();
		const reasons: UnreadyReason[] = reason === undefined ? [] : [reason];
		// Before it has started there is nothing to ask.
		if (reason !== "starting" && !(isTold() && (await reachesStorage()))) reasons.push("storage");
		// It may have changed meanwhile.
		const now = unreadyReason();
		if (now !== undefined && !reasons.includes(now)) reasons.unshift(now);
		return { ready: reasons.length === 0, reasons, warnings: clock.isOff() ? ["clock"] : [] };
	};
}
