import { ClaimCursor } from "./claim-cursor.ts";
import { type LeasePolicy, toRenewalIntervalMs } from "./lease-policy.ts";

/** Milliseconds between two full polls, which find all expired leases, however long ago they expired. */
const fullScanIntervalMs = 30_000;

/** Condition for leases that expired within a range of time. */
export interface ExpiredLeaseCondition {
	readonly lease_expires_at: { readonly gte: string; readonly lt: string };
}

/**
 * Polls for records whose lease has expired because their holder has crashed or stopped. A poll handles all such records up to its time, so
 * the next poll begins there. A poll without a lower bound would make PostgreSQL scan the index entries of all earlier leases (see
 * `ClaimCursor`). Expired leases before that bound are rare: they were stored only after they had expired. A full poll every 30 s finds
 * them.
 */
export class ExpiredLeasePoller {
	readonly #leasing: Pick<LeasePolicy, "expiredCondition">;
	readonly #cursor: ClaimCursor;

	/** @param now returns monotonic milliseconds from any origin */
	constructor(leasing: Pick<LeasePolicy, "expiredCondition">, now?: () => number) {
		this.#leasing = leasing;
		this.#cursor = new ClaimCursor(fullScanIntervalMs, now);
	}

	/**
	 * Calls `takeOver` once with the condition for expired leases. Rejects if `takeOver` rejects.
	 *
	 * @param takeOver handles the matching records, and returns true if it has handled all of them. If it returns false or rejects, the next
	 *   poll is a full one.
	 */
	async poll(takeOver: (expired: ExpiredLeaseCondition) => Promise<boolean>): Promise<void> {
		const { lt } = this.#leasing.expiredCondition().lease_expires_at;
		let isDone = false;
		try {
			isDone = await takeOver({ lease_expires_at: { ...this.#cursor.nextRange(), lt } });
		} finally {
			// An empty bound means that the clock of this node is out of sync: the condition matched nothing, so nothing was handled.
			if (!isDone || lt === "") this.#cursor.reset();
			else this.#cursor.markExhausted(lt);
		}
	}
}

/**
 * Grace period before this node takes over from holders whose leases have expired. If the storage was unavailable or the machine was
 * suspended, no node could renew its leases. An expired lease then does not prove that its holder has stopped: the other nodes need time to
 * renew first.
 */
export interface TakeoverGracePeriod {
	/** Notes that a lease renewal begins. If it begins late, this process was suspended, so the grace period starts. */
	onRenewalStart(): void;
	/** Notes that a lease renewal has failed, which starts the grace period again. */
	onRenewalFailure(): void;
	/** Returns true if no grace period is in progress, so that an expired lease proves that its holder has stopped. */
	mayTakeOver(): boolean;
}

/**
 * Creates a grace period of two renewal intervals.
 *
 * @param lease seconds that a lease lasts
 */
export function createTakeoverGrace(lease: number): TakeoverGracePeriod {
	const intervalMs = toRenewalIntervalMs(lease);
	let lastRenewalStart = performance.now();
	let graceEnd = 0;
	const startGracePeriod = () => {
		graceEnd = performance.now() + intervalMs * 2;
	};
	return {
		onRenewalStart() {
			const now = performance.now();
			if (now - lastRenewalStart > intervalMs * 2) startGracePeriod();
			lastRenewalStart = now;
		},
		onRenewalFailure: startGracePeriod,
		mayTakeOver: () => performance.now() >= graceEnd,
	};
}
