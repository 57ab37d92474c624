import type { SensorEntity } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { HeldLease } from "../../kernel/coordination/held-lease.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { SensorRun, type Supervised } from "./sensor-run.ts";

export type SensorAssignmentDependencies = Uses<"storage" | "clock" | "logger" | "nodeId" | "options"> & Pick<Kernel, "leasing">;

/** Keeps one sensor running. Acquires it if no node holds it, and ends it if it is disabled or the lease is lost. */
export class SensorSupervisor {
	/** Id of the record of the sensor. */
	readonly id: string;
	readonly #parts: SensorAssignmentDependencies;
	readonly #supervised: Supervised;
	#run: SensorRun | undefined;
	/** Revision of the sensor that is running. */
	#revision: string | null = null;
	/** Run that has not ended within the grace period. While it exists, no second run may start on this node. */
	#lingering: Promise<void> | undefined;
	#isStopped = false;
	#dismissal: Promise<void> | undefined;

	/** @param id of the record */
	constructor(parts: SensorAssignmentDependencies, id: string, supervised: Supervised) {
		this.#parts = parts;
		this.id = id;
		this.#supervised = supervised;
	}

	/** Starts, renews or ends the run according to the stored record. Calls must not overlap. Rejects if the storage is unavailable. */
	async look(stored: SensorEntity): Promise<void> {
		const run = this.#run;
		if (run === undefined) {
			if (this.#isStopped || this.#lingering !== undefined || !stored.enabled || this.#isHeldElsewhere(stored)) return;
			return this.#take(stored);
		}
		if (stored.fence !== run.fence) return run.lose();
		if (!stored.enabled || stored.revision !== this.#revision) void run.end();
		// Renew also while the run ends, so that no other node starts the sensor before the end.
		await run.renew();
	}

	/** Called while the storage is unavailable. Ends the sensor once its lease has expired. */
	expire(): void {
		if (this.#run?.isHeld() === false) this.#run.lose();
	}

	/** Ends the sensor. Resolves when it has ended, or after the grace period. */
	async stop(): Promise<void> {
		this.#isStopped = true;
		await this.#run?.end();
	}

	/** Allows runs again after `stop`, unless the sensor was dismissed. */
	resume(): void {
		this.#isStopped = this.isDismissed;
	}

	get isDismissed(): boolean {
		return this.#dismissal !== undefined;
	}

	/**
	 * Ends the sensor permanently because its record was deleted. Resolves when no run is left, even after the grace period. Never rejects.
	 */
	dismiss(): Promise<void> {
		return (this.#dismissal ??= this.stop().then(() => this.#lingering));
	}

	/**
	 * Returns true if another node holds the lease. A lease of this node does not count: it is left over from a run that has ended but could
	 * not be released.
	 */
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
			.catch((error: unknown) => logger.warn("sensor state could not be stored", { sensor: this.#supervised.ref, error }));
		this.#supervised.wake();
	}
}
