import { Frontier } from "./claim-cursor.ts";
import { type Leasing, toRenewalInterval } from "./lease-duration.ts";

/** Milliseconds after which all leases are looked at again, however long ago they ended. */
const interval = 30_000;

/** What has a lease that ended in this time. */
export interface Lapsed {
	readonly lease_expires_at: { readonly gte: string; readonly lt: string };
}

/**
 * Looks for what holders that are gone have left. What was left before the last look has been dealt with by then, so a look begins where the
 * last one ended: a database that keeps what was (see `Frontier`) would go through every lease there has been. Behind that is only what took longer
 * to be stored than its lease lasts.
 */
export class LapsedLeases {
	readonly #leasing: Pick<Leasing, "abandoned">;
	readonly #frontier: Frontier;

	/** @param passes as of `Frontier` */
	constructor(leasing: Pick<Leasing, "abandoned">, passes?: () => number) {
		this.#leasing = leasing;
		this.#frontier = new Frontier(interval, passes);
	}

	/** @param takeOver deals with what matches: whether with all of it. Where it was not, or rejects, the next look is at everything. */
	async look(takeOver: (lapsed: Lapsed) => Promise<boolean>): Promise<void> {
		const { lt } = this.#leasing.abandoned().lease_expires_at;
		let isDone = false;
		try {
			isDone = await takeOver({ lease_expires_at: { ...this.#frontier.near(), lt } });
		} finally {
			// A node whose clock is off has looked at nothing.
			if (!isDone || lt === "") this.#frontier.forget();
			else this.#frontier.done(lt);
		}
	}
}

/**
 * Whether leases that have run out tell that their holder is gone. They do not where this node could not have renewed its own
 * either, because the storage was away or the whole machine stood still: the others need time to renew theirs first.
 */
export interface LeaseTrust {
	/** A renewal begins. One that begins late shows that this node stood still. */
	begin(): void;
	/** A renewal has failed. */
	lose(): void;
	isGiven(): boolean;
}

/** `lease` is in seconds. */
export function createLeaseTrust(lease: number): LeaseTrust {
	const interval = toRenewalInterval(lease);
	let begun = performance.now();
	let givenFrom = 0;
	const lose = () => {
		givenFrom = performance.now() + interval * 2;
	};
	return {
		begin() {
			const now = performance.now();
			if (now - begun > interval * 2) lose();
			begun = now;
		},
		lose,
		isGiven: () => performance.now() >= givenFrom,
	};
}
