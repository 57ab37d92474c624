import type { Sensor, SensorTriggerType } from "./sensor.ts";

/** A sensor that a pack provides as a file, as its metadata file describes it. */
export interface PackSensorDefinition {
	/** Ref of the sensor: `<pack>.<name>`. */
	readonly ref: string;
	/** Ref of the pack. */
	readonly pack: string;
	/** Class of the sensor (`class_name`), which is also its name. */
	readonly name: string;
	/**
	 * Absolute path of the file with the class, below the directory `sensors` of the pack. The host has just checked that it exists.
	 */
	readonly entryPoint: string;
	/** Absolute path of the pack's directory on this node. The files of an installed pack do not change while the sensor runs. */
	readonly packDirectory: string;
	/** Description in one sentence; may be empty. */
	readonly description: string;
	/** Seconds between two polls, at least 4. Absent if the metadata does not specify it. */
	readonly poll_interval?: number;
	/** Trigger types that the sensor provides. */
	readonly trigger_types: readonly SensorTriggerType[];
}

/** Support of a runner for sensors that packs provide as files in its language. */
export interface PackSensors {
	/**
	 * File name suffixes with the dot, such as `.py`. If several runners support a suffix, the first one of the configuration is used.
	 */
	readonly suffixes: readonly string[];
	/**
	 * Creates a sensor from a file. Throws if that is impossible.
	 *
	 * The sensor must be inert until `run` is called, which may happen much later, never, or again after each end. It must not have
	 * `start` or `stop`, because it is created and dropped while the runner is active.
	 */
	create(definition: PackSensorDefinition): Sensor;
}
