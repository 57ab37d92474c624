import type { Options, SensorEntity } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { HeldLease } from "../../kernel/coordination/lease.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { SensorRun, type Supervised } from "./sensor-run.ts";

export interface SensorAssignmentOptions extends Uses<"storage" | "clock" | "logger" | "nodeId">, Pick<Kernel, "leasing"> {
	readonly options: Pick<Options, "sensorcontainer">;
}

/** Keeps one sensor running: takes it when nobody has it, and ends it when it is switched off or the lease is lost. */
export class Supervisor {
	/** Of the record. */
	readonly id: string;
	readonly #parts: SensorAssignmentOptions;
	readonly #supervised: Supervised;
	#run: SensorRun | undefined;
	/** What the run is of. */
	#revision: string | null = null;
	/** A run that has not ended though nobody waits for it any more: there must be no second one beside it. */
	#lingering: Promise<void> | undefined;
	#isStopped = false;
	#dismissal: Promise<void> | undefined;

	/** @param id of the record */
	constructor(parts: SensorAssignmentOptions, id: string, supervised: Supervised) {
		this.#parts = parts;
		this.id = id;
		this.#supervised = supervised;
	}

	/** Compare with what is stored, and act on it. One call at a time. Rejects when the storage does. */
	async look(stored: SensorEntity): Promise<void> {
		const run = this.#run;
		if (run === undefined) {
			if (this.#isStopped || this.#lingering !== undefined || !stored.enabled || this.#isHeldElsewhere(stored)) return;
			return this.#take(stored);
		}
		if (stored.fence !== run.fence) return run.lose();
		if (!stored.enabled || stored.revision !== this.#revision) void run.end();
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
		this.#isStopped = this.isDismissed;
	}

	get isDismissed(): boolean {
		return this.#dismissal !== undefined;
	}

	/** Its record has gone: end it for good. Resolves when nothing of it runs any more, however long that takes. Never rejects. */
	dismiss(): Promise<void> {
		return (this.#dismissal ??= this.stop().then(() => this.#lingering));
	}

	/** A lease of this node's own whose run has ended could not be given back; nobody else has taken it. */
	#isHeldElsewhere(stored: SensorEntity): boolean {
		return stored.owner !== this.#parts.nodeId && this.#parts.leasing.isHeld(stored);
	}

	async #take(stored: SensorEntity): Promise<void> {
		const { leasing, options } = this.#parts;
		const taken = await HeldLease.acquire(leasing, "sensor", this.id, { expected: { fence: stored.fence, enabled: true } });
		if (taken === undefined) return;
		this.#revision = taken.record.revision;
		const run = new SensorRun({
			...this.#parts,
			settings: options.sensorcontainer,
			supervised: this.#supervised,
			record: taken.record,
			lease: taken.lease,
			onEnd: ({ hasEnded, work }) => {
				if (!hasEnded) this.#lingering = this.#linger(work);
				if (this.#run === run) this.#run = undefined;
				this.#supervised.wake();
			},
		});
		this.#run = run;
	}

	async #linger(work: Promise<void>): Promise<void> {
		const { storage, clock, logger } = this.#parts;
		await work;
		this.#lingering = undefined;
		if (this.#isStopped) return;
		const patch = { state: "stopped", state_changed_at: toTimestamp(clock.now()) } as const;
		await storage
			.update("sensor", this.id, patch, { fence: null, state: "failed" })
			.catch((error: unknown) => logger.warn("end of a sensor was not stored", { sensor: this.#supervised.ref, error }));
		this.#supervised.wake();
	}
}
