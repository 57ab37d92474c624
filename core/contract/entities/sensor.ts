import type { EntityKindDefinition } from "./kind.ts";

/**
 * States of a sensor: `waiting` to be started again after a failure; `failed` when it was told to end and has not, so that it
 * cannot be started again yet.
 */
export type SensorStateName = "stopped" | "running" | "waiting" | "failed";

/** A source of events as it is configured, or came with a pack, and how it does. */
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
	/** File below the pack's directory `sensors`; null for a sensor of the configuration. */
	readonly entry_point: string | null;
	/** Path in the pack; null for a sensor of the configuration. */
	readonly metadata_file: string | null;
	/** As in actions. */
	readonly content: string | null;
	/** Another one for each change of what is run: it is then ended, and begun anew. Null for a sensor of the configuration. */
	readonly revision: string | null;
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
		entry_point: "text",
		metadata_file: "text",
		content: "text",
		revision: "text",
	},
	unique: [["ref"]],
	indexes: [["pack", "name"]],
};
