import { isSvcError, type TimerEntity, type TriggerEntity } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { CacheInvalidation } from "../../kernel/coordination/cache-invalidation.ts";
import type { Dispatcher } from "../../kernel/events/event-dispatcher-api.ts";
import type { Schedule } from "./cron-schedule.ts";
import { fromMilliseconds, TimerStore, toMilliseconds } from "./timer-store.ts";

export interface TimersDependencies extends Uses<"storage" | "clock" | "logger" | "options"> {
	readonly dispatcher: Pick<Dispatcher, "draft">;
	readonly changes: Pick<CacheInvalidation, "onChange">;
}

/** Milliseconds until the next poll if no timer will fire. A change of triggers ends the wait early. */
const maxWait = 60_000;

/** Fires the timers of triggers. Each slot fires at most once, even if several nodes poll it or restart. */
export class Timers {
	readonly #parts: TimersDependencies;
	readonly #plan: TimerStore;
	/** Triggers of the timer types, by ref. */
	#triggers: ReadonlyMap<string, TriggerEntity> = new Map();
	#isStopped = false;
	/** True if the stored timers may differ from the triggers. */
	#isStale = true;
	/** True if the last poll could not fire a due timer. */
	#isBehind = false;
	#waiting: NodeJS.Timeout | undefined;
	#looking: Promise<void> | undefined;

	constructor(parts: TimersDependencies) {
		this.#parts = parts;
		this.#plan = new TimerStore(parts);
		parts.changes.onChange(() => {
			this.#isStale = true;
			if (this.#waiting !== undefined && !this.#isStopped) void this.#lookAndWait();
		});
	}

	/** Plans the timers and begins to poll. It may be called again after `stop`. */
	async start(): Promise<void> {
		if (!this.#parts.options.timersengine.enable) return;
		this.#triggers = await this.#plan.synchronise();
		this.#isStale = false;
		await this.#plan.replan(this.#triggers);
		this.#isStopped = false;
		this.#waiting = setTimeout(() => void this.#lookAndWait(), 0);
	}

	/** Stops firing timers. Resolves when no poll is in progress. */
	async stop(): Promise<void> {
		this.#isStopped = true;
		clearTimeout(this.#waiting);
		this.#waiting = undefined;
		await this.#looking?.catch(() => undefined);
	}

	/**
	 * Polls triggers and timers now, and resolves when due timers have fired.
	 * Only one poll runs at a time; a call during a poll waits for it and then polls again.
	 */
	look(): Promise<void> {
		const before = this.#looking ?? Promise.resolve();
		const after = before.catch(() => undefined).then(() => this.#look());
		this.#looking = after;
		return after;
	}

	async #look(): Promise<void> {
		// Other nodes may have changed triggers, and the change event may have been lost.
		if (this.#isStale || this.#parts.storage.capabilities.shared === true) await this.#synchronise();
		if (this.#triggers.size === 0) return;
		if (this.#plan.wasClockSet()) await this.#plan.replan(this.#triggers);
		await this.#fireDue();
	}

	async #synchronise(): Promise<void> {
		// Reset the flag before reading, so that a change during the read causes another read.
		this.#isStale = false;
		try {
			this.#triggers = await this.#plan.synchronise();
		} catch (error) {
			this.#isStale = true;
			throw error;
		}
	}

	async #fireDue(): Promise<void> {
		const { storage, clock, logger } = this.#parts;
		this.#isBehind = false;
		const latest = toTimestamp(Math.max(clock.steady(), clock.wall()));
		for (const timer of await storage.find("timer", { where: { next_fire_at: { lte: latest } } })) {
			if (toMilliseconds(timer.next_fire_at ?? "") > this.#plan.nowFor(timer.trigger_type)) continue;
			const trigger = this.#triggers.get(timer.trigger);
			if (trigger === undefined || this.#isStopped) continue;
			await this.#fire(timer, trigger).catch((error: unknown) => {
				this.#isBehind = true;
				logger.error("a timer could not fire", { trigger: timer.trigger, error });
			});
		}
	}

	async #fire(timer: TimerEntity, trigger: TriggerEntity): Promise<void> {
		const { storage, logger, options } = this.#parts;
		const schedule = this.#plan.readSchedule(trigger, toMilliseconds(timer.started_at));
		if (schedule === undefined || timer.next_fire_at === null) return;
		const now = this.#plan.nowFor(timer.trigger_type);
		const grace = options.timersengine.misfire_grace * 1_000;
		const { slot, next } = findDueSlot(schedule, toMilliseconds(timer.next_fire_at), { now, grace });
		if (slot !== undefined) return this.#store(timer, trigger, { slot, next });
		logger.warn("a timer missed its due time", { trigger: timer.trigger, missed: timer.next_fire_at });
		await storage.update("timer", timer.id, { next_fire_at: fromMilliseconds(next) }, { next_fire_at: timer.next_fire_at });
	}

	/** Stores the event and advances the timer in one write, so that only one node can fire a slot. */
	async #store(
		{ id, next_fire_at }: TimerEntity,
		trigger: TriggerEntity,
		{ slot, next }: { readonly slot: number; readonly next: number | undefined },
	): Promise<void> {
		const { storage, clock, dispatcher } = this.#parts;
		const fired = fromMilliseconds(slot);
		const executedAt = toTimestamp(clock.now()).replace("T", " ").replace("Z", "+00:00");
		const draft = await dispatcher.draft({
			trigger: trigger.ref,
			payload: { executed_at: executedAt, schedule: null },
			trace: { trace_tag: `${trigger.type}-${trigger.name}` },
			uniqueKey: `timer:${trigger.ref}:${fired}`,
		});
		const moved = { next_fire_at: fromMilliseconds(next), last_fired_at: fired };
		const expected = { next_fire_at };
		try {
			await storage.write([{ update: "timer", id, patch: moved, expected }, ...(draft?.operations ?? [])]);
			draft?.announce();
		} catch (error) {
			if (!isSvcError(error, "SVC_CONFLICT")) throw error;
			// Another node has fired the slot, or it had fired before the clock was set back.
			// In the second case the timer must still advance.
			await storage.update("timer", id, moved, expected);
		}
	}

	async #lookAndWait(): Promise<void> {
		clearTimeout(this.#waiting);
		let delay = this.#pollInterval;
		try {
			await this.look();
			// If an event could not be stored, retry after the poll interval instead of immediately.
			if (!this.#isBehind) delay = await this.#untilNext();
		} catch (error) {
			this.#parts.logger.warn("checking timers failed; it will be retried", { error });
		}
		clearTimeout(this.#waiting);
		if (this.#isStopped) return;
		// Rounded up, because a timeout that ends too early would cause an additional poll.
		this.#waiting = setTimeout(() => void this.#lookAndWait(), Math.ceil(delay));
	}

	/** Returns the milliseconds until a timer may be due. */
	async #untilNext(): Promise<number> {
		// The wait is limited because change events of other nodes may be lost and the system clock may jump.
		const isShared = this.#parts.storage.capabilities.shared === true;
		// If there are no triggers, there are no timers. Returning early saves three queries in each poll.
		if (this.#triggers.size === 0) return isShared ? this.#pollInterval : maxWait;
		return Math.min((await this.#plan.untilNext()) ?? maxWait, this.#pollInterval);
	}

	get #pollInterval(): number {
		return this.#parts.options.scheduler.poll_interval * 1_000;
	}
}

/** The slot that a due timer fires now, and its next slot. All times are in milliseconds since 1970. */
interface DueSlot {
	/** The slot to fire. Undefined if all missed slots are older than the grace period. */
	readonly slot: number | undefined;
	/** The following slot. Undefined if the timer never fires again. */
	readonly next: number | undefined;
}

/**
 * Finds the latest slot from `planned` to now, and returns it if it is not older than `grace` milliseconds.
 * So after downtime a timer fires at most once, and never for a slot that is too old.
 */
export function findDueSlot(schedule: Schedule, planned: number, given: { readonly now: number; readonly grace: number }): DueSlot {
	// Slots are whole milliseconds.
	const now = Math.floor(given.now);
	const earliest = Math.floor(given.now - given.grace);
	const next = schedule.next(now);
	let before = Math.max(Math.floor(planned), earliest - 1);
	if (!isBy(schedule.next(before), now)) return { slot: planned >= earliest ? planned : undefined, next };
	// Binary search for the latest moment whose next slot is already due, because there may be very many slots.
	let after = now;
	while (after - before > 1) {
		const middle = Math.floor((before + after) / 2);
		if (isBy(schedule.next(middle), now)) before = middle;
		else after = middle;
	}
	return { slot: schedule.next(before), next };
}

function isBy(slot: number | undefined, now: number): boolean {
	return slot !== undefined && slot <= now;
}
