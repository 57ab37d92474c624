import {
	isSvcError,
	type Logger,
	type Options,
	type Storage,
	SvcError,
	type TimerEntity,
	type TriggerEntity,
} from "../../contract/index.ts";
import { type EngineClock, fromTimestamp, toTimestamp } from "../../kernel/basics/clock.ts";
import { createId } from "../../kernel/basics/ids.ts";
import type { Dispatcher } from "../../kernel/events/dispatcher.ts";
import type { ChangeFeed } from "../../kernel/work/change-feed.ts";
import { triggerRefs } from "../triggers/trigger-refs-api.ts";
import type { Schedule } from "./cron-schedule.ts";
import { findDueSlot } from "./due-slot.ts";
import { isTimezone, timerTypes, toSchedule } from "./schedule.ts";

export interface TimersParts {
	readonly storage: Storage;
	readonly clock: EngineClock;
	readonly logger: Logger;
	readonly options: Options;
	readonly dispatcher: Pick<Dispatcher, "draft">;
	readonly changes: Pick<ChangeFeed, "onChange">;
}

/** Fires the timers that triggers of rules ask for. Each slot fires once, however many nodes watch it and however often they start. */
export interface Timers {
	/** Also again, after `stop`. */
	start(): Promise<void>;
	/** Fires nothing more; resolves when no look is under way. */
	stop(): Promise<void>;
	/** Look at triggers and timers now; resolves when what is due has fired. */
	look(): Promise<void>;
}

const toMilliseconds = (timestamp: string) => fromTimestamp(timestamp) / 1_000;
const fromMilliseconds = (milliseconds: number | undefined) => (milliseconds === undefined ? null : toTimestamp(milliseconds * 1_000));

/** Microseconds; a clock that differs by less was not set. */
const noticeable = 500_000;

/** Longest wait of the runtime's timer, of which there may be several in a row. */
const longestWait = 60_000;

export function createTimers({ storage, clock, logger, options, dispatcher, changes }: TimersParts): Timers {
	const { enable, local_timezone: timezone, misfire_grace: graceSeconds } = options.timersengine;
	const pollInterval = options.scheduler.poll_interval * 1_000;
	if (!isTimezone(timezone)) throw new SvcError("SVC_CONFIG", `timersengine.local_timezone: there is no time zone "${timezone}"`);
	let isStopped = false;
	/** Whether timers may differ from triggers. */
	let isStale = true;
	let waiting: NodeJS.Timeout | undefined;
	let looking: Promise<void> | undefined;
	/** Ids of triggers whose parameters make no schedule, so that each is told of once. */
	const unreadable = new Set<string>();

	/** Milliseconds since 1970: intervals go by what has passed, dates and times of day by the clock as it is set. */
	const nowFor = (type: string) => (type === triggerRefs.intervalTimer ? clock.steady() : clock.wall()) / 1_000;
	/** By how much the clock was set off what has passed, when timers were planned. */
	let plannedAt = 0;
	const scheduleOf = (trigger: TriggerEntity, startedAt: number) => toSchedule(trigger.type, trigger.parameters, { timezone, startedAt });

	/** Make timers for new triggers and drop those whose trigger has gone. */
	async function synchronise(): Promise<ReadonlyMap<string, TriggerEntity>> {
		// In this order: of a trigger that appears in between, the timer is not known yet, instead of taken for one left behind.
		const timers = await storage.find("timer", {});
		const triggers = await storage.find("trigger", { where: { type: { in: timerTypes } } });
		const known = new Set(timers.map(({ trigger }) => trigger));
		const byRef = new Map(triggers.map((trigger) => [trigger.ref, trigger]));
		for (const trigger of triggers) if (!known.has(trigger.ref)) await register(trigger);
		for (const { id, trigger } of timers) if (!byRef.has(trigger)) await storage.remove("timer", { where: { id } });
		return byRef;
	}

	async function register(trigger: TriggerEntity): Promise<void> {
		const startedAt = nowFor(trigger.type);
		const schedule = readSchedule(trigger, startedAt);
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
			// Another node was faster.
			if (!isSvcError(error, "SVC_CONFLICT")) throw error;
		});
	}

	/** Undefined for parameters stored before they were checked. */
	function readSchedule(trigger: TriggerEntity, startedAt: number): Schedule | undefined {
		try {
			return scheduleOf(trigger, startedAt);
		} catch (error) {
			if (!isSvcError(error, "SVC_INVALID")) throw error;
			if (!unreadable.has(trigger.id)) logger.warn("a timer cannot be planned", { trigger: trigger.ref, error });
			unreadable.add(trigger.id);
			return undefined;
		}
	}

	/**
	 * Plan anew what lies ahead: the time zone may be another than before, or the clock may have been wrong. A slot that has fired
	 * already does not fire again, as its event is known.
	 */
	async function replan(triggers: ReadonlyMap<string, TriggerEntity>): Promise<void> {
		plannedAt = clock.wall() - clock.steady();
		for (const timer of await storage.find("timer", { where: { next_fire_at: { not: null } } })) {
			const now = nowFor(timer.trigger_type);
			if (toMilliseconds(timer.next_fire_at ?? "") <= now) continue;
			// An interval that began later than now began by a clock that was wrong then.
			const startedAt = Math.min(toMilliseconds(timer.started_at), now);
			const trigger = triggers.get(timer.trigger);
			const schedule = trigger && readSchedule(trigger, startedAt);
			const next = fromMilliseconds(schedule?.next(now));
			if (next === timer.next_fire_at) continue;
			const planned = { next_fire_at: next, started_at: fromMilliseconds(startedAt) ?? timer.started_at };
			await storage.update("timer", timer.id, planned, { next_fire_at: timer.next_fire_at });
		}
	}

	/** Whether somebody has set the clock since timers were planned. */
	function wasSet(): boolean {
		return Math.abs(clock.wall() - clock.steady() - plannedAt) > noticeable;
	}

	/** The last look could not fire what was due. */
	let isBehind = false;

	async function fireDue(triggers: ReadonlyMap<string, TriggerEntity>): Promise<void> {
		isBehind = false;
		const latest = toTimestamp(Math.max(clock.steady(), clock.wall()));
		for (const timer of await storage.find("timer", { where: { next_fire_at: { lte: latest } } })) {
			if (toMilliseconds(timer.next_fire_at ?? "") > nowFor(timer.trigger_type)) continue;
			const trigger = triggers.get(timer.trigger);
			if (trigger === undefined || isStopped) continue;
			await fire(timer, trigger).catch((error: unknown) => {
				isBehind = true;
				logger.error("a timer could not fire", { trigger: timer.trigger, error });
			});
		}
	}

	async function fire(timer: TimerEntity, trigger: TriggerEntity): Promise<void> {
		const schedule = readSchedule(trigger, toMilliseconds(timer.started_at));
		if (schedule === undefined || timer.next_fire_at === null) return;
		const planned = toMilliseconds(timer.next_fire_at);
		const { slot, next } = findDueSlot(schedule, planned, { now: nowFor(timer.trigger_type), grace: graceSeconds * 1_000 });
		const expected = { next_fire_at: timer.next_fire_at };
		if (slot === undefined) {
			logger.warn("a timer missed its time", { trigger: timer.trigger, missed: timer.next_fire_at });
			await storage.update("timer", timer.id, { next_fire_at: fromMilliseconds(next) }, expected);
			return;
		}
		const fired = fromMilliseconds(slot);
		const executedAt = toTimestamp(clock.now()).replace("T", " ").replace("Z", "+00:00");
		const draft = await dispatcher.draft({
			trigger: trigger.ref,
			payload: { executed_at: executedAt, schedule: null },
			trace: { trace_tag: `${trigger.type}-${trigger.name}` },
			uniqueKey: `timer:${trigger.ref}:${fired}`,
		});
		const moved = { next_fire_at: fromMilliseconds(next), last_fired_at: fired };
		try {
			await storage.write([{ update: "timer", id: timer.id, patch: moved, expected }, ...(draft?.operations ?? [])]);
			draft?.announce();
		} catch (error) {
			if (!isSvcError(error, "SVC_CONFLICT")) throw error;
			// Another node has fired it, or this slot had been fired before the clock went back: then it still has to move on.
			await storage.update("timer", timer.id, moved, expected);
		}
	}

	let triggers: ReadonlyMap<string, TriggerEntity> = new Map();

	async function lookOnce(): Promise<void> {
		if (isStale || storage.capabilities.shared === true) {
			isStale = false;
			try {
				triggers = await synchronise();
			} catch (error) {
				isStale = true;
				throw error;
			}
		}
		if (triggers.size === 0) return;
		if (wasSet()) await replan(triggers);
		await fireDue(triggers);
	}

	/** One look at a time; a second one waits for the first and looks again. */
	function look(): Promise<void> {
		const before = looking ?? Promise.resolve();
		const after = before.catch(() => undefined).then(lookOnce);
		looking = after;
		return after;
	}

	async function untilNextOf(type: string): Promise<number> {
		const where = { trigger_type: type, next_fire_at: { not: null } };
		const [first] = await storage.find("timer", { where, orderBy: [["next_fire_at", "asc"]], limit: 1 });
		return first?.next_fire_at ? Math.max(0, toMilliseconds(first.next_fire_at) - nowFor(type)) : longestWait;
	}

	/** Milliseconds until something may be due. */
	async function untilNext(): Promise<number> {
		const delays = await Promise.all(timerTypes.map(untilNextOf));
		// Other nodes may have changed something without being heard, and the system clock may jump.
		return Math.min(...delays, triggers.size > 0 || storage.capabilities.shared === true ? pollInterval : longestWait);
	}

	async function lookAndWait(): Promise<void> {
		clearTimeout(waiting);
		let delay = pollInterval;
		try {
			await look();
			// What could not be stored is tried again, and not at once.
			if (!isBehind) delay = await untilNext();
		} catch (error) {
			logger.warn("looking at timers failed; will be tried again", { error });
		}
		clearTimeout(waiting);
		if (isStopped) return;
		// A wait that ends early by rounding would only look once more.
		waiting = setTimeout(() => void lookAndWait(), Math.ceil(delay));
	}

	changes.onChange(() => {
		isStale = true;
		if (waiting !== undefined && !isStopped) void lookAndWait();
	});

	return {
		look,
		async start() {
			if (!enable) return;
			triggers = await synchronise();
			isStale = false;
			await replan(triggers);
			isStopped = false;
			waiting = setTimeout(() => void lookAndWait(), 0);
		},
		async stop() {
			isStopped = true;
			clearTimeout(waiting);
			waiting = undefined;
			await looking?.catch(() => undefined);
		},
	};
}
