import { type EntityMap, type Instrument, isSvcError, type Meters, type Order, type Patch, type Where } from "../../contract/index.ts";
import type { Uses } from "../basics/engine-parts.ts";
import type { HeldLeaseFields, LeasePolicy } from "./lease-policy.ts";
import type { SlotPool } from "./slot-pool.ts";

/** Kinds whose records wait in the storage until a node claims them. */
export type ClaimableKind = "execution" | "trigger_instance";

/** Fields that a claim writes: those of the lease, and those of `createClaimPatch`, such as the status. */
type ClaimPatch<K extends ClaimableKind> = Patch<EntityMap[K]> & HeldLeaseFields;

export interface ClaimerDependencies<K extends ClaimableKind> extends Uses<"storage"> {
	readonly leasing: LeasePolicy;
	readonly hub: Meters;
	readonly kind: K;
	readonly slots: SlotPool;
	/** Returns the maximum number of records that one write claims. It is called only if a slot is free. */
	readonly toBatchSize: (freeSlots: number) => number;
	/** Returns the fields that a claim writes in addition to the lease. */
	readonly createClaimPatch: () => Patch<EntityMap[K]>;
	/** Condition that holds for every claimed record; used to find claims again. */
	readonly claimedCondition: Where<EntityMap[K]>;
	/** Processes a claimed record to its end. Never rejects. */
	readonly process: (entity: EntityMap[K]) => Promise<void>;
	/** Returns true if this node is already processing the record. */
	readonly isInProgressHere?: (id: string) => boolean;
	/** Called for each waiting record that a claim has taken, before the record is processed. */
	readonly onClaimed?: (entity: EntityMap[K]) => void;
	/** Called for each record that was taken over from another node or reclaimed, before the record is processed. */
	readonly onTakenOver: (entity: EntityMap[K]) => void;
}

/**
 * Result of a write. `stored` and `refused` are certain. `unsure`: the response was lost, so the records may or may not be stored.
 */
export type WriteOutcome = "stored" | "refused" | "unsure";

/** Slots that are reserved for records which the caller is about to store as claimed. */
export interface ReservedSlots<K extends ClaimableKind> {
	/** Fields that the caller must store with each of the records. */
	readonly claimPatch: ClaimPatch<K>;
	/**
	 * Ends the reservation with the result of the write. If `claimed` were stored, starts to process them. Either this or `release` must be
	 * called exactly once; otherwise the slots are lost.
	 */
	settle(outcome: WriteOutcome, claimed: readonly EntityMap[K][]): void;
	/** Ends the reservation without processing any record. */
	release(): void;
}

/** A new record in the state in which the caller must store it, and its reserved slot, if any. */
export interface Reservation<E> {
	readonly entity: E;
	/** Must be called exactly once with the result of the write. */
	settle(outcome: WriteOutcome): void;
}

/** Stores a new record by a call of `store`, and settles its reservation with the result. Rejects with the error of `store`. */
export function insertClaimed<E>(reservation: Reservation<E>, store: (entity: E) => Promise<void>): Promise<void> {
	return insertAllClaimed([reservation], ([entity]) => store(entity as E));
}

/**
 * Stores new records by one call of `store`, all or none, and settles their reservations with the result. Rejects with the error of
 * `store`.
 */
export async function insertAllClaimed<E>(
	reservations: readonly Reservation<E>[],
	store: (entities: readonly E[]) => Promise<void>,
): Promise<void> {
	const settleAll = (outcome: WriteOutcome) => {
		for (const reservation of reservations) reservation.settle(outcome);
	};
	try {
		await store(reservations.map(({ entity }) => entity));
	} catch (error) {
		settleAll(isRefusal(error) ? "refused" : "unsure");
		throw error;
	}
	settleAll("stored");
}

/** Selection of the records that a claim may take. */
export interface ClaimSelection<K extends ClaimableKind> {
	readonly where: Where<EntityMap[K]>;
	/** The first records in this order are claimed. */
	readonly orderBy: readonly Order<EntityMap[K]>[];
	/** Maximum number of records, if less than the batch size. Default: the batch size. */
	readonly limit?: number;
	/** Called for each claimed record, in order, to advance a claim cursor. */
	readonly advanceCursor?: (entity: EntityMap[K]) => void;
}

/**
 * Claims records that wait in the storage, as far as slots are free, and starts to process them.
 *
 * This node can acquire a record in the following ways. Each of them writes a lease with a new fence:
 *
 * - claimed (`claimAll`, `claimBatch`): the storage gives each waiting record to one claim only, however many nodes claim at once.
 * - claimed again (`reclaimBatch`): records that were started earlier and then released. They are claimed in the same way, but only their
 *   lease changes.
 * - reserved (`reserveSlot`, `reserveSlots`): the caller stores the record as claimed in a write of its own.
 * - taken over (`takeOver`): the lease of another node has expired. The write expects status, fence and expiry as they were read. So one
 *   node gets the record, and a holder that has renewed its lease keeps it.
 * - resolved (`resolveInDoubtClaims`): the response to one of the writes above was lost. A later query by the fence finds the records that
 *   it took.
 *
 * On this node, an acquired record is reserved (it is being stored), in progress or done. `process` handles a record in progress. The
 * record is done when `process` has resolved.
 *
 * Free slots limit claims and `reserveSlot`. Records that were taken over or resolved already belong to this node, so their processing
 * begins even without a free slot.
 *
 * `hasWaitingRecords` protects the order: a new record may use a free slot only if no earlier one waits in the storage. It is true
 * initially, after a record had to wait, and after a claim that left records. It becomes false once a claim has found no further record.
 *
 * What may happen at the same time:
 *
 * - Slots become free while a claim waits for the storage. So each claim counts the free slots again, and `claimAll` continues while there
 *   are any.
 * - A slot that a claim has counted as free is reserved during that claim. More records than slots are then in progress for a while.
 * - The poll and orphan recovery call `resolveInDoubtClaims`. Only one call gets each fence, so that no record is processed twice.
 * - The slots are closed during a claim or a reservation. The records are still processed, because this node holds their lease.
 *
 * The claimer does not renew leases. If processing may take longer than a lease lasts, `process` must renew it.
 */
export class Claimer<K extends ClaimableKind> {
	readonly #parts: ClaimerDependencies<K>;
	readonly #inDoubtClaims = new InDoubtClaims();
	readonly #claimCounter: Instrument;
	#isBehind = true;

	constructor(parts: ClaimerDependencies<K>) {
		this.#parts = parts;
		this.#claimCounter = parts.hub.counter({
			name: "svc_claims_total",
			help: "Claims of this node by outcome: won, reserved (inserted as claimed), taken over, empty (nothing to claim), lost to another node.",
			labels: ["kind", "outcome"],
		});
	}

	/** True if records may wait in the storage; new records must then wait until these are claimed. */
	get hasWaitingRecords(): boolean {
		return this.#isBehind;
	}

	/** Notes that a record which must wait for a claim was stored, so that newer records do not overtake it. */
	noteWaitingRecord(): void {
		this.#isBehind = true;
	}

	/** Returns the claim patch for a record that is stored in a final state and takes no slot; undefined while the slots are closed. */
	createSlotlessClaim(): ClaimPatch<K> | undefined {
		return this.#parts.slots.isOpen ? this.#createClaimPatch() : undefined;
	}

	/**
	 * Reserves a slot for a new record. Returns undefined if the record must wait in the storage, because no slot is free or earlier records
	 * wait.
	 */
	reserveSlot(): ReservedSlots<K> | undefined {
		if (this.#parts.slots.free > 0 && !this.#isBehind) return this.reserveSlots(1);
		this.noteWaitingRecord();
		return undefined;
	}

	/** Reserves slots for waiting records that the caller claims with a write of its own. Does not check that the slots are free. */
	reserveSlots(count: number): ReservedSlots<K> {
		const { slots, kind } = this.#parts;
		const claimPatch = this.#createClaimPatch();
		slots.reserve(count);
		return {
			claimPatch,
			settle: (outcome, claimed) => {
				if (outcome === "unsure") this.#inDoubtClaims.add(claimPatch.fence);
				if (outcome !== "stored") return slots.release(count);
				slots.release(count, () => {
					this.#claimCounter.record(claimed.length, kind, "reserved");
					for (const entity of claimed) this.#process(entity);
				});
			},
			release: () => slots.release(count),
		};
	}

	/**
	 * Claims matching records, batch by batch, until none is left, no slot is free, or another source waits for slots. Also uses slots that
	 * become free meanwhile. Returns true if no matching record is left.
	 *
	 * @param toClaim returns the selection for the next batch
	 * @param waits returns true if another source waits for slots; default: none does
	 * @param claimBatch claims one batch; default: the method of this name
	 */
	async claimAll(
		toClaim: () => ClaimSelection<K>,
		waits: () => boolean = () => false,
		claimBatch = (claim: ClaimSelection<K>) => this.claimBatch(claim),
	): Promise<boolean> {
		while (this.#parts.slots.free > 0) {
			const mayHaveMore = await claimBatch(toClaim());
			this.#isBehind = mayHaveMore;
			if (!mayHaveMore) return true;
			if (waits()) break;
		}
		this.#isBehind = true;
		return false;
	}

	/** Claims one batch of matching records. Returns true if more records may match, because the batch was full or no slot was free. */
	async claimBatch(claim: ClaimSelection<K>): Promise<boolean> {
		const { onClaimed } = this.#parts;
		return this.#claimSome(claim, this.#createClaimPatch(), (entity) => onClaimed?.(entity));
	}

	/**
	 * Claims one batch of matching records that were started and released. Changes only their lease. Returns true if more records may match,
	 * because the batch was full or no slot was free.
	 */
	async reclaimBatch(claim: ClaimSelection<K>): Promise<boolean> {
		const { leasing, onTakenOver } = this.#parts;
		return this.#claimSome(claim, leasing.createLease() as ClaimPatch<K>, onTakenOver);
	}

	async #claimSome(claim: ClaimSelection<K>, patch: ClaimPatch<K>, onClaimed: (entity: EntityMap[K]) => void): Promise<boolean> {
		const { storage, kind, slots, toBatchSize } = this.#parts;
		const { where, orderBy, advanceCursor, limit: maxRecords = Number.POSITIVE_INFINITY } = claim;
		const freeSlots = slots.free;
		if (freeSlots === 0) {
			this.#isBehind = true;
			return true;
		}
		const limit = Math.min(toBatchSize(freeSlots), maxRecords);
		const claimed = await this.#inDoubtClaims.track(patch.fence, () => storage.claim(kind, { where, orderBy, limit }, patch));
		if (claimed.length === 0) this.#claimCounter.record(1, kind, "empty");
		else this.#claimCounter.record(claimed.length, kind, "won");
		for (const entity of claimed) {
			advanceCursor?.(entity);
			onClaimed(entity);
			this.#process(entity);
		}
		return claimed.length === limit;
	}

	/**
	 * Takes over a claimed record whose lease has expired, and processes it. Does nothing if the record has changed since it was read,
	 * because another node has taken it over or its holder has renewed the lease.
	 */
	async takeOver(orphan: EntityMap[K], patch: Patch<EntityMap[K]> = {}): Promise<void> {
		const { storage, leasing, kind, claimedCondition, onTakenOver } = this.#parts;
		const lease = leasing.createLease();
		// Expect fence and expiry as they were read. Without them, two nodes could take over the same record, or this node could take it
		// from a holder that has just renewed its lease.
		const { status, fence, lease_expires_at } = orphan;
		const expected = { ...claimedCondition, status, fence, lease_expires_at };
		const taken = await this.#inDoubtClaims.track(lease.fence, () => storage.update(kind, orphan.id, { ...patch, ...lease }, expected));
		this.#claimCounter.record(1, kind, taken === undefined ? "lost" : "taken_over");
		if (taken === undefined) return;
		onTakenOver(taken);
		this.#process(taken);
	}

	/**
	 * Processes the records of claims whose response was lost, if they were stored. Without this the records would wait until their lease
	 * expires. Does nothing while the slots are closed, because the node may be about to stop.
	 */
	async resolveInDoubtClaims(): Promise<void> {
		if (!this.#parts.slots.isOpen) return;
		const { storage, kind, claimedCondition, isInProgressHere } = this.#parts;
		const claimedRecords = await this.#inDoubtClaims.resolve((fences) =>
			storage.find(kind, { where: { ...claimedCondition, fence: { in: fences } } }),
		);
		for (const entity of claimedRecords) if (isInProgressHere?.(entity.id) !== true) this.#process(entity);
	}

	/** Starts to process a record that this node has claimed, even if no slot is free. */
	#process(entity: EntityMap[K]): void {
		this.#parts.slots.occupy(this.#parts.process(entity));
	}

	#createClaimPatch(): ClaimPatch<K> {
		return Object.assign({}, this.#parts.createClaimPatch(), this.#parts.leasing.createLease());
	}
}

/**
 * Returns true if an error of the storage proves that the write was not stored. Any other error, such as `SVC_UNAVAILABLE`, may mean that
 * only the response was lost.
 */
function isRefusal(error: unknown): boolean {
	return isSvcError(error) && error.code !== "SVC_UNAVAILABLE";
}

/**
 * Fences of claims whose response was lost. If such a claim was stored, its records belong to this node. No node would process these
 * records until their lease expires, so this node must find them by their fence.
 */
class InDoubtClaims {
	readonly #fences = new Set<string>();

	/** Adds the fence of a claim that may or may not be stored. */
	add(fence: string): void {
		this.#fences.add(fence);
	}

	/**
	 * Calls `claim`, which claims records with the fence, and adds the fence if the response is lost. Rejects with the error of `claim`.
	 */
	async track<T>(fence: string, claim: () => Promise<T>): Promise<T> {
		try {
			return await claim();
		} catch (error) {
			if (!isRefusal(error)) this.add(fence);
			throw error;
		}
	}

	/** Returns the records that `find` reads for the fences. Each fence is passed to one successful call only. */
	async resolve<E>(find: (fences: readonly string[]) => Promise<E[]>): Promise<readonly E[]> {
		if (this.#fences.size === 0) return [];
		const fences = [...this.#fences];
		// Clear first, so that a concurrent call does not return the same records, which would then be processed twice.
		this.#fences.clear();
		try {
			return await find(fences);
		} catch (error) {
			for (const fence of fences) this.add(fence);
			throw error;
		}
	}
}
