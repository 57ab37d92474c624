import type { ServedFeature } from "../../http/served-feature.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { DatastoreItems } from "../datastore/items-api.ts";
import type { PackConfigs } from "../packs/pack-configs-api.ts";
import { registerFiles } from "../packs/pack-files-api.ts";
import type { PackDirectory } from "../packs/packs-api.ts";
import type { SensorsApi } from "./api.ts";
import { PackSensorRunners } from "./pack-sensor-runners.ts";
import { registerPackSensor } from "./register-pack-sensor.ts";
import { type RegisterSensorParts, registerSensors } from "./register-sensors.ts";
import { sensorRoutes } from "./routes.ts";
import { SensorContainer } from "./sensor-container.ts";
import { type SensorInput, toSensorInput } from "./sensor-file.ts";
import { sensorProcessTypes } from "./sensor-process-types.ts";
import { createSensorTypes } from "./sensor-types.ts";

export interface SensorsNeeds extends Pick<RegisterSensorParts, "registerType"> {
	readonly datastore: DatastoreItems;
	readonly packConfigs: PackConfigs;
	/** Packs whose files may hold sensors. */
	readonly directories: () => readonly PackDirectory[];
}

/** What the sensors of the configuration and of packs see becomes events. */
export function createSensorsFeature(kernel: Kernel, needs: SensorsNeeds): ServedFeature<SensorsApi> {
	const packRunners = new PackSensorRunners(kernel.runners);
	const container = new SensorContainer({ ...kernel, ...needs, packRunners });
	const { configured } = container.sources;
	const refs = new Set(configured.map(({ ref }) => ref));
	const register = (input: SensorInput) => {
		const directory = needs.directories().find(({ ref }) => ref === input.pack);
		if (directory === undefined) throw new Error(`no directory is known of pack "${input.pack}"`);
		return registerPackSensor({ ...kernel, ...needs, runners: packRunners, configured: refs }, input, directory);
	};
	return {
		api: { sensorTypes: createSensorTypes(kernel) },
		triggerTypes: sensorProcessTypes,
		async register() {
			await registerSensors({ ...kernel, ...needs }, configured);
			await registerFiles(kernel, needs.directories(), { kind: "sensor", folder: "sensors", toInput: toSensorInput, register });
		},
		work: [["sensors", container]],
		routes: sensorRoutes,
	};
}
