import type { EntityKindDefinition } from "./kind.ts";

/** State of a timer trigger. */
export interface TimerEntity {
	readonly id: string;
	/** Ref of the trigger. */
	readonly trigger: string;
	readonly trigger_type: string;
	/** Start of the first interval. Timers with other schedules do not use it. */
	readonly started_at: string;
	/** Time at which the timer fires next. Null if it never fires again. */
	readonly next_fire_at: string | null;
	readonly last_fired_at: string | null;
}

export const timerKind: EntityKindDefinition<TimerEntity> = {
	fields: {
		id: "text",
		trigger: "text",
		trigger_type: "text",
		started_at: "text",
		next_fire_at: "text",
		last_fired_at: "text",
	},
	unique: [["trigger"]],
	indexes: [["next_fire_at"]],
};
