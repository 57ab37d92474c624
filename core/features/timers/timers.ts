import { isSvcError, type TimerEntity, type TriggerEntity } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { ChangeFeed } from "../../kernel/coordination/change-feed.ts";
import type { Dispatcher } from "../../kernel/events/event-dispatcher-api.ts";
import type { Schedule } from "./cron-schedule.ts";
import { fromMilliseconds, TimerPlan, toMilliseconds } from "./timer-plan.ts";

export interface TimersOptions extends Uses<"storage" | "clock" | "logger" | "options"> {
	readonly dispatcher: Pick<Dispatcher, "draft">;
	readonly changes: Pick<ChangeFeed, "onChange">;
}

/** Longest wait of the runtime's timer, of which there may be several in a row. */
const longestWait = 60_000;

/** Fires the timers that triggers of rules ask for. Each slot fires once, however many nodes watch it and however often they start. */
export class Timers {
	readonly #parts: TimersOptions;
	readonly #plan: TimerPlan;
	/** Those that ask for timers, by ref. */
	#triggers: ReadonlyMap<string, TriggerEntity> = new Map();
	#isStopped = false;
	/** Whether timers may differ from triggers. */
	#isStale = true;
	/** The last look could not fire what was due. */
	#isBehind = false;
	#waiting: NodeJS.Timeout | undefined;
	#looking: Promise<void> | undefined;

	constructor(parts: TimersOptions) {
		this.#parts = parts;
		this.#plan = new TimerPlan(parts);
		parts.changes.onChange(() => {
			this.#isStale = true;
			if (this.#waiting !== undefined && !this.#isStopped) void this.#lookAndWait();
		});
	}

	/** Also again, after `stop`. */
	async start(): Promise<void> {
		if (!this.#parts.options.timersengine.enable) return;
		this.#triggers = await this.#plan.synchronise();
		this.#isStale = false;
		await this.#plan.replan(this.#triggers);
		this.#isStopped = false;
		this.#waiting = setTimeout(() => void this.#lookAndWait(), 0);
	}

	/** Fires nothing more; resolves when no look is under way. */
	async stop(): Promise<void> {
		this.#isStopped = true;
		clearTimeout(this.#waiting);
		this.#waiting = undefined;
		await this.#looking?.catch(() => undefined);
	}

	/** Look at triggers and timers now; resolves when what is due has fired. One look at a time; a second one waits for the first and looks again. */
	look(): Promise<void> {
		const before = this.#looking ?? Promise.resolve();
		const after = before.catch(() => undefined).then(() => this.#look());
		this.#looking = after;
		return after;
	}

	async #look(): Promise<void> {
		// Other nodes may have changed triggers without being heard.
		if (this.#isStale || this.#parts.storage.capabilities.shared === true) await this.#synchronise();
		if (this.#triggers.size === 0) return;
		if (this.#plan.wasClockSet()) await this.#plan.replan(this.#triggers);
		await this.#fireDue();
	}

	async #synchronise(): Promise<void> {
		// Before it reads: what changes meanwhile must be read again.
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
		logger.warn("a timer missed its time", { trigger: timer.trigger, missed: timer.next_fire_at });
		await storage.update("timer", timer.id, { next_fire_at: fromMilliseconds(next) }, { next_fire_at: timer.next_fire_at });
	}

	/** The event and the move to the next slot in one write, so that whoever fires a slot is the only one. */
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
			// Another node has fired it, or this slot had been fired before the clock went back: then it still has to move on.
			await storage.update("timer", id, moved, expected);
		}
	}

	async #lookAndWait(): Promise<void> {
		clearTimeout(this.#waiting);
		let delay = this.#pollInterval;
		try {
			await this.look();
			// What could not be stored is tried again, and not at once.
			if (!this.#isBehind) delay = await this.#untilNext();
		} catch (error) {
			this.#parts.logger.warn("looking at timers failed; will be tried again", { error });
		}
		clearTimeout(this.#waiting);
		if (this.#isStopped) return;
		// A wait that ends early by rounding would only look once more.
		this.#waiting = setTimeout(() => void this.#lookAndWait(), Math.ceil(delay));
	}

	/** Milliseconds until something may be due. */
	async #untilNext(): Promise<number> {
		// Other nodes may have changed something without being heard, and the system clock may jump.
		const isShared = this.#parts.storage.capabilities.shared === true;
		// Without triggers there are no timers: three statements less with each poll.
		if (this.#triggers.size === 0) return isShared ? this.#pollInterval : longestWait;
		return Math.min((await this.#plan.untilNext()) ?? longestWait, this.#pollInterval);
	}

	get #pollInterval(): number {
		return this.#parts.options.scheduler.poll_interval * 1_000;
	}
}

/** What is to be done about a timer whose time has come; all times in milliseconds since 1970. */
interface DueSlot {
	/** The slot to fire; undefined when all that were missed are too old. */
	readonly slot: number | undefined;
	/** The slot after that; undefined: never again. */
	readonly next: number | undefined;
}

/**
 * Of the slots from `planned` to now, the latest, if it is no older than `grace`: after a time away a timer fires once at most,
 * and not for what is long past.
 */
export function findDueSlot(schedule: Schedule, planned: number, given: { readonly now: number; readonly grace: number }): DueSlot {
	// Slots are whole milliseconds.
	const now = Math.floor(given.now);
	const earliest = Math.floor(given.now - given.grace);
	const next = schedule.next(now);
	let before = Math.max(Math.floor(planned), earliest - 1);
	if (!isBy(schedule.next(before), now)) return { slot: planned >= earliest ? planned : undefined, next };
	// The latest is behind every moment from which the next one is still due: found by halves, as there may be very many.
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
