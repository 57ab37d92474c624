import type { Logger, Options, SensorEntity, Storage } from "../../contract/index.ts";
import { type EngineClock, toTimestamp } from "../../kernel/basics/clock.ts";
import { HeldLease } from "../../kernel/work/held-lease.ts";
import type { Leasing } from "../../kernel/work/leasing.ts";
import { SensorRun, type Supervised } from "./sensor-run.ts";

export interface SupervisorParts {
	readonly storage: Storage;
	readonly clock: EngineClock;
	readonly logger: Logger;
	readonly nodeId: string;
	readonly leasing: Leasing;
	readonly options: Pick<Options, "sensorcontainer">;
}

/** Keeps one sensor running: takes it when nobody has it, and ends it when it is switched off or the lease is lost. */
export class Supervisor {
	readonly #parts: SupervisorParts;
	readonly #id: string;
	readonly #supervised: Supervised;
	#run: SensorRun | undefined;
	/** A run that has not ended though nobody waits for it any more: there must be no second one beside it. */
	#isLingering = false;
	#isStopped = false;

	/** @param id of the record */
	constructor(parts: SupervisorParts, id: string, supervised: Supervised) {
		this.#parts = parts;
		this.#id = id;
		this.#supervised = supervised;
	}

	/** Compare with what is stored, and act on it. One call at a time. Rejects when the storage does. */
	async look(stored: SensorEntity): Promise<void> {
		const run = this.#run;
		if (run === undefined) {
			if (this.#isStopped || this.#isLingering || !stored.enabled || this.#isHeldElsewhere(stored)) return;
			return this.#take(stored);
		}
		if (stored.fence !== run.fence) return run.lose();
		if (!stored.enabled) void run.end();
		// Also while it ends: nobody else may start it before it has.
		await run.renew();
	}

	/** The storage cannot be asked: end the sensor when that has been so for longer than its lease. */
	expire(): void {
		if (this.#run?.isHeld() === false) this.#run.lose();
	}

	/** Resolves when the sensor has ended, or the grace has passed. */
	async stop(): Promise<void> {
		this.#isStopped = true;
		await this.#run?.end();
	}

	/** After `stop`: look at it again from now on. */
	resume(): void {
		this.#isStopped = false;
	}

	/** A lease of this node's own whose run has ended could not be given back; nobody else has taken it. */
	#isHeldElsewhere(stored: SensorEntity): boolean {
		return stored.owner !== this.#parts.nodeId && this.#parts.leasing.isHeld(stored);
	}

	async #take(stored: SensorEntity): Promise<void> {
		const { leasing, options } = this.#parts;
		const taken = await HeldLease.take(leasing, "sensor", this.#id, { expected: { fence: stored.fence, enabled: true } });
		if (taken === undefined) return;
		const run = new SensorRun({
			...this.#parts,
			settings: options.sensorcontainer,
			supervised: this.#supervised,
			lease: taken.lease,
			failures: taken.record.restarts,
			onEnd: ({ hasEnded, work }) => {
				if (!hasEnded) void this.#linger(work);
				if (this.#run === run) this.#run = undefined;
				this.#supervised.wake();
			},
		});
		this.#run = run;
	}

	async #linger(work: Promise<void>): Promise<void> {
		const { storage, clock, logger } = this.#parts;
		this.#isLingering = true;
		await work;
		this.#isLingering = false;
		if (this.#isStopped) return;
		const patch = { state: "stopped", state_changed_at: toTimestamp(clock.now()) } as const;
		await storage
			.update("sensor", this.#id, patch, { fence: null, state: "failed" })
			.catch((error: unknown) => logger.warn("end of a sensor was not stored", { sensor: this.#supervised.ref, error }));
		this.#supervised.wake();
	}
}
