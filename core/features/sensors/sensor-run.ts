import { type Options, type Patch, type SensorEntity, toErrorMessage } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { HeldLease } from "../../kernel/coordination/held-lease.ts";
import { retryWhileUnavailable } from "../../lib/retry-while-unavailable.ts";
import { settledWithin, wait } from "../../lib/wait.ts";

/** Right of this node to run a sensor while it holds the lease. */
export interface Holding {
	/** Aborts when the run must end. */
	readonly signal: AbortSignal;
	/** Returns true while the run may still have effects. */
	isHeld(): boolean;
}

export interface Supervised {
	readonly ref: string;
	/** Runs the sensor once with the settings of its record. Rejects if the sensor fails. */
	run(record: SensorEntity, holding: Holding): Promise<void>;
	/** Triggers a poll, because the state has changed. */
	wake(): void;
}

export interface SensorRunDependencies extends Uses<"clock" | "logger"> {
	readonly settings: Options["sensorcontainer"];
	readonly supervised: Supervised;
	readonly lease: HeldLease<"sensor">;
	/** Record as it was stored when the sensor was acquired. */
	readonly record: SensorEntity;
	/** Called after the sensor was released. If the grace period has passed before the end, `work` resolves at the real end. */
	readonly onEnd: (end: { readonly hasEnded: boolean; readonly work: Promise<void> }) => void;
}

/** Run of a sensor while this node holds it. Restarts the sensor after failures with growing delays, up to the configured number. */
export class SensorRun implements Holding {
	readonly #parts: SensorRunDependencies;
	readonly #controller = new AbortController();
	#failures: number;
	/** Start time of the current run in microseconds; undefined between runs. */
	#runningSince: number | undefined;
	/** True once the run has lost the sensor, has ended, or has exceeded the grace period. */
	#isOver = false;
	/** Resolves when the sensor has ended and is not restarted. Never rejects. */
	readonly #work: Promise<void>;
	/** Resolves when the run has ended; undefined until its end is requested. */
	#ending: Promise<void> | undefined;

	constructor(parts: SensorRunDependencies) {
		this.#parts = parts;
		// A sensor that failed permanently before starts with no failures when it is acquired again.
		this.#failures = parts.record.state === "failed" ? 0 : parts.record.restarts;
		this.#work = this.#keepRunning().catch((error: unknown) => {
			if (!this.signal.aborted) parts.logger.error("supervising a sensor failed", { sensor: parts.supervised.ref, error });
			void this.end();
		});
	}

	get fence(): string {
		return this.#parts.lease.fence;
	}

	get signal(): AbortSignal {
		return this.#controller.signal;
	}

	isHeld(): boolean {
		return !this.#isOver && !this.#parts.lease.isExpired();
	}

	/** Ends a run that has lost its lease. The run has no further effects, even before it has ended. */
	lose(): void {
		if (!this.#isOver) this.#parts.logger.warn("sensor is no longer assigned to this node", { sensor: this.#parts.supervised.ref });
		this.#isOver = true;
		void this.end();
	}

	/** Ends the run and releases the sensor for any node. Never rejects. */
	end(): Promise<void> {
		return (this.#ending ??= this.#end());
	}

	/**
	 * Renews the lease if a renewal is due. Resets the number of failures once the sensor has run for `restart_reset` seconds without a
	 * failure.
	 */
	async renew(): Promise<void> {
		const { clock, lease, settings } = this.#parts;
		if (!lease.isRenewalDue()) return;
		const ranFor = this.#runningSince === undefined ? 0 : clock.steady() - this.#runningSince;
		const isWell = this.#failures > 0 && ranFor >= settings.restart_reset * 1_000_000;
		if (!(await lease.renew(isWell ? { restarts: 0 } : {}))) return this.lose();
		if (isWell) this.#failures = 0;
	}

	async #keepRunning(): Promise<void> {
		const { clock, logger, settings, supervised } = this.#parts;
		while (!this.signal.aborted) {
			const startedAt = clock.steady();
			await this.#mark({ state: "running", next_start_at: null });
			const problem = await this.#runOnce(startedAt);
			if (this.signal.aborted) return;
			if (problem === undefined) {
				logger.info("sensor has ended", { sensor: supervised.ref });
				return this.#mark({ state: "stopped", restarts: 0, last_error: null });
			}
			const isFresh = clock.steady() - startedAt >= settings.restart_reset * 1_000_000;
			this.#failures = isFresh ? 1 : this.#failures + 1;
			if (settings.max_restarts >= 0 && this.#failures > settings.max_restarts) return this.#giveUp(problem);
			await this.#pause(problem);
		}
	}

	async #pause(problem: string): Promise<void> {
		const { clock, logger, settings, supervised } = this.#parts;
		const delay = Math.min(settings.max_restart_delay, settings.restart_delay * 2 ** Math.min(this.#failures - 1, 30));
		logger.warn("sensor failed", { sensor: supervised.ref, failures: this.#failures, seconds_to_restart: delay, problem });
		const next = toTimestamp(clock.now() + delay * 1_000_000);
		await this.#mark({ state: "waiting", restarts: this.#failures, last_error: problem, next_start_at: next });
		await wait(delay * 1_000, this.signal);
	}

	/** Stores that the sensor has failed permanently. Keeps the lease, because the sensor would fail on another node too. */
	async #giveUp(problem: string): Promise<void> {
		const { logger, supervised } = this.#parts;
		logger.error("sensor is not restarted again: disable and enable it once the cause is fixed", {
			sensor: supervised.ref,
			failures: this.#failures,
			problem,
		});
		await this.#mark({ state: "failed", restarts: this.#failures, last_error: problem, next_start_at: null });
	}

	/** Runs the sensor once. Returns the error message; undefined if it ended without an error. */
	async #runOnce(startedAt: number): Promise<string | undefined> {
		this.#runningSince = startedAt;
		try {
			await this.#parts.supervised.run(this.#parts.record, this);
			return undefined;
		} catch (error) {
			return toErrorMessage(error) || "the sensor failed without an error message";
		} finally {
			this.#runningSince = undefined;
		}
	}

	/** Stores the state of the sensor, unless another node holds it now. */
	async #mark(patch: Patch<SensorEntity>): Promise<void> {
		const { clock, logger, lease, supervised } = this.#parts;
		const attempt = async () => {
			if (!(await lease.update({ ...patch, state_changed_at: toTimestamp(clock.now()) }))) this.lose();
		};
		await retryWhileUnavailable(attempt, {
			shouldGiveUp: () => this.signal.aborted,
			onUnavailable: (error) => logger.warn("storage is unavailable; sensor state is not stored yet", { sensor: supervised.ref, error }),
		});
	}

	async #end(): Promise<void> {
		const { logger, settings, supervised, onEnd } = this.#parts;
		this.#controller.abort();
		const hasEnded = await settledWithin(this.#work, settings.shutdown_grace * 1_000);
		this.#isOver = true;
		if (!hasEnded) logger.error("sensor has not ended in time", { sensor: supervised.ref, grace: settings.shutdown_grace });
		await this.#release(hasEnded).catch((error: unknown) => logger.warn("sensor was not released", { sensor: supervised.ref, error }));
		onEnd({ hasEnded, work: this.#work });
	}

	async #release(hasEnded: boolean): Promise<void> {
		const { clock, lease, settings } = this.#parts;
		const state: Patch<SensorEntity> = hasEnded
			? { state: "stopped" }
			: { state: "failed", last_error: `it did not end within ${settings.shutdown_grace} s after it was stopped` };
		await lease.release({ ...state, restarts: 0, next_start_at: null, state_changed_at: toTimestamp(clock.now()) });
	}
}
