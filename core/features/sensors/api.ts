import type { SensorTypes } from "./sensor-types-api.ts";

/** What the engine has of this feature. */
export interface SensorsApi {
	readonly sensorTypes: SensorTypes;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends SensorsApi {}
}
