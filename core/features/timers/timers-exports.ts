import { SvcError, type TimerEntity, type TriggerEntity } from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { timerTypes } from "../triggers/trigger-type-refs-exports.ts";

/** A trigger of one of the timer types, with the times at which it fires. */
export interface TimerView {
	readonly trigger: TriggerEntity;
	/** Undefined until a node has planned the timer. */
	readonly timer: TimerEntity | undefined;
	/** True if an enabled rule acts on the trigger. Without such a rule its events have no effect. */
	readonly isUsed: boolean;
}

export interface TimersApi {
	/** Returns timers ordered by ref. Throws `SVC_INVALID` if `type` is not a timer type. */
	list(type?: string): Promise<readonly TimerView[]>;
	/** Returns the timer with this ref or id. Throws `SVC_NOT_FOUND`. */
	get(refOrId: string): Promise<TimerView>;
}

export function createTimersApi({ storage, dialects }: Uses<"storage" | "dialects">): TimersApi {
	return {
		async list(given) {
			const type = given === undefined ? undefined : dialects.triggerType(given);
			if (type !== undefined && !timerTypes.includes(type)) {
				throw new SvcError("SVC_INVALID", `timer_type: must be one of ${timerTypes.join(", ")}`);
			}
			const where = { type: type === undefined ? { in: timerTypes } : type };
			const triggers = await storage.find("trigger", { where, orderBy: [["ref", "asc"]] });
			const timers = new Map((await storage.find("timer", {})).map((timer) => [timer.trigger, timer]));
			const rules = await storage.find("rule", { where: { trigger_type: where.type, enabled: true }, fields: ["trigger"] });
			const used = new Set(rules.map((rule) => rule.trigger));
			return triggers.map((trigger) => ({ trigger, timer: timers.get(trigger.ref), isUsed: used.has(trigger.ref) }));
		},
		async get(refOrId) {
			const [byRef] = await storage.find("trigger", { where: { ref: refOrId }, limit: 1 });
			const trigger = byRef ?? (await storage.get("trigger", refOrId));
			if (trigger === undefined || !timerTypes.includes(trigger.type)) {
				throw new SvcError("SVC_NOT_FOUND", `timer "${refOrId}" cannot be found`);
			}
			const [timer] = await storage.find("timer", { where: { trigger: trigger.ref }, limit: 1 });
			const isUsed = (await storage.count("rule", { trigger: trigger.ref, enabled: true }, 1)) > 0;
			return { trigger, timer, isUsed };
		},
	};
}
