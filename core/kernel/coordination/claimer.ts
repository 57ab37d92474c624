import type { EntityMap, Instrument, Meters, Order, Patch, Storage, Where } from "../../contract/index.ts";
import { isRefusal, UnsureClaims } from "./in-doubt-claims.ts";
import type { Leasing, TakenLease } from "./lease-duration.ts";

/** What waits in storage until a node claims it. */
export type ClaimedKind = "execution" | "trigger_instance";

export interface ClaimingParts<K extends ClaimedKind> {
	readonly storage: Storage;
	readonly leasing: Leasing;
	readonly hub: Meters;
	readonly kind: K;
	/** Most that is worked at at once. */
	readonly poolSize: number;
	/** Most that one write claims. */
	readonly claimLimit: number;
	/** Whether to claim more than there are places for, which then waits in memory: fewer writes where each takes a moment only. */
	readonly claimsAhead: boolean;
	/** What a claim stores besides the lease. */
	readonly toClaim: () => Patch<EntityMap[K]>;
	/** What is true of everything that somebody has claimed. */
	readonly claimed: Where<EntityMap[K]>;
	/** Bring it to its end. Never rejects. */
	readonly work: (entity: EntityMap[K]) => Promise<void>;
	/** Whether it is worked at here already. */
	readonly isHere?: (id: string) => boolean;
	/** How many of those that are worked at need no place just now. Default: none. */
	readonly resting?: () => number;
	/** A claim has brought something; its work begins next. */
	readonly onClaimed?: (entity: EntityMap[K]) => void;
	/** The same of what another node had claimed. */
	readonly onTakenOver: (entity: EntityMap[K]) => void;
	/** A place has become free. */
	readonly onRoom: () => void;
}

/** What has become of something that was to be stored; `unsure`: the answer was lost. */
export type Settlement = "stored" | "refused" | "unsure";

/** Places kept for what is about to be stored as claimed. */
export interface KeptPlaces<K extends ClaimedKind> {
	/** To be stored of each. */
	readonly claim: Patch<EntityMap[K]> & TakenLease;
	/** Must be called in any case, or the places are lost. What was stored, `claimed`, is worked at. */
	settle(outcome: Settlement, claimed: readonly EntityMap[K][]): void;
	/** Instead of that where nothing is left to be worked at. */
	giveBack(): void;
}

/** Something new, as it is to be stored. */
export interface Reservation<E> {
	readonly entity: E;
	/** Must be called in any case. */
	settle(outcome: Settlement): void;
}

/** Store something new as its reservation says. */
export function storeReserved<E>(reservation: Reservation<E>, store: (entity: E) => Promise<void>): Promise<void> {
	return storeAllReserved([reservation], ([entity]) => store(entity as E));
}

/** Store something new as its reservations say, all or nothing. */
export async function storeAllReserved<E>(
	reservations: readonly Reservation<E>[],
	store: (entities: readonly E[]) => Promise<void>,
): Promise<void> {
	const settle = (outcome: Settlement) => {
		for (const reservation of reservations) reservation.settle(outcome);
	};
	try {
		await store(reservations.map(({ entity }) => entity));
	} catch (error) {
		settle(isRefusal(error) ? "refused" : "unsure");
		throw error;
	}
	settle("stored");
}

/** What is to be claimed. */
export interface Claim<K extends ClaimedKind> {
	readonly where: Where<EntityMap[K]>;
	readonly orderBy: readonly Order<EntityMap[K]>[];
	/** Most that this claim may take. Default: `claimLimit`. */
	readonly limit?: number;
	/** The time by which it is in order, of something that has been claimed. */
	readonly reach?: (entity: EntityMap[K]) => void;
}

/** Claims what waits in storage, and works at as much at once as there are places for. */
export class Claiming<K extends ClaimedKind> {
	readonly #parts: ClaimingParts<K>;
	readonly #running = new Set<Promise<void>>();
	/** Claimed, and without a place yet. */
	readonly #waiting: EntityMap[K][] = [];
	readonly #unsure = new UnsureClaims();
	readonly #claims: Instrument;
	#kept = 0;
	readonly #onSettled: (() => void)[] = [];
	#isOpen = false;
	#isBehind = true;

	constructor(parts: ClaimingParts<K>) {
		this.#parts = parts;
		this.#claims = parts.hub.counter({
			name: "svc_claims_total",
			help: "What this node has claimed (won), stored as claimed (reserved), taken over, or not got (empty, lost to another node).",
			labels: ["kind", "outcome"],
		});
	}

	/** Perhaps something waits in storage, and what is new must wait behind it. */
	get isBehind(): boolean {
		return this.#isBehind;
	}

	/** Places for more; none while it is closed. */
	places(): number {
		return this.#isOpen ? Math.max(0, this.#free()) : 0;
	}

	open(): void {
		this.#isOpen = true;
	}

	/** Nothing is claimed from now on; what was claimed is worked at. */
	close(): void {
		this.#isOpen = false;
	}

	/** Something new has been stored that waits for a claim. */
	fallBehind(): void {
		this.#isBehind = true;
	}

	/** What a claim stores of what takes no place, as it comes to its end at once; undefined while it is closed. */
	claim(): (Patch<EntityMap[K]> & TakenLease) | undefined {
		return this.#isOpen ? this.#toClaim() : undefined;
	}

	/** Keep a place for something new; undefined when it has to wait in storage. */
	reserve(): KeptPlaces<K> | undefined {
		if (this.places() > 0 && !this.#isBehind) return this.keep(1);
		this.fallBehind();
		return undefined;
	}

	/** Keep places for what waits in storage and is claimed by a write of the caller's. */
	keep(count: number): KeptPlaces<K> {
		const claim = this.#toClaim();
		this.#kept += count;
		const release = (settle: () => void) => {
			this.#kept -= count;
			settle();
			if (this.#kept === 0) for (const settled of this.#onSettled.splice(0)) settled();
		};
		return {
			claim,
			settle: (outcome, claimed) =>
				release(() => {
					if (outcome === "unsure") this.#unsure.add(claim.fence);
					if (outcome !== "stored") return this.#hasRoom();
					this.#claims.record(claimed.length, this.#parts.kind, "reserved");
					for (const entity of claimed) this.begin(entity);
				}),
			giveBack: () => release(() => this.#hasRoom()),
		};
	}

	/**
	 * Claim everything that matches, asking each time what that is, until nothing is left of it, or no place, or somebody else `waits` for
	 * places: while claims are under way others become free. Whether nothing is left.
	 *
	 * @param claimSome instead of the method of this name
	 */
	async claimAll(
		toClaim: () => Claim<K>,
		waits: () => boolean = () => false,
		claimSome = (claim: Claim<K>) => this.claimSome(claim),
	): Promise<boolean> {
		while (this.places() > 0) {
			const isLeft = await claimSome(toClaim());
			this.#isBehind = isLeft;
			if (!isLeft) return true;
			if (waits()) break;
		}
		this.#isBehind = true;
		return false;
	}

	/** Claim some of what matches: whether there may be more of it, and places. */
	async claimSome(claim: Claim<K>): Promise<boolean> {
		const { onClaimed } = this.#parts;
		return this.#claimSome(claim, this.#toClaim(), (entity) => onClaimed?.(entity));
	}

	/** The same of what somebody has begun and left: it stays as it is but for the lease. */
	async claimLeft(claim: Claim<K>): Promise<boolean> {
		const { leasing, onTakenOver } = this.#parts;
		return this.#claimSome(claim, leasing.take() as Patch<EntityMap[K]> & TakenLease, onTakenOver);
	}

	async #claimSome(claim: Claim<K>, patch: Patch<EntityMap[K]> & TakenLease, onClaimed: (entity: EntityMap[K]) => void): Promise<boolean> {
		const { storage, kind, claimLimit, claimsAhead } = this.#parts;
		const { where, orderBy, reach, limit: ownLimit = claimLimit } = claim;
		const places = this.places();
		if (places === 0) {
			this.#isBehind = true;
			return false;
		}
		const limit = claimsAhead ? claimLimit : Math.min(claimLimit, ownLimit, places);
		const claimed = await this.#unsure.during(patch.fence, () => storage.claim(kind, { where, orderBy, limit }, patch));
		if (claimed.length === 0) this.#claims.record(1, kind, "empty");
		else this.#claims.record(claimed.length, kind, "won");
		for (const entity of claimed) {
			reach?.(entity);
			onClaimed(entity);
			this.#accept(entity);
		}
		return claimed.length === limit;
	}

	/** Claim again what somebody has claimed and will not bring to its end; unless somebody else was faster. */
	async takeOver(left: EntityMap[K], patch: Patch<EntityMap[K]> = {}): Promise<void> {
		const { storage, leasing, kind, claimed, onTakenOver } = this.#parts;
		const lease = leasing.take();
		// A node that has renewed the lease since it was read keeps it.
		const { status, fence, lease_expires_at } = left;
		const expected = { ...claimed, status, fence, lease_expires_at };
		const taken = await this.#unsure.during(lease.fence, () => storage.update(kind, left.id, { ...patch, ...lease }, expected));
		this.#claims.record(1, kind, taken === undefined ? "lost" : "taken_over");
		if (taken === undefined) return;
		onTakenOver(taken);
		this.#accept(taken);
	}

	/** Work at what claims have claimed whose answer was lost; not while it is closed, as the node may be about to stop. */
	async settleUnsure(): Promise<void> {
		if (!this.#isOpen) return;
		const { storage, kind, claimed, isHere } = this.#parts;
		const found = await this.#unsure.settle((fences) => storage.find(kind, { where: { ...claimed, fence: { in: fences } } }));
		for (const entity of found) if (isHere?.(entity.id) !== true) this.#accept(entity);
	}

	/** Work at something that this node has claimed, whether there is a place or not. */
	begin(entity: EntityMap[K]): void {
		const work = this.#parts.work(entity).finally(() => {
			this.#running.delete(work);
			this.#hasRoom();
		});
		this.#running.add(work);
	}

	/** Resolves when nothing is being stored as claimed any more. */
	async settled(): Promise<void> {
		while (this.#kept > 0) await new Promise<void>((resolve) => this.#onSettled.push(resolve));
	}

	/** Resolves when nothing is worked at any more. */
	async idle(): Promise<void> {
		while (this.#running.size > 0) await Promise.all(this.#running);
	}

	#free(): number {
		const { poolSize, resting } = this.#parts;
		return poolSize + (resting?.() ?? 0) - this.#running.size - this.#waiting.length - this.#kept;
	}

	#toClaim(): Patch<EntityMap[K]> & TakenLease {
		return Object.assign({}, this.#parts.toClaim(), this.#parts.leasing.take());
	}

	#accept(entity: EntityMap[K]): void {
		if (!this.#parts.claimsAhead) return this.begin(entity);
		this.#waiting.push(entity);
		this.#fill();
	}

	#fill(): void {
		while (this.#running.size + this.#kept < this.#parts.poolSize) {
			const next = this.#waiting.shift();
			if (next === undefined) return;
			this.begin(next);
		}
	}

	#hasRoom(): void {
		this.#fill();
		this.#parts.onRoom();
	}
}
