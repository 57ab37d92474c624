import type { Clock, Storage } from "../../contract/index.ts";
import { type EngineClock, RisingTime, toEngineClock } from "../basics/clock.ts";

/**
 * The time that all nodes on one storage have in common. Where several may use it, the storage's own clock says what time it is, and
 * this process's only how much has passed since it was asked: with clocks of the machines, one that is wrong would take the work of
 * every other node. Where only one process can use it, the time is this machine's. A clock that a program or a test hands over is never
 * corrected.
 */
export class StorageClock implements EngineClock {
	readonly #storage: Pick<Storage, "capabilities" | "now">;
	readonly #machine: EngineClock;
	readonly #isCorrected: boolean;
	readonly #tolerance: number;
	readonly #rising = new RisingTime();
	/** Microseconds from this process's steady time to that of the storage; undefined before it was asked. */
	#offset: number | undefined;

	/** @param tolerance seconds by which this machine's clock may differ from the storage's before `isOff` */
	constructor(storage: Pick<Storage, "capabilities" | "now">, clock: Clock | EngineClock, tolerance: number) {
		this.#storage = storage;
		this.#machine = toEngineClock(clock);
		this.#isCorrected = this.#machine === clock;
		this.#tolerance = tolerance;
	}

	now(): number {
		return this.#offset === undefined ? this.#machine.now() : this.#rising.read(this.steady(), this.#machine.steady());
	}

	steady(): number {
		return this.#machine.steady() + (this.#offset ?? 0);
	}

	wall(): number {
		return this.#offset === undefined ? this.#machine.wall() : this.steady();
	}

	/**
	 * Ask the storage. Rejects when it does. When on the way of the answer its time was read nobody knows: what was known before stays
	 * where it can be true, so that a slow answer makes it no worse.
	 */
	async measure(): Promise<void> {
		if (!this.#isCorrected || this.#storage.capabilities.shared !== true || this.#storage.now === undefined) return;
		const asked = this.#machine.steady();
		const time = await this.#storage.now();
		const answered = this.#machine.steady();
		const known = this.#offset ?? time - Math.floor((asked + answered) / 2);
		this.#offset = Math.min(Math.max(known, time - answered), time - asked);
	}

	isOff(): boolean {
		return Math.abs(this.ahead()) > this.#tolerance;
	}

	/** Seconds by which this machine's clock is ahead of the storage's; 0 where only one process can use the storage. */
	ahead(): number {
		return this.#offset === undefined ? 0 : (this.#machine.wall() - this.steady()) / 1_000_000;
	}
}
