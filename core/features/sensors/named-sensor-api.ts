import type { Sensor } from "../../contract/index.ts";

/** A sensor under the name that its plugin has, or its class. */
export interface NamedSensor {
	readonly name: string;
	readonly ref: string;
	readonly pack: string;
	readonly sensor: Sensor;
	/** Whether a pack has brought it, rather than the configuration. Default false. */
	readonly isFromPack?: boolean;
}

export function toNamedSensor(name: string, sensor: Sensor): NamedSensor {
	const { pack = "default" } = sensor;
	return { name, ref: `${pack}.${name}`, pack, sensor };
}
