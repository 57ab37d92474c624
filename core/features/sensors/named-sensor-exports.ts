import type { Sensor } from "../../contract/index.ts";

/** Sensor with its name: the key in the configuration, or the class name in the file of a pack. */
export interface NamedSensor {
	readonly name: string;
	readonly ref: string;
	readonly pack: string;
	readonly sensor: Sensor;
	/** True if the sensor belongs to a pack; false if it belongs to the configuration. Default false. */
	readonly isFromPack?: boolean;
}

export function toNamedSensor(name: string, sensor: Sensor): NamedSensor {
	const { pack = "default" } = sensor;
	return { name, ref: `${pack}.${name}`, pack, sensor };
}
