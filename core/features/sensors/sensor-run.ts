import type { Options, Patch, SensorEntity } from "../../contract/index.ts";
import { toErrorMessage } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { HeldLease } from "../../kernel/coordination/lease.ts";
import { retryWhileUnavailable } from "../../lib/retry-while-unavailable.ts";
import { settledWithin, wait } from "../../lib/wait.ts";

/** The right of this node to run a sensor, while it has it. */
export interface Holding {
	/** Aborts when the run has to end. */
	readonly signal: AbortSignal;
	/** Whether what the run does still counts. */
	isHeld(): boolean;
}

export interface Supervised {
	readonly ref: string;
	/** Run the sensor once, as its record has it. Rejects when it failed. */
	run(record: SensorEntity, holding: Holding): Promise<void>;
	/** Something has changed that needs another look. */
	wake(): void;
}

export interface SensorRunOptions extends Uses<"clock" | "logger"> {
	readonly settings: Options["sensorcontainer"];
	readonly supervised: Supervised;
	readonly lease: HeldLease<"sensor">;
	/** As it was stored when it was taken. */
	readonly record: SensorEntity;
	/** It has ended, or the grace has passed and it has not; `work` resolves when it has. Nobody else has the sensor before this is called. */
	readonly onEnd: (end: { readonly hasEnded: boolean; readonly work: Promise<void> }) => void;
}

/** A sensor while this node has it: is started again after failures, so often as the settings say, with growing pauses. */
export class SensorRun implements Holding {
	readonly #parts: SensorRunOptions;
	readonly #controller = new AbortController();
	#failures: number;
	/** When the run under way began; undefined between runs. */
	#runningSince: number | undefined;
	/** Another node has it, or nobody waits any more. */
	#isOver = false;
	/** Never rejects. */
	readonly #work: Promise<void>;
	/** The end of it, once that was asked for. */
	#ending: Promise<void> | undefined;

	constructor(parts: SensorRunOptions) {
		this.#parts = parts;
		// One that was given up begins anew with whoever takes it.
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

	/** Nothing this run does counts any more. */
	lose(): void {
		if (!this.#isOver) this.#parts.logger.warn("sensor is not this node's any more", { sensor: this.#parts.supervised.ref });
		this.#isOver = true;
		void this.end();
	}

	/** End it, and let others have it, or this node again. Never rejects. */
	end(): Promise<void> {
		return (this.#ending ??= this.#end());
	}

	/** Renew the lease when it is time to. */
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
				logger.info("sensor has nothing more to do", { sensor: supervised.ref });
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

	/** The lease is kept, as another node would only fail once more. */
	async #giveUp(problem: string): Promise<void> {
		const { logger, supervised } = this.#parts;
		logger.error("sensor is given up: switch it off and on once it can run", { sensor: supervised.ref, failures: this.#failures, problem });
		await this.#mark({ state: "failed", restarts: this.#failures, last_error: problem, next_start_at: null });
	}

	/** What went wrong; undefined when nothing did. */
	async #runOnce(startedAt: number): Promise<string | undefined> {
		this.#runningSince = startedAt;
		try {
			await this.#parts.supervised.run(this.#parts.record, this);
			return undefined;
		} catch (error) {
			return toErrorMessage(error) || "the sensor failed without saying why";
		} finally {
			this.#runningSince = undefined;
		}
	}

	/** Store how the sensor does, unless it is another node's by now. */
	async #mark(patch: Patch<SensorEntity>): Promise<void> {
		const { clock, logger, lease, supervised } = this.#parts;
		const attempt = async () => {
			if (!(await lease.update({ ...patch, state_changed_at: toTimestamp(clock.now()) }))) this.lose();
		};
		await retryWhileUnavailable(attempt, {
			shouldGiveUp: () => this.signal.aborted,
			onUnavailable: (error) => logger.warn("state of a sensor waits for the storage", { sensor: supervised.ref, error }),
		});
	}

	async #end(): Promise<void> {
		const { logger, settings, supervised, onEnd } = this.#parts;
		this.#controller.abort();
		const hasEnded = await settledWithin(this.#work, settings.shutdown_grace * 1_000);
		this.#isOver = true;
		if (!hasEnded) logger.error("sensor does not end", { sensor: supervised.ref, grace: settings.shutdown_grace });
		await this.#release(hasEnded).catch((error: unknown) => logger.warn("sensor was not released", { sensor: supervised.ref, error }));
		onEnd({ hasEnded, work: this.#work });
	}

	async #release(hasEnded: boolean): Promise<void> {
		const { clock, lease, settings } = this.#parts;
		const state: Patch<SensorEntity> = hasEnded
			? { state: "stopped" }
			: { state: "failed", last_error: `it was told to end and has not within ${settings.shutdown_grace} s` };
		await lease.release({ ...state, restarts: 0, next_start_at: null, state_changed_at: toTimestamp(clock.now()) });
	}
}
