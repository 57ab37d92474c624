import type { Clock, Storage } from "../../contract/index.ts";
import { type EngineClock, MonotonicTime, toEngineClock } from "../basics/clock.ts";

/**
 * The time that all nodes of one storage share. If several processes may use the storage, its own clock gives the time. The clock of this
 * machine only measures how much has passed since the last measurement. If each node used its own clock, a node with a wrong one would take
 * over the work of every other node.
 *
 * If only one process can use the storage, the time is that of this machine. A plain `Clock` from an embedding program or a test is never
 * corrected; only an `EngineClock` is.
 */
export class StorageClock implements EngineClock {
	readonly #storage: Pick<Storage, "capabilities" | "now">;
	readonly #machine: EngineClock;
	readonly #isCorrected: boolean;
	readonly #tolerance: number;
	readonly #rising = new MonotonicTime();
	/** Microseconds by which the storage is ahead of the steady time of this process; undefined before the first measurement. */
	#offsetUs: number | undefined;

	/** @param tolerance seconds by which this machine's clock may differ from the storage's before `isOutOfSync` returns true */
	constructor(storage: Pick<Storage, "capabilities" | "now">, clock: Clock | EngineClock, tolerance: number) {
		this.#storage = storage;
		this.#machine = toEngineClock(clock);
		this.#isCorrected = this.#machine === clock;
		this.#tolerance = tolerance;
	}

	now(): number {
		return this.#offsetUs === undefined ? this.#machine.now() : this.#rising.read(this.steady(), this.#machine.steady());
	}

	steady(): number {
		return this.#machine.steady() + (this.#offsetUs ?? 0);
	}

	wall(): number {
		return this.#offsetUs === undefined ? this.#machine.wall() : this.steady();
	}

	/**
	 * Reads the clock of the storage, and corrects the offset. Rejects with the error of the storage. The storage reads its clock at an
	 * unknown moment between request and response, so the new offset is known only as a range. An earlier offset within the range is kept,
	 * so that a slow response does not make it less exact. Does nothing if only one process can use the storage or the clock is never
	 * corrected.
	 */
	async measure(): Promise<void> {
		if (!this.#isCorrected || this.#storage.capabilities.shared !== true || this.#storage.now === undefined) return;
		const requestTime = this.#machine.steady();
		const storageTime = await this.#storage.now();
		const responseTime = this.#machine.steady();
		const offsetUs = this.#offsetUs ?? storageTime - Math.floor((requestTime + responseTime) / 2);
		this.#offsetUs = Math.min(Math.max(offsetUs, storageTime - responseTime), storageTime - requestTime);
	}

	isOutOfSync(): boolean {
		return Math.abs(this.ahead()) > this.#tolerance;
	}

	/** Seconds by which this machine's clock is ahead of the storage's; 0 where only one process can use the storage. */
	ahead(): number {
		return this.#offsetUs === undefined ? 0 : (this.#machine.wall() - this.steady()) / 1_000_000;
	}
}
