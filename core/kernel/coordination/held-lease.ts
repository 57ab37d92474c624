import type { EntityMap, Patch, Where } from "../../contract/index.ts";
import { type HeldLeaseFields, type LeasedKind, type LeasePolicy, releasedLease } from "./lease-policy.ts";

interface HeldRecord<K extends LeasedKind> {
	readonly kind: K;
	readonly id: string;
	/** The stored lease, as it was when this node took the record. */
	readonly lease: Pick<HeldLeaseFields, "fence"> & { readonly lease_expires_at: string | null };
	/** Further conditions that each write expects of the record. If one no longer holds, the record counts as lost. */
	readonly expected?: Where<EntityMap[K]>;
}

/**
 * Lease of one record that this node holds. Each write about the record expects the fence of the lease, so that a node which has lost
 * the record changes nothing.
 */
export class HeldLease<K extends LeasedKind> {
	readonly fence: string;
	readonly #leasing: LeasePolicy;
	readonly #kind: K;
	readonly #id: string;
	readonly #expected: Where<EntityMap[K]>;
	#expiresAt: string;

	constructor(leasing: LeasePolicy, { kind, id, lease, expected = {} }: HeldRecord<K>) {
		this.#leasing = leasing;
		this.#kind = kind;
		this.#id = id;
		this.fence = lease.fence;
		this.#expiresAt = lease.lease_expires_at ?? "";
		this.#expected = { ...expected, fence: lease.fence };
	}

	/**
	 * Takes a record, and stores `patch` together with the lease. Returns undefined if the record no longer satisfies `expected`, because
	 * another node has changed or taken it.
	 */
	static async acquire<K extends LeasedKind>(
		leasing: LeasePolicy,
		kind: K,
		id: string,
		{ expected, patch = {} }: { readonly expected: Where<EntityMap[K]>; readonly patch?: Patch<EntityMap[K]> },
	): Promise<{ readonly record: EntityMap[K]; readonly lease: HeldLease<K> } | undefined> {
		const lease = leasing.createLease();
		const record = await leasing.storage.update(kind, id, { ...patch, ...lease }, expected);
		return record && { record, lease: new HeldLease(leasing, { kind, id, lease }) };
	}

	/** Returns true if the lease was not renewed in time. Always false if no other node may exist. */
	isExpired(): boolean {
		return this.#leasing.isExpired(this.#expiresAt);
	}

	/** Returns true if a third of the lease has passed. */
	isRenewalDue(): boolean {
		return this.#leasing.isRenewalDue(this.#expiresAt);
	}

	/** Renews the lease and stores `patch` in the same write. Returns false if the record no longer belongs to this node. */
	async renew(patch: Patch<EntityMap[K]> = {}): Promise<boolean> {
		const lease_expires_at = this.#leasing.newExpiry();
		const isRenewed = await this.update({ ...patch, lease_expires_at });
		if (isRenewed) this.#expiresAt = lease_expires_at;
		return isRenewed;
	}

	/** Renews the lease if that is due; most calls write nothing. Returns false if the record no longer belongs to this node. */
	async renewIfDue(): Promise<boolean> {
		return !this.isRenewalDue() || this.renew();
	}

	/** Stores `patch`. Returns false if the record no longer belongs to this node. */
	async update(patch: Patch<EntityMap[K]>): Promise<boolean> {
		return (await this.#leasing.storage.update(this.#kind, this.#id, patch, this.#expected)) !== undefined;
	}

	/** Releases the record and stores `patch` in the same write. Does nothing if the record no longer belongs to this node. */
	async release(patch: Patch<EntityMap[K]> = {}): Promise<void> {
		await this.update({ ...releasedLease, ...patch });
	}
}

interface LeaseRenewerOptions<K extends LeasedKind> {
	readonly lease: HeldLease<K>;
	/** Milliseconds from one renewal to the next. */
	readonly intervalMs: number;
	/** Called when a renewal has failed. The next attempt follows after the interval. */
	readonly onError: (error: unknown) => void;
}

/** Renews a lease in the background, from its construction until `stop`. */
export class RecordLeaseRenewer<K extends LeasedKind> {
	readonly #parts: LeaseRenewerOptions<K>;
	readonly #lost = new AbortController();
	readonly #timer: NodeJS.Timeout;
	#renewing: Promise<void> | undefined;

	constructor(parts: LeaseRenewerOptions<K>) {
		this.#parts = parts;
		this.#timer = setInterval(() => this.#tick(), parts.intervalMs);
	}

	/** Aborts when another node has taken the record, or when the lease has expired, so that another node may take it soon. */
	get signal(): AbortSignal {
		return this.#lost.signal;
	}

	/** Stops renewing, because the work has ended. Resolves when no renewal is in progress. */
	async stop(): Promise<void> {
		clearInterval(this.#timer);
		await this.#renewing;
	}

	#tick(): void {
		const renewing = this.#renewing;
		if (renewing === undefined) this.#startRenewal();
		// The response to the last renewal may never arrive, so check the expiry without it. Wait one turn of the event loop: if this
		// process was suspended, the response may have arrived without having been read.
		else setImmediate(() => this.#renewing === renewing && this.#abortIfExpired());
	}

	#startRenewal(): void {
		const renewing = this.#renew().finally(() => {
			if (this.#renewing === renewing) this.#renewing = undefined;
		});
		this.#renewing = renewing;
	}

	async #renew(): Promise<void> {
		const { lease, onError } = this.#parts;
		try {
			if (!(await lease.renew())) this.#lost.abort();
		} catch (error) {
			this.#abortIfExpired();
			onError(error);
		}
	}

	#abortIfExpired(): void {
		if (this.#parts.lease.isExpired()) this.#lost.abort();
	}
}
