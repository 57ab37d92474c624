import type { DutyEntity } from "../../../core/contract/index.ts";
import {
	createId,
	HeldLease,
	insertIfAbsent,
	type Kernel,
	RecordLeaseRenewer,
	releasedLease,
	toRenewalIntervalMs,
	type Uses,
	wait,
} from "../../../core/feature.ts";

export type PackLockDependencies = Uses<"clock" | "logger"> & Pick<Kernel, "leasing">;

export interface LockOptions {
	readonly signal: AbortSignal;
	/** Called once for each pack that another installation holds, before waiting for it. */
	onWait(ref: string): Promise<void>;
}

/** Milliseconds between two attempts to lock a pack that another installation holds. */
const look = 250;

/**
 * Locks that allow one installation at a time, on all nodes, to change a pack. If a node dies, its locks last until their leases expire.
 */
export class PackLocks {
	readonly #parts: PackLockDependencies;
	/** Packs that this process has locked. Leases alone do not suffice: without other nodes, no lease counts as held. */
	readonly #held = new Set<string>();

	constructor(parts: PackLockDependencies) {
		this.#parts = parts;
	}

	/**
	 * Calls `work` while these packs are locked. The signal that `work` receives aborts if the given signal does, or if a lock may be lost.
	 * Locks are always acquired in the order of refs, because two installations could otherwise wait for each other forever.
	 */
	async with<T>(refs: readonly string[], options: LockOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
		const [ref, ...others] = [...new Set(refs)].sort();
		if (ref === undefined) return work(options.signal);
		const lease = await this.#take(ref, options);
		const kept = this.#keep(ref, lease);
		const signal = AbortSignal.any([options.signal, kept.signal]);
		try {
			return await this.with(others, { ...options, signal }, work);
		} finally {
			await kept.stop();
			await lease.release().catch((error: unknown) => this.#parts.logger.warn("pack lock could not be released", { pack: ref, error }));
			this.#held.delete(ref);
		}
	}

	async #take(ref: string, { signal, onWait }: LockOptions): Promise<HeldLease<"duty">> {
		for (let isTold = false; ; isTold = true) {
			signal.throwIfAborted();
			if (!this.#held.has(ref)) {
				this.#held.add(ref);
				const lease = await this.#try(ref).catch((error: unknown) => {
					this.#held.delete(ref);
					throw error;
				});
				if (lease !== undefined) return lease;
				this.#held.delete(ref);
			}
			if (!isTold) await onWait(ref);
			await wait(look, signal);
		}
	}

	async #try(ref: string): Promise<HeldLease<"duty"> | undefined> {
		const { leasing } = this.#parts;
		const { id, fence, ...fields } = await this.#read(`pack ${ref}`);
		if (leasing.isHeld({ fence, ...fields })) return undefined;
		return (await HeldLease.acquire(leasing, "duty", id, { expected: { fence } }))?.lease;
	}

	async #read(name: string): Promise<DutyEntity> {
		const { leasing, clock } = this.#parts;
		for (;;) {
			const [known] = await leasing.storage.find("duty", { where: { name }, limit: 1 });
			if (known !== undefined) return known;
			await insertIfAbsent(() => leasing.storage.insert("duty", [{ id: createId(clock), name, ...releasedLease, done_at: null }]));
		}
	}

	#keep(ref: string, lease: HeldLease<"duty">): RecordLeaseRenewer<"duty"> {
		const { leasing, logger } = this.#parts;
		return new RecordLeaseRenewer({
			lease,
			intervalMs: toRenewalIntervalMs(leasing.leaseSeconds),
			onError: (error) => logger.warn("pack lock could not be renewed", { pack: ref, error }),
		});
	}
}
