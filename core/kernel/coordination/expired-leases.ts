import { Frontier } from "./claim-cursor.ts";
import type { Leasing } from "./lease-renewer.ts";

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
