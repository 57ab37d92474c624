import { isSvcError, SvcError, type TimerEntity, type TriggerEntity } from "../../contract/index.ts";
import { fromTimestamp, toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { createId } from "../../kernel/basics/ids.ts";
import { timerTypes, triggerRefs } from "../triggers/trigger-type-refs-exports.ts";
import type { Schedule } from "./cron-schedule.ts";
import { isTimezone, toSchedule } from "./timer-schedule.ts";

export type TimerStoreDependencies = Uses<"storage" | "clock" | "logger" | "options">;

/** Microseconds by which the wall clock must jump to count as set. */
const noticeable = 500_000;

export const toMilliseconds = (timestamp: string) => fromTimestamp(timestamp) / 1_000;
export const fromMilliseconds = (milliseconds: number | undefined) =>
	milliseconds === undefined ? null : toTimestamp(milliseconds * 1_000);

/** The stored times at which timers fire next. There is one timer for each trigger of a timer type. */
export class TimerStore {
	readonly #parts: TimerStoreDependencies;
	readonly #timezone: string;
	/** Ids of triggers whose parameters describe no schedule, so that each is logged only once. */
	readonly #unreadable = new Set<string>();
	/** Difference between wall clock and steady clock when timers were last planned, in microseconds. */
	#plannedAt = 0;

	constructor(parts: TimerStoreDependencies) {
		this.#parts = parts;
		this.#timezone = parts.options.timersengine.local_timezone;
		if (isTimezone(this.#timezone)) return;
		throw new SvcError("SVC_CONFIG", `timersengine.local_timezone: time zone "${this.#timezone}" does not exist`);
	}

	/**
	 * Returns the current time for a timer type, in milliseconds since 1970.
	 * Intervals follow the steady clock; dates and times of day follow the wall clock, including changes by an administrator.
	 */
	nowFor(type: string): number {
		const { clock } = this.#parts;
		return (type === triggerRefs.intervalTimer ? clock.steady() : clock.wall()) / 1_000;
	}

	/** Creates timers for new triggers and removes timers whose trigger was removed. Returns the triggers by ref. */
	async synchronise(): Promise<ReadonlyMap<string, TriggerEntity>> {
		const { storage } = this.#parts;
		// Read timers first. Otherwise the timer of a trigger created between the two reads would look orphaned and be removed.
		const timers = await storage.find("timer", {});
		const triggers = await storage.find("trigger", { where: { type: { in: timerTypes } } });
		const known = new Set(timers.map(({ trigger }) => trigger));
		const byRef = new Map(triggers.map((trigger) => [trigger.ref, trigger]));
		for (const trigger of triggers) if (!known.has(trigger.ref)) await this.#register(trigger);
		for (const { id, trigger } of timers) if (!byRef.has(trigger)) await storage.remove("timer", { where: { id } });
		return byRef;
	}

	/** Returns the schedule of a timer; undefined for invalid parameters, which older versions stored unchecked. */
	readSchedule(trigger: TriggerEntity, startedAt: number): Schedule | undefined {
		try {
			return toSchedule(trigger.type, trigger.parameters, { timezone: this.#timezone, startedAt });
		} catch (error) {
			if (!isSvcError(error, "SVC_INVALID")) throw error;
			if (!this.#unreadable.has(trigger.id)) this.#parts.logger.warn("a timer cannot be scheduled", { trigger: trigger.ref, error });
			this.#unreadable.add(trigger.id);
			return undefined;
		}
	}

	/** Returns true if the wall clock was set since timers were planned. */
	wasClockSet(): boolean {
		const { clock } = this.#parts;
		return Math.abs(clock.wall() - clock.steady() - this.#plannedAt) > noticeable;
	}

	/**
	 * Plans all future slots again, because the time zone may have changed or the clock may have been wrong.
	 * A slot that has already fired does not fire again, because its event has a unique key.
	 */
	async replan(triggers: ReadonlyMap<string, TriggerEntity>): Promise<void> {
		const { storage, clock } = this.#parts;
		this.#plannedAt = clock.wall() - clock.steady();
		for (const timer of await storage.find("timer", { where: { next_fire_at: { not: null } } })) {
			await this.#replanOne(timer, triggers.get(timer.trigger));
		}
	}

	/** Returns the milliseconds until the next timer is due. Returns undefined if no timer will fire. */
	async untilNext(): Promise<number | undefined> {
		const delays = await Promise.all(timerTypes.map((type) => this.#untilNextOf(type)));
		const known = delays.flatMap((delay) => delay ?? []);
		return known.length === 0 ? undefined : Math.min(...known);
	}

	async #register(trigger: TriggerEntity): Promise<void> {
		const { storage, clock, logger } = this.#parts;
		const startedAt = this.nowFor(trigger.type);
		const schedule = this.readSchedule(trigger, startedAt);
		if (schedule === undefined) return;
		const next = schedule.next(startedAt);
		if (next === undefined) logger.warn("a timer will never fire", { trigger: trigger.ref, parameters: trigger.parameters });
		const timer: TimerEntity = {
			id: createId(clock),
			trigger: trigger.ref,
			trigger_type: trigger.type,
			started_at: toTimestamp(startedAt * 1_000),
			next_fire_at: fromMilliseconds(next),
			last_fired_at: null,
		};
		await storage.insert("timer", [timer]).catch((error: unknown) => {
			// Another node has already created the timer.
			if (!isSvcError(error, "SVC_CONFLICT")) throw error;
		});
	}

	async #replanOne(timer: TimerEntity, trigger: TriggerEntity | undefined): Promise<void> {
		const now = this.nowFor(timer.trigger_type);
		// A timer that is already due must still fire for the planned slot.
		if (toMilliseconds(timer.next_fire_at ?? "") <= now) return;
		// An interval that begins after the current time was planned while the clock was wrong.
		const startedAt = Math.min(toMilliseconds(timer.started_at), now);
		const schedule = trigger && this.readSchedule(trigger, startedAt);
		const next = fromMilliseconds(schedule?.next(now));
		if (next === timer.next_fire_at) return;
		const planned = { next_fire_at: next, started_at: fromMilliseconds(startedAt) ?? timer.started_at };
		await this.#parts.storage.update("timer", timer.id, planned, { next_fire_at: timer.next_fire_at });
	}

	async #untilNextOf(type: string): Promise<number | undefined> {
		const where = { trigger_type: type, next_fire_at: { not: null } };
		const [first] = await this.#parts.storage.find("timer", { where, orderBy: [["next_fire_at", "asc"]], limit: 1 });
		return first?.next_fire_at ? Math.max(0, toMilliseconds(first.next_fire_at) - this.nowFor(type)) : undefined;
	}
}
