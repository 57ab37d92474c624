import type { EntityMap, Instrument, Meters, Order, Patch, Where } from "../../contract/index.ts";
import type { Uses } from "../basics/engine-parts.ts";
import { InDoubtClaims, isRefusal } from "./in-doubt-claims.ts";
import type { HeldLeaseFields, LeasePolicy } from "./lease-duration.ts";

/** Kinds whose records wait in the storage until a node claims them. */
export type ClaimableKind = "execution" | "trigger_instance";

/** Fields that a claim writes: those of the lease, and those that the claimer's owner adds, such as the status. */
type ClaimPatch<K extends ClaimableKind> = Patch<EntityMap[K]> & HeldLeaseFields;

export interface ClaimerOptions<K extends ClaimableKind> extends Uses<"storage"> {
	readonly leasing: LeasePolicy;
	readonly hub: Meters;
	readonly kind: K;
	/** Number of slots: the maximum number of records processed at the same time. */
	readonly poolSize: number;
	/** Maximum number of records that one write claims. */
	readonly maxClaimBatch: number;
	/**
	 * True if a claim may take more records than there are free slots. The others wait in memory. This saves writes if processing a record
	 * takes only a moment.
	 */
	readonly shouldClaimAhead: boolean;
	/** Returns the fields that a claim writes in addition to the lease. */
	readonly createClaimPatch: () => Patch<EntityMap[K]>;
	/** Condition that holds for every claimed record; used to find claims again. */
	readonly claimedCondition: Where<EntityMap[K]>;
	/** Processes a claimed record to its end. Never rejects. */
	readonly process: (entity: EntityMap[K]) => Promise<void>;
	/** Returns true if this node is already processing the record. */
	readonly isInProgressHere?: (id: string) => boolean;
	/** Returns how many of the records in progress take no slot at present. Default: none. */
	readonly resting?: () => number;
	/** Called for each record that a claim has taken from those that wait, before it is processed. */
	readonly onClaimed?: (entity: EntityMap[K]) => void;
	/** Called for each record that was taken over from another node, before it is processed. */
	readonly onTakenOver: (entity: EntityMap[K]) => void;
	/** Called when a slot has become free. */
	readonly onSlotFree: () => void;
}

/**
 * Result of a write. `stored` and `refused` are certain. `unsure`: the response was lost, so the records may or may not be stored.
 */
export type WriteOutcome = "stored" | "refused" | "unsure";

/** Slots reserved for records that the caller is about to store as claimed. */
export interface ReservedSlots<K extends ClaimableKind> {
	/** Fields to be stored with each of the records. */
	readonly claimPatch: ClaimPatch<K>;
	/**
	 * Ends the reservation with the result of the write. If the records, `claimed`, were stored, they are processed. Either this or
	 * `release` must be called exactly once; otherwise the slots are lost.
	 */
	settle(outcome: WriteOutcome, claimed: readonly EntityMap[K][]): void;
	/** Ends the reservation if nothing remains to be processed. */
	release(): void;
}

/** A new record in the state in which the caller must store it. */
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
export interface Claim<K extends ClaimableKind> {
	readonly where: Where<EntityMap[K]>;
	/** The first records in this order are claimed. */
	readonly orderBy: readonly Order<EntityMap[K]>[];
	/** Maximum number of records that this claim takes. Default: `maxClaimBatch`. Has no effect if the claimer claims ahead. */
	readonly limit?: number;
	/** Called for each claimed record, in order, to advance a claim cursor. */
	readonly advanceCursor?: (entity: EntityMap[K]) => void;
}

/**
 * Claims records that wait in the storage, and processes at most `poolSize` of them at a time.
 *
 * A record becomes this node's in one of these ways. Each of them writes a lease with a new fence:
 *
 * - claimed (`claimAll`, `claimBatch`): the storage gives each waiting record to one claim only, however many nodes claim at once.
 * - claimed again (`reclaimBatch`): records that were started earlier and released. They are claimed in the same way, but only their lease
 *   changes.
 * - reserved (`reserveSlot`, `reserveSlots`): the caller stores the record as claimed in a write of its own.
 * - taken over (`takeOver`): the lease of another node has expired. The write expects status, fence and expiry as they were read. So one
 *   node gets the record, and a holder that has renewed its lease keeps it.
 * - resolved from doubt (`resolveInDoubtClaims`): the response to one of the writes above was lost. The fence shows later which records it
 *   took.
 *
 * On this node such a record is reserved (it is being stored), waiting, in progress or done. Only a claimer that claims ahead has waiting
 * records: in memory, without a slot. `process` handles a record in progress. The record is done when `process` has resolved.
 *
 * Reserved and waiting records and those in progress count against `poolSize`, except the `resting` ones. Free slots limit claims and
 * `reserveSlot`. Records that were taken over or resolved from doubt belong to this node already. Their processing begins even without a
 * free slot, unless the claimer claims ahead.
 *
 * `hasWaitingRecords` protects the order: a new record may use a free slot only if no earlier one waits in the storage. It is true at
 * first, when a record had to wait, and when claiming ended with records left. It becomes false once a claim has found nothing more.
 *
 * What may happen at the same time:
 *
 * - Slots become free while a claim waits for the storage. So each claim counts them again, and `claimAll` continues while there are any.
 * - A slot is reserved during a claim that also counts on it. Then more than `poolSize` records are in progress for a while.
 * - The poll and orphan recovery call `resolveInDoubtClaims`. Only one call gets each fence, so that no record is processed twice.
 * - `close` is called during a claim or a reservation. The records are still processed, because this node holds their lease.
 *   `whenReservationsSettled` resolves when no reservation is open, and `whenIdle` when no record is in progress.
 *
 * The claimer does not renew leases. If processing may take longer than a lease lasts, `process` must renew it.
 */
export class Claimer<K extends ClaimableKind> {
	readonly #parts: ClaimerOptions<K>;
	readonly #inProgress = new Set<Promise<void>>();
	/** Claimed records without a slot. */
	readonly #waiting: EntityMap[K][] = [];
	readonly #inDoubtClaims = new InDoubtClaims();
	readonly #claimCounter: Instrument;
	#reservedSlots = 0;
	readonly #settledCallbacks: (() => void)[] = [];
	#isOpen = false;
	#isBehind = true;

	constructor(parts: ClaimerOptions<K>) {
		this.#parts = parts;
		this.#claimCounter = parts.hub.counter({
			name: "svc_claims_total",
			help: "What this node has claimed (won), stored as claimed (reserved), taken over, or not got (empty, lost to another node).",
			labels: ["kind", "outcome"],
		});
	}

	/** True if records may wait in the storage; new records must then wait until these are claimed. */
	get hasWaitingRecords(): boolean {
		return this.#isBehind;
	}

	/** Returns the number of free slots; 0 while the claimer is closed. */
	freeSlots(): number {
		return this.#isOpen ? Math.max(0, this.#countFreeSlots()) : 0;
	}

	/** Allows claims and reservations. The claimer is closed at first. */
	open(): void {
		this.#isOpen = true;
	}

	/** Stops claims and reservations. Records that were claimed before are still processed. */
	close(): void {
		this.#isOpen = false;
	}

	/** Notes that a record which waits for a claim has been stored, so that new ones do not overtake it. */
	noteWaitingRecord(): void {
		this.#isBehind = true;
	}

	/** Returns the patch of a claim for a record that takes no slot, because it is stored in a final state. Undefined while closed. */
	createSlotlessClaim(): ClaimPatch<K> | undefined {
		return this.#isOpen ? this.#createClaimPatch() : undefined;
	}

	/** Reserves a slot for a new record. Returns undefined if the record must wait in the storage: no slot is free, or others wait. */
	reserveSlot(): ReservedSlots<K> | undefined {
		if (this.freeSlots() > 0 && !this.#isBehind) return this.reserveSlots(1);
		this.noteWaitingRecord();
		return undefined;
	}

	/** Reserves slots for waiting records that the caller claims with a write of its own. Does not check that the slots are free. */
	reserveSlots(count: number): ReservedSlots<K> {
		const claim = this.#createClaimPatch();
		this.#reservedSlots += count;
		const release = (then: () => void) => {
			this.#reservedSlots -= count;
			then();
			if (this.#reservedSlots === 0) for (const callback of this.#settledCallbacks.splice(0)) callback();
		};
		return {
			claimPatch: claim,
			settle: (outcome, claimed) =>
				release(() => {
					if (outcome === "unsure") this.#inDoubtClaims.add(claim.fence);
					if (outcome !== "stored") return this.#onSlotFree();
					this.#claimCounter.record(claimed.length, this.#parts.kind, "reserved");
					for (const entity of claimed) this.processClaimed(entity);
				}),
			release: () => release(() => this.#onSlotFree()),
		};
	}

	/**
	 * Claims matching records, batch by batch, until none is left, no slot is free, or another source waits for slots. Slots that become
	 * free in the meantime are used too. Returns true if none is left.
	 *
	 * @param toClaim returns the selection for the next batch
	 * @param waits returns true if another source waits for slots; default: none does
	 * @param claimBatch claims one batch; default: the method of this name
	 */
	async claimAll(
		toClaim: () => Claim<K>,
		waits: () => boolean = () => false,
		claimBatch = (claim: Claim<K>) => this.claimBatch(claim),
	): Promise<boolean> {
		while (this.freeSlots() > 0) {
			const mayHaveMore = await claimBatch(toClaim());
			this.#isBehind = mayHaveMore;
			if (!mayHaveMore) return true;
			if (waits()) break;
		}
		this.#isBehind = true;
		return false;
	}

	/** Claims one batch of matching records. Returns true if it was full, so that more may match; false also if no slot is free. */
	async claimBatch(claim: Claim<K>): Promise<boolean> {
		const { onClaimed } = this.#parts;
		return this.#claimSome(claim, this.#createClaimPatch(), (entity) => onClaimed?.(entity));
	}

	/**
	 * Claims one batch of matching records that were started and released. Changes only their lease. Returns true if the batch was full;
	 * false also if no slot is free.
	 */
	async reclaimBatch(claim: Claim<K>): Promise<boolean> {
		const { leasing, onTakenOver } = this.#parts;
		return this.#claimSome(claim, leasing.createLease() as ClaimPatch<K>, onTakenOver);
	}

	async #claimSome(claim: Claim<K>, patch: ClaimPatch<K>, onClaimed: (entity: EntityMap[K]) => void): Promise<boolean> {
		const { storage, kind, maxClaimBatch, shouldClaimAhead } = this.#parts;
		const { where, orderBy, advanceCursor, limit: batchLimit = maxClaimBatch } = claim;
		const freeSlots = this.freeSlots();
		if (freeSlots === 0) {
			this.#isBehind = true;
			return false;
		}
		const limit = shouldClaimAhead ? maxClaimBatch : Math.min(maxClaimBatch, batchLimit, freeSlots);
		const claimed = await this.#inDoubtClaims.track(patch.fence, () => storage.claim(kind, { where, orderBy, limit }, patch));
		if (claimed.length === 0) this.#claimCounter.record(1, kind, "empty");
		else this.#claimCounter.record(claimed.length, kind, "won");
		for (const entity of claimed) {
			advanceCursor?.(entity);
			onClaimed(entity);
			this.#accept(entity);
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
		this.#accept(taken);
	}

	/**
	 * Processes the records of claims whose response was lost, if they were stored. Without this they would wait until their lease expires.
	 * Does nothing while the claimer is closed, because the node may be about to stop.
	 */
	async resolveInDoubtClaims(): Promise<void> {
		if (!this.#isOpen) return;
		const { storage, kind, claimedCondition, isInProgressHere } = this.#parts;
		const claimedRecords = await this.#inDoubtClaims.resolve((fences) =>
			storage.find(kind, { where: { ...claimedCondition, fence: { in: fences } } }),
		);
		for (const entity of claimedRecords) if (isInProgressHere?.(entity.id) !== true) this.#accept(entity);
	}

	/** Processes a record that this node has claimed, even if no slot is free. Returns without waiting for it. */
	processClaimed(entity: EntityMap[K]): void {
		const work = this.#parts.process(entity).finally(() => {
			this.#inProgress.delete(work);
			this.#onSlotFree();
		});
		this.#inProgress.add(work);
	}

	/** Resolves when no reservation is open, so that no record is being stored as claimed. */
	async whenReservationsSettled(): Promise<void> {
		while (this.#reservedSlots > 0) await new Promise<void>((resolve) => this.#settledCallbacks.push(resolve));
	}

	/** Resolves when no record is in progress. */
	async whenIdle(): Promise<void> {
		while (this.#inProgress.size > 0) await Promise.all(this.#inProgress);
	}

	#countFreeSlots(): number {
		const { poolSize, resting } = this.#parts;
		return poolSize + (resting?.() ?? 0) - this.#inProgress.size - this.#waiting.length - this.#reservedSlots;
	}

	#createClaimPatch(): ClaimPatch<K> {
		return Object.assign({}, this.#parts.createClaimPatch(), this.#parts.leasing.createLease());
	}

	/** Processes a claimed record: at once, or when a slot is free if this claimer claims ahead. */
	#accept(entity: EntityMap[K]): void {
		if (!this.#parts.shouldClaimAhead) return this.processClaimed(entity);
		this.#waiting.push(entity);
		this.#beginWaiting();
	}

	/** Begins waiting records, in the order of their claims, while slots are free. */
	#beginWaiting(): void {
		while (this.#inProgress.size + this.#reservedSlots < this.#parts.poolSize) {
			const next = this.#waiting.shift();
			if (next === undefined) return;
			this.processClaimed(next);
		}
	}

	#onSlotFree(): void {
		this.#beginWaiting();
		this.#parts.onSlotFree();
	}
}
