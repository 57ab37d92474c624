import type { SensorTypes } from "./sensor-types-exports.ts";

/** Members that this feature adds to the engine. */
export interface SensorsApi {
	readonly sensorTypes: SensorTypes;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends SensorsApi {}
}
