import type { HttpFeature } from "../../http/http-feature.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { ProcessTokens } from "../access/process-tokens-exports.ts";
import type { DatastoreItems } from "../datastore/items-exports.ts";
import type { PackConfigs } from "../packs/pack-configs-exports.ts";
import type { PackFileKind, RegisterFiles } from "../packs/pack-files-exports.ts";
import type { SensorsApi } from "./api.ts";
import { PackSensorRunners } from "./pack-sensor-runners.ts";
import { registerPackSensor } from "./register-pack-sensor.ts";
import { type RegisterSensorDependencies, registerSensors } from "./register-sensors.ts";
import { sensorRoutes } from "./routes.ts";
import { SensorContainer } from "./sensor-container.ts";
import { type SensorInput, toSensorInput } from "./sensor-file.ts";
import { sensorProcessTypes } from "./sensor-process-types.ts";
import { createSensorTypes } from "./sensor-types.ts";

export interface SensorsDependencies extends Pick<RegisterSensorDependencies, "registerType"> {
	readonly datastore: DatastoreItems;
	readonly processTokens: ProcessTokens;
	readonly packConfigs: PackConfigs;
	readonly registerFiles: RegisterFiles;
}

/** Creates the feature that runs sensors of the configuration and of packs. Their observations become events. */
export function createSensorsFeature(kernel: Kernel, needs: SensorsDependencies): HttpFeature<SensorsApi> {
	const packRunners = new PackSensorRunners(kernel.runners);
	const container = new SensorContainer({ ...kernel, ...needs, packRunners, apiUrl: kernel.dependencies.apiUrl });
	const { configured } = container.sources;
	const refs = new Set(configured.map(({ ref }) => ref));
	const files: PackFileKind<SensorInput> = {
		kind: "sensor",
		folder: "sensors",
		toInput: toSensorInput,
		register: (input, how) => registerPackSensor({ ...kernel, ...needs, runners: packRunners, configured: refs }, input, how),
		triggerTypes: ({ pack, trigger_types }) => trigger_types.map(({ name }) => `${pack}.${name}`),
		remove: async (ref) => {
			await kernel.storage.remove("sensor", { where: { ref } });
		},
	};
	return {
		api: { sensorTypes: createSensorTypes(kernel) },
		triggerTypes: sensorProcessTypes,
		async register() {
			await registerSensors({ ...kernel, ...needs }, configured);
			await needs.registerFiles(files);
		},
		loops: [["sensors", container]],
		stop: () => container.close(),
		routes: sensorRoutes,
	};
}
