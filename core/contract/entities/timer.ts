import type { EntityKindDefinition } from "./kind.ts";

/** When a timer trigger fires next. */
export interface TimerEntity {
	readonly id: string;
	/** Ref of the trigger. */
	readonly trigger: string;
	readonly trigger_type: string;
	/** Intervals are counted from here. */
	readonly started_at: string;
	/** Null: never again. */
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
