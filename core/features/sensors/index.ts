import type { ServedFeature } from "../../http/served-feature.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { DatastoreItems } from "../datastore/items-api.ts";
import type { PackConfigs } from "../packs/pack-configs-api.ts";
import type { SensorsApi } from "./api.ts";
import type { RegisterSensorParts } from "./register-sensors.ts";
import { sensorRoutes } from "./routes.ts";
import { SensorContainer } from "./sensor-container.ts";
import { sensorProcessTypes } from "./sensor-process-types.ts";
import { createSensorTypes } from "./sensor-types.ts";

export interface SensorsNeeds extends Pick<RegisterSensorParts, "registerType"> {
	readonly datastore: DatastoreItems;
	readonly packConfigs: PackConfigs;
}

/** What the sensors of the configuration see becomes events. */
export function createSensorsFeature(kernel: Kernel, needs: SensorsNeeds): ServedFeature<SensorsApi> {
	const container = new SensorContainer({ ...kernel, ...needs });
	return {
		api: { sensorTypes: createSensorTypes(kernel) },
		triggerTypes: sensorProcessTypes,
		register: () => container.register(),
		work: [["sensors", container]],
		routes: sensorRoutes,
	};
}
