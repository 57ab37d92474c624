import { randomUUID } from "node:crypto";
import type { Logger, Options, Patch, SensorEntity, Storage } from "../../contract/index.ts";
import { toErrorMessage } from "../../contract/index.ts";
import { type EngineClock, toTimestamp } from "../../kernel/basics/clock.ts";
import { settledWithin, wait } from "../../kernel/basics/wait.ts";
import { toAbandonedBefore } from "../../kernel/work/lease-time.ts";
import { outlastOutage } from "../../kernel/work/outage.ts";

export interface SupervisorParts {
	readonly storage: Storage;
	readonly clock: EngineClock;
	readonly logger: Logger;
	readonly nodeId: string;
	readonly options: Pick<Options, "scheduler" | "sensorcontainer">;
}

/** The right of this node to run a sensor, while it has it. */
export interface Holding {
	readonly fence: string;
	/** Aborts when the run has to end. */
	readonly signal: AbortSignal;
	/** Whether what the run does still counts. */
	isHeld(): boolean;
}

export interface Supervised {
	readonly ref: string;
	/** Run the sensor once. Rejects when it failed. */
	run(holding: Holding): Promise<void>;
	/** Something has changed that needs another look. */
	wake(): void;
}

/**
 * Keeps one sensor running: takes the lease when nobody has it, starts the sensor again after failures with growing pauses, and
 * ends it when it is switched off or the lease is lost.
 */
export interface Supervisor {
	/** Compare with what is stored, and act on it. One call at a time. Rejects when the storage does. */
	look(stored: SensorEntity): Promise<void>;
	/** The storage cannot be asked: end the sensor when that has been so for longer than its lease. */
	expire(): void;
	/** Resolves when the sensor has ended, or the grace has passed. */
	stop(): Promise<void>;
	/** After `stop`: look at it again from now on. */
	resume(): void;
}

interface Held extends Holding {
	readonly controller: AbortController;
	/** Microseconds. */
	expiresAt: number;
	/** When the run under way began; undefined between runs. */
	runningSince: number | undefined;
	failures: number;
	/** Another node has it, or nobody waits any more. */
	isOver: boolean;
	/** Never rejects. */
	work: Promise<void>;
	/** The end of it, once that was asked for. */
	ending: Promise<void> | undefined;
}

export function createSupervisor(parts: SupervisorParts, id: string, supervised: Supervised): Supervisor {
	const { storage, clock, logger, nodeId } = parts;
	const settings = parts.options.sensorcontainer;
	const lease = parts.options.scheduler.lease * 1_000_000;
	const isShared = storage.capabilities.shared === true;
	let held: Held | undefined;
	/** A run that has not ended though nobody waits for it any more: there must be no second one beside it. */
	let isLingering = false;
	let isStopped = false;

	function isHeldElsewhere({ owner, lease_expires_at: expiry }: SensorEntity): boolean {
		// No other process can use a storage that is not shared: whoever has the lease there is gone.
		if (!isShared || owner === null || owner === nodeId) return false;
		return expiry !== null && expiry >= toAbandonedBefore(clock, parts.options.scheduler.lease);
	}

	async function claim(stored: SensorEntity): Promise<void> {
		const fence = randomUUID();
		const expiresAt = clock.steady() + lease;
		const patch = { owner: nodeId, fence, lease_expires_at: toTimestamp(expiresAt) };
		const claimed = await storage.update("sensor", id, patch, { fence: stored.fence, enabled: true });
		if (claimed === undefined) return;
		const controller = new AbortController();
		const mine: Held = {
			fence,
			controller,
			signal: controller.signal,
			expiresAt,
			runningSince: undefined,
			failures: claimed.restarts,
			isOver: false,
			work: Promise.resolve(),
			ending: undefined,
			isHeld: () => !mine.isOver && (!isShared || clock.steady() < mine.expiresAt),
		};
		held = mine;
		mine.work = keepRunning(mine).catch((error: unknown) => {
			if (!mine.signal.aborted) logger.error("supervising a sensor failed", { sensor: supervised.ref, error });
			end(mine);
		});
	}

	async function keepRunning(mine: Held): Promise<void> {
		while (!mine.signal.aborted) {
			const startedAt = clock.steady();
			await mark(mine, { state: "running", next_start_at: null });
			const problem = await runOnce(mine, startedAt);
			if (mine.signal.aborted) return;
			if (problem === undefined) {
				logger.info("sensor has nothing more to do", { sensor: supervised.ref });
				return mark(mine, { state: "stopped", restarts: 0, last_error: null });
			}
			const isFresh = clock.steady() - startedAt >= settings.restart_reset * 1_000_000;
			mine.failures = isFresh ? 1 : mine.failures + 1;
			const delay = Math.min(settings.max_restart_delay, settings.restart_delay * 2 ** Math.min(mine.failures - 1, 30));
			logger.warn("sensor failed", { sensor: supervised.ref, failures: mine.failures, seconds_to_restart: delay, problem });
			const next = toTimestamp(clock.now() + delay * 1_000_000);
			await mark(mine, { state: "waiting", restarts: mine.failures, last_error: problem, next_start_at: next });
			await wait(delay * 1_000, mine.signal);
		}
	}

	/** What went wrong; undefined when nothing did. */
	async function runOnce(mine: Held, startedAt: number): Promise<string | undefined> {
		mine.runningSince = startedAt;
		try {
			await supervised.run(mine);
			return undefined;
		} catch (error) {
			return toErrorMessage(error) || "the sensor failed without saying why";
		} finally {
			mine.runningSince = undefined;
		}
	}

	/** Store how the sensor does, unless it is another node's by now. */
	async function mark(mine: Held, patch: Patch<SensorEntity>): Promise<void> {
		const attempt = async () => {
			const change = { ...patch, state_changed_at: toTimestamp(clock.now()) };
			const marked = await storage.update("sensor", id, change, { fence: mine.fence });
			if (marked === undefined) lose(mine);
		};
		await outlastOutage(attempt, {
			isOver: () => mine.signal.aborted,
			onOutage: (error) => logger.warn("state of a sensor waits for the storage", { sensor: supervised.ref, error }),
		});
	}

	async function renew(mine: Held): Promise<void> {
		const now = clock.steady();
		if (mine.expiresAt - now > (lease * 2) / 3) return;
		const ranFor = mine.runningSince === undefined ? 0 : now - mine.runningSince;
		const isWell = mine.failures > 0 && ranFor >= settings.restart_reset * 1_000_000;
		const expiresAt = now + lease;
		const patch = { lease_expires_at: toTimestamp(expiresAt), ...(isWell && { restarts: 0 }) };
		const renewed = await storage.update("sensor", id, patch, { fence: mine.fence });
		if (renewed === undefined) return lose(mine);
		mine.expiresAt = expiresAt;
		if (isWell) mine.failures = 0;
	}

	/** Nothing this run does counts any more. */
	function lose(mine: Held): void {
		if (!mine.isOver) logger.warn("sensor is not this node's any more", { sensor: supervised.ref });
		mine.isOver = true;
		end(mine);
	}

	function end(mine: Held): void {
		mine.ending ??= endAndRelease(mine);
	}

	async function endAndRelease(mine: Held): Promise<void> {
		mine.controller.abort();
		const hasEnded = await settledWithin(mine.work, settings.shutdown_grace * 1_000);
		mine.isOver = true;
		if (!hasEnded) linger(mine);
		await release(mine, hasEnded).catch((error: unknown) => logger.warn("sensor was not released", { sensor: supervised.ref, error }));
		if (held === mine) held = undefined;
		supervised.wake();
	}

	function linger(mine: Held): void {
		logger.error("sensor does not end", { sensor: supervised.ref, grace: settings.shutdown_grace });
		isLingering = true;
		void mine.work.then(async () => {
			isLingering = false;
			if (isStopped) return;
			const patch = { state: "stopped", state_changed_at: toTimestamp(clock.now()) } as const;
			await storage
				.update("sensor", id, patch, { fence: null, state: "failed" })
				.catch((error: unknown) => logger.warn("end of a sensor was not stored", { sensor: supervised.ref, error }));
			supervised.wake();
		});
	}

	/** Let others have it, or this node again. Does nothing when it is another node's already. */
	async function release(mine: Held, hasEnded: boolean): Promise<void> {
		const state: Patch<SensorEntity> = hasEnded
			? { state: "stopped" }
			: { state: "failed", last_error: `it was told to end and has not within ${settings.shutdown_grace} s` };
		const free = { owner: null, fence: null, lease_expires_at: null, restarts: 0, next_start_at: null };
		await storage.update("sensor", id, { ...state, ...free, state_changed_at: toTimestamp(clock.now()) }, { fence: mine.fence });
	}

	return {
		async look(stored) {
			if (held === undefined) {
				if (isStopped || isLingering || !stored.enabled || isHeldElsewhere(stored)) return;
				return claim(stored);
			}
			if (stored.fence !== held.fence) return lose(held);
			if (!stored.enabled) end(held);
			// Also while it ends: nobody else may start it before it has.
			await renew(held);
		},
		expire() {
			if (held !== undefined && !held.isHeld()) lose(held);
		},
		async stop() {
			isStopped = true;
			if (held === undefined) return;
			end(held);
			await held?.ending;
		},
		resume() {
			isStopped = false;
		},
	};
}
