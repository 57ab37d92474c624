import type { EntityMap, Patch, Where } from "../../contract/index.ts";
import { type LeasedKind, type Leasing, released, type TakenLease } from "./lease-duration.ts";

interface HeldRecord<K extends LeasedKind> {
	readonly kind: K;
	readonly id: string;
	/** As it was stored when it was taken. */
	readonly taken: Pick<TakenLease, "fence"> & { readonly lease_expires_at: string | null };
	/** What must be true of the record besides, as long as it is held. */
	readonly expected?: Where<EntityMap[K]>;
}

/** The right of this node to work at one record. */
export class HeldLease<K extends LeasedKind> {
	readonly fence: string;
	readonly #leasing: Leasing;
	readonly #kind: K;
	readonly #id: string;
	readonly #expected: Where<EntityMap[K]>;
	#expiresAt: string;

	constructor(leasing: Leasing, { kind, id, taken, expected = {} }: HeldRecord<K>) {
		this.#leasing = leasing;
		this.#kind = kind;
		this.#id = id;
		this.fence = taken.fence;
		this.#expiresAt = taken.lease_expires_at ?? "";
		this.#expected = { ...expected, fence: taken.fence };
	}

	/** Take a record as it was read, `expected` being what must still be true of it; undefined when somebody else was faster. */
	static async take<K extends LeasedKind>(
		leasing: Leasing,
		kind: K,
		id: string,
		{ expected, patch = {} }: { readonly expected: Where<EntityMap[K]>; readonly patch?: Patch<EntityMap[K]> },
	): Promise<{ readonly record: EntityMap[K]; readonly lease: HeldLease<K> } | undefined> {
		const taken = leasing.take();
		const record = await leasing.storage.update(kind, id, { ...patch, ...taken }, expected);
		return record && { record, lease: new HeldLease(leasing, { kind, id, taken }) };
	}

	/** It could not be renewed in time. */
	hasRunOut(): boolean {
		return this.#leasing.hasRunOut(this.#expiresAt);
	}

	isRenewalDue(): boolean {
		return this.#leasing.isRenewalDue(this.#expiresAt);
	}

	/** False when it is not this node's any more. `patch` is stored with it. */
	async renew(patch: Patch<EntityMap[K]> = {}): Promise<boolean> {
		const lease_expires_at = this.#leasing.expiry();
		const renewed = await this.update({ ...patch, lease_expires_at });
		if (renewed) this.#expiresAt = lease_expires_at;
		return renewed;
	}

	/** As `renew`, when it is time to; most calls cost nothing. */
	async keep(): Promise<boolean> {
		return !this.isRenewalDue() || this.renew();
	}

	/** Store something about the work; false when it is not this node's any more. */
	async update(patch: Patch<EntityMap[K]>): Promise<boolean> {
		return (await this.#leasing.storage.update(this.#kind, this.#id, patch, this.#expected)) !== undefined;
	}

	/** Let anybody have it, `patch` being what has become of it. Does nothing when it is somebody else's already. */
	async release(patch: Patch<EntityMap[K]> = {}): Promise<void> {
		await this.update({ ...released, ...patch });
	}
}

interface KeptLeaseParts<K extends LeasedKind> {
	readonly lease: HeldLease<K>;
	/** Milliseconds from one renewal to the next. */
	readonly interval: number;
	/** A renewal has failed; it is tried again. */
	readonly onError: (error: unknown) => void;
}

/** Renews a lease in the background while the work under it lasts. */
export class KeptLease<K extends LeasedKind> {
	readonly #parts: KeptLeaseParts<K>;
	readonly #lost = new AbortController();
	readonly #timer: NodeJS.Timeout;
	#renewing: Promise<void> | undefined;

	constructor(parts: KeptLeaseParts<K>) {
		this.#parts = parts;
		this.#timer = setInterval(() => this.#tick(), parts.interval);
	}

	/** Aborts when the work is somebody else's, or may soon be. */
	get signal(): AbortSignal {
		return this.#lost.signal;
	}

	/** The work has ended; resolves when nothing is written any more. */
	async end(): Promise<void> {
		clearInterval(this.#timer);
		await this.#renewing;
	}

	#tick(): void {
		const renewing = this.#renewing;
		if (renewing === undefined) this.#begin();
		// The answer may never come. After this process stood still it may have come, and be the next to be read.
		else setImmediate(() => this.#renewing === renewing && this.#loseIfOver());
	}

	#begin(): void {
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
			this.#loseIfOver();
			onError(error);
		}
	}

	#loseIfOver(): void {
		if (this.#parts.lease.hasRunOut()) this.#lost.abort();
	}
}
