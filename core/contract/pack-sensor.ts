import type { Sensor, SensorTriggerType } from "./sensor.ts";

/** A sensor that a pack brings as a file, as its metadata describes it. */
export interface PackSensorDefinition {
	/** `<pack>.<name>`. */
	readonly ref: string;
	readonly pack: string;
	/** Its class (`class_name`), which is also the name of the sensor. */
	readonly name: string;
	/** Absolute path of the file with the class, below the directory `sensors` of the pack. It existed a moment ago. */
	readonly entryPoint: string;
	/** Absolute path of the pack's directory on this node. What lies there does not change while the sensor runs, where the pack was installed. */
	readonly packDirectory: string;
	/** One sentence; may be empty. */
	readonly description: string;
	/** Seconds between two looks, at least 4. Default: the metadata does not say. */
	readonly poll_interval?: number;
	readonly trigger_types: readonly SensorTriggerType[];
}

/** How a runner runs sensors that packs bring as files in its language. */
export interface PackSensors {
	/** How the files end that it takes, with the dot, such as `.py`. Of several runners that take a file, the first in the configuration has it. */
	readonly suffixes: readonly string[];
	/**
	 * The sensor that a file holds: inert until `run` is called, which may be much later or never, and again after each end. Has no `start` and no
	 * `stop`, as it comes and goes while the runner lives. Throws where it cannot be.
	 */
	create(definition: PackSensorDefinition): Sensor;
}
