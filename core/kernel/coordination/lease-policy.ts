import { randomUUID } from "node:crypto";
import type { EntityKind, EntityMap, Storage } from "../../contract/index.ts";
import { type EngineClock, fromTimestamp, toTimestamp } from "../basics/clock.ts";
import type { Uses } from "../basics/engine-parts.ts";

/**
 * Delay between the expiry of a lease and its takeover by another node, as a fraction of the lease. The holder needs a moment to stop its
 * work, and the clocks of two nodes never agree exactly. With the default lease of 10 s the delay is 3.3 s.
 */
const takeoverDelayShare = 1 / 3;

/**
 * Returns the time before which a lease must have expired so that another node may take over. It allows for clocks that differ slightly.
 *
 * @param lease seconds that a lease lasts
 */
export function toExpiredBefore(clock: EngineClock, lease: number): string {
	return toTimestamp(clock.steady() - lease * takeoverDelayShare * 1_000_000);
}

/** Returns the expiry time of a lease that is taken now. `lease` is its duration in seconds. */
export function toExpiry(clock: EngineClock, lease: number): string {
	return toTimestamp(clock.steady() + lease * 1_000_000);
}

/** Returns the milliseconds from one renewal to the next: a third of the lease, which is given in seconds. */
export function toRenewalIntervalMs(lease: number): number {
	return (lease * 1_000) / 3;
}

/** Maximum milliseconds before a failed renewal is retried, so that nodes renew their leases soon after the storage is available again. */
const maxRetryIntervalMs = 1_000;

/** Returns the milliseconds from a failed renewal to the next, at most one second. `lease` is in seconds. */
export function toRetryIntervalMs(lease: number): number {
	return Math.min(toRenewalIntervalMs(lease), maxRetryIntervalMs);
}

/**
 * Fields of a record that name the node that holds it, and the end of its lease. All are null in a free record; but an execution whose run
 * can continue keeps its fence and may have an expiry.
 */
interface LeaseFields {
	readonly owner: string | null;
	/** Random value that changes each time that a node takes the record. */
	readonly fence: string | null;
	readonly lease_expires_at: string | null;
}

/** Kinds whose records are held by one node at a time. */
export type LeasedKind = { [K in EntityKind]: EntityMap[K] extends LeaseFields ? K : never }[EntityKind];

/** Lease fields of a record that a node holds. */
export type HeldLeaseFields = { readonly [F in keyof LeaseFields]: string };

interface LeasePolicyDependencies extends Uses<"storage" | "clock" | "nodeId"> {
	/** Seconds that a lease lasts. */
	readonly leaseSeconds: number;
}

/** Lease fields of a record that no node holds. */
export const releasedLease = { owner: null, fence: null, lease_expires_at: null } as const;

/**
 * Defines how nodes hold records, for all kinds of records.
 *
 * A node takes a record by writing a new fence. The write expects the fence that the node has read, so only one of several nodes succeeds.
 * Every later write about the record expects the new fence. If the record has another fence, another node has taken it.
 *
 * Leases expire by the clock of the storage. A holder that could not renew its lease in time stops its work. Other nodes take over only
 * after another third of the lease. Otherwise two nodes would do the same work whenever stopping takes a moment.
 */
export class LeasePolicy {
	/** True if other nodes may exist. Otherwise records of earlier processes are free at once, regardless of their lease. */
	readonly isShared: boolean;
	readonly storage: Storage;
	/** Seconds that a lease lasts. */
	readonly leaseSeconds: number;
	readonly #clock: EngineClock;
	readonly #nodeId: string;

	constructor({ storage, clock, nodeId, leaseSeconds }: LeasePolicyDependencies) {
		this.storage = storage;
		this.isShared = storage.capabilities.shared === true;
		this.leaseSeconds = leaseSeconds;
		this.#clock = clock;
		this.#nodeId = nodeId;
	}

	/** Returns the fields of a lease of this node that begins now, with a new fence. */
	createLease(): HeldLeaseFields {
		return { owner: this.#nodeId, fence: randomUUID(), lease_expires_at: this.newExpiry() };
	}

	/** Returns the expiry time of a lease that begins or is renewed now. */
	newExpiry(): string {
		return toExpiry(this.#clock, this.leaseSeconds);
	}

	/** Returns true if a lease of this node has expired, so that it may soon be taken over. Always false if no other node may exist. */
	isExpired(expiresAt: string): boolean {
		return this.isShared && toTimestamp(this.#clock.steady()) >= expiresAt;
	}

	/** Returns true if a third of the lease with this expiry has passed, so that it must be renewed. */
	isRenewalDue(expiresAt: string): boolean {
		return toTimestamp(this.#clock.steady() + (this.leaseSeconds * 2_000_000) / 3) >= expiresAt;
	}

	/** Returns true if a node holds the record, so that no other node may take it now. Always false if no other node may exist. */
	isHeld({ fence, lease_expires_at: expiresAt }: LeaseFields): boolean {
		return this.isShared && fence !== null && expiresAt !== null && expiresAt >= this.#takeoverBefore();
	}

	/** Returns the milliseconds until another node may take the record, unless its lease is renewed. */
	msUntilFree({ lease_expires_at: expiresAt }: LeaseFields): number {
		return (fromTimestamp(expiresAt ?? "") + this.leaseSeconds * takeoverDelayShare * 1_000_000 - this.#clock.steady()) / 1_000;
	}

	/**
	 * Returns the condition for records that this node may take over, because their lease has expired. It matches nothing while the clock of
	 * this node is out of sync.
	 */
	expiredCondition(): { readonly lease_expires_at: { readonly lt: string } } {
		return { lease_expires_at: { lt: this.#takeoverBefore() } };
	}

	/** Returns the condition for records that earlier processes held. It also matches those of other nodes, so none may exist. */
	earlierProcessesCondition(): { readonly owner: { readonly not: string } } {
		return { owner: { not: this.#nodeId } };
	}

	/**
	 * Returns the time before which leases must have expired so that this node may take over. Returns an empty string, which no timestamp
	 * precedes, if the clock of this node is out of sync: such a node must not take over anything.
	 */
	#takeoverBefore(): string {
		return this.#clock.isOutOfSync() ? "" : toExpiredBefore(this.#clock, this.leaseSeconds);
	}
}
