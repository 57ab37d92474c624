import type { EntityKindDefinition } from "./kind.ts";

/**
 * State of a sensor.
 *
 * - `stopped`: the sensor does not run.
 * - `running`: the sensor runs.
 * - `waiting`: the sensor will be restarted after a failure.
 * - `failed`: the sensor has failed too often and is not restarted. Or it was stopped but has not ended, so it cannot be restarted yet.
 */
export type SensorStateName = "stopped" | "running" | "waiting" | "failed";

/** Configuration and state of a sensor, which is defined in the configuration or in a pack. */
export interface SensorEntity {
	readonly id: string;
	readonly ref: string;
	readonly pack: string;
	readonly name: string;
	readonly description: string;
	/** True if the sensor may run. Registration sets it for a new sensor; afterwards only operators change it. */
	readonly enabled: boolean;
	/** Seconds between two polls. Null if the sensor does not poll. */
	readonly poll_interval: number | null;
	readonly state: SensorStateName;
	readonly state_changed_at: string;
	/** Number of consecutive failures. */
	readonly restarts: number;
	readonly last_error: string | null;
	/** Time of the next start. Null unless the state is `waiting`. */
	readonly next_start_at: string | null;
	/** Node that runs the sensor. Null if no node does. */
	readonly owner: string | null;
	readonly fence: string | null;
	readonly lease_expires_at: string | null;
	/** Refs of the sensor's trigger types. */
	readonly trigger_types: readonly string[];
	/** File below the pack's directory `sensors`. Null for a sensor of the configuration. */
	readonly entry_point: string | null;
	/** Path within the pack. Null for a sensor of the configuration. */
	readonly metadata_file: string | null;
	/** Id of the `pack_content` of an installed pack, otherwise null. */
	readonly content: string | null;
	/**
	 * Unique value that changes with the code of the sensor: a running sensor is then restarted. Null for a sensor of the
	 * configuration.
	 */
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
