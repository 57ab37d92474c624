import { randomUUID } from "node:crypto";
import type { EntityKind, EntityMap, Storage } from "../../contract/index.ts";
import { type EngineClock, fromTimestamp, toTimestamp } from "../basics/clock.ts";

/**
 * Part of a lease for which everybody else leaves the work alone when it has ended, while whoever held it brings it to its end: that
 * takes a moment, and two nodes never know the storage's time to the microsecond. A third makes 3.3 seconds of the default lease.
 */
const toleratedSkew = 1 / 3;

/** Leases that ended before this time are nobody's any more, however the clocks go. `lease` is in seconds. */
export function toLapsedBefore(clock: EngineClock, lease: number): string {
	return toTimestamp(clock.steady() - lease * toleratedSkew * 1_000_000);
}

/** The same for who would take over what others held. A node whose clock is off takes over nothing. */
function toAbandonedBefore(clock: EngineClock, lease: number): string {
	return clock.isOff() ? "" : toLapsedBefore(clock, lease);
}

/** When a lease that is taken now ends. `lease` is in seconds. */
export function toExpiry(clock: EngineClock, lease: number): string {
	return toTimestamp(clock.steady() + lease * 1_000_000);
}

/** Milliseconds until a lease that ends at `expiry` is nobody's any more. `lease` is in seconds. */
function untilAbandoned(expiry: string, clock: EngineClock, lease: number): number {
	return (fromTimestamp(expiry) + lease * toleratedSkew * 1_000_000 - clock.steady()) / 1_000;
}

/** Milliseconds from one renewal to the next. */
export function toRenewalInterval(lease: number): number {
	return (lease * 1_000) / 3;
}

/** Milliseconds; a storage that is back should not find everybody waiting for long. */
const longestRetry = 1_000;

/** Milliseconds from a renewal that failed to the next. */
export function toRetryInterval(lease: number): number {
	return Math.min(toRenewalInterval(lease), longestRetry);
}

/** What a record says of who works at it, and until when. */
interface LeaseFields {
	readonly owner: string | null;
	/** Another one each time that somebody takes it. */
	readonly fence: string | null;
	readonly lease_expires_at: string | null;
}

/** Kinds whose records one node at a time may work at. */
export type LeasedKind = { [K in EntityKind]: EntityMap[K] extends LeaseFields ? K : never }[EntityKind];

export type TakenLease = { readonly [F in keyof LeaseFields]: string };

interface LeasingParts {
	readonly storage: Storage;
	readonly clock: EngineClock;
	readonly nodeId: string;
	/** Seconds. */
	readonly lease: number;
}

/** Nobody works at it. */
export const released = { owner: null, fence: null, lease_expires_at: null } as const;

/**
 * The rules by which nodes hold records, whatever is done with these. Whoever takes one writes a fence of its own, on condition that the
 * one it has read is still there, so that of several one wins. Whatever is written about the work carries the fence: where that is
 * another one, the work is somebody else's. Leases end by the storage's time. Who holds one ends its work when it could not renew it in
 * time; everybody else waits a third longer, as two would work at the same otherwise whenever that end takes a moment.
 */
export class Leasing {
	/** Whether there can be other nodes. Without them whoever had a lease before this process is gone. */
	readonly isShared: boolean;
	readonly storage: Storage;
	/** Seconds. */
	readonly lease: number;
	readonly #clock: EngineClock;
	readonly #nodeId: string;

	constructor({ storage, clock, nodeId, lease }: LeasingParts) {
		this.storage = storage;
		this.isShared = storage.capabilities.shared === true;
		this.lease = lease;
		this.#clock = clock;
		this.#nodeId = nodeId;
	}

	/** Fields of a lease that begins now. */
	take(): TakenLease {
		return { owner: this.#nodeId, fence: randomUUID(), lease_expires_at: this.expiry() };
	}

	/** When a lease that begins or is renewed now ends. */
	expiry(): string {
		return toExpiry(this.#clock, this.lease);
	}

	/** Whether a lease of this node's that ends then has ended: others may take what it held, or soon may. */
	hasRunOut(expiresAt: string): boolean {
		return this.isShared && toTimestamp(this.#clock.steady()) >= expiresAt;
	}

	/** Whether it is time to renew a lease that ends then: a third of it has passed. */
	isRenewalDue(expiresAt: string): boolean {
		return toTimestamp(this.#clock.steady() + (this.lease * 2_000_000) / 3) >= expiresAt;
	}

	/** Whether nobody may take it now. */
	isHeld({ fence, lease_expires_at: expiresAt }: LeaseFields): boolean {
		return this.isShared && fence !== null && expiresAt !== null && expiresAt >= toAbandonedBefore(this.#clock, this.lease);
	}

	/** Milliseconds until it may be taken, if it is not renewed. */
	untilFree({ lease_expires_at: expiresAt }: LeaseFields): number {
		return untilAbandoned(expiresAt ?? "", this.#clock, this.lease);
	}

	/** Records whose holder is gone. */
	abandoned(): { readonly lease_expires_at: { readonly lt: string } } {
		return { lease_expires_at: { lt: toAbandonedBefore(this.#clock, this.lease) } };
	}

	/** Records of earlier processes, for where there can be no other node. */
	left(): { readonly owner: { readonly not: string } } {
		return { owner: { not: this.#nodeId } };
	}
}
