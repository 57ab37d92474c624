import type { PlannedPlugin } from "../../cli/service-plan.ts";
import type { Lifecycle } from "../../contract/index.ts";
import { toNamedSensor } from "../../features/sensors/named-sensor-api.ts";
import type { CreatedPlugins } from "../../kernel/plugins/create-plugins.ts";
import { isStarted } from "../../kernel/plugins/started-kinds.ts";
import type { ResolvedConfig } from "../config/resolve-config.ts";

type Plugin = { readonly kind: PlannedPlugin["kind"]; readonly name: string; readonly contract?: number };

/** The plugins of a configuration, and which of them a node with its roles starts. */
export function listPlugins(config: ResolvedConfig, { door, eventBus, runners, sensors }: CreatedPlugins): readonly PlannedPlugin[] {
	const entry = (path: string, { kind, name, contract = 1 }: Plugin, instance?: Lifecycle) => {
		return { path, kind, name, contract, starts: isStarted(kind, config.roles, instance) };
	};
	const { authBackend } = config;
	return [
		...config.telemetry.map((plugin, index) => entry(`telemetry[${index}]`, plugin)),
		{ ...entry("storage", config.storage), capabilities: { ...door.storage.capabilities } },
		{ ...entry("event_bus", config.eventBus), capabilities: { ...eventBus.capabilities } },
		...(authBackend === undefined ? [] : [entry("auth.backend", authBackend)]),
		...config.dialects.map((plugin, index) => entry(`dialects[${index}]`, plugin)),
		...config.runners.map((plugin, index) => ({
			...entry(`runners[${index}]`, plugin, runners.get(plugin.name)),
			capabilities: { ...runners.get(plugin.name)?.capabilities },
		})),
		...config.sensors.map((plugin, index) => {
			const sensor = sensors.get(plugin.name);
			const types =
				sensor === undefined ? [] : sensor.trigger_types.map(({ name }) => `${toNamedSensor(plugin.name, sensor).pack}.${name}`);
			return { ...entry(`sensors[${index}]`, plugin), trigger_types: types };
		}),
	];
}
