import type { EntityKindDefinition } from "./kind.ts";

/**
 * States of a sensor: `waiting` to be started again after a failure; `failed` when it was told to end and has not, so that it
 * cannot be started again yet.
 */
export type SensorStateName = "stopped" | "running" | "waiting" | "failed";

/** A source of events as it is configured, and how it does. */
export interface SensorEntity {
	readonly id: string;
	readonly ref: string;
	readonly pack: string;
	readonly name: string;
	readonly description: string;
	/** Set by operators; registration never changes it. */
	readonly enabled: boolean;
	/** Seconds. */
	readonly poll_interval: number | null;
	readonly state: SensorStateName;
	readonly state_changed_at: string;
	/** Failures in a row. */
	readonly restarts: number;
	readonly last_error: string | null;
	/** When it is started again, while it waits for that. */
	readonly next_start_at: string | null;
	/** Node that runs it. */
	readonly owner: string | null;
	readonly fence: string | null;
	readonly lease_expires_at: string | null;
	/** Refs. */
	readonly trigger_types: readonly string[];
}

export const sensorKind: EntityKindDefinition<SensorEntity> = {
	fields: {
		id: "text",
		ref: "text",
		pack: "text",
		name: "text",
		description: "text",
		enabled: "boolean",
		poll_interval: "integer",
		state: "text",
		state_changed_at: "text",
		restarts: "integer",
		last_error: "text",
		next_start_at: "text",
		owner: "text",
		fence: "text",
		lease_expires_at: "text",
		trigger_types: "json",
	},
	unique: [["ref"]],
	indexes: [["pack", "name"]],
};
