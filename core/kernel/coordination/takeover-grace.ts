import { toRenewalInterval } from "./lease-policy.ts";

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
