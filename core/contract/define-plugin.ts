import type { AuthBackend, AuthBackendPlugin } from "./auth-backend.ts";
import type { Dialect, DialectPlugin } from "./content-dialect.ts";
import { recordContractVersion } from "./contract-version.ts";
import type { EventBus, EventBusPlugin } from "./event-bus.ts";
import type { ParameterDefinitions } from "./parameters.ts";
import type { Lifecycle, Plugin, PluginKind, PluginMetadata } from "./plugin.ts";
import type { Runner, RunnerPlugin } from "./runner.ts";
import type { Sensor, SensorPlugin } from "./sensor.ts";
import type { Storage, StoragePlugin } from "./storage.ts";
import type { Telemetry, TelemetryPlugin } from "./telemetry.ts";

/** The options argument, which is optional if all options are optional. */
type OptionsArgument<O> = Record<string, never> extends O ? [options?: O] : [options: O];

function definePlugin<K extends PluginKind, T extends Lifecycle, O>(
	kind: K,
	name: string,
	create: (options: O) => T,
	{ contract = 1 }: PluginMetadata = {},
) {
	return (...[options]: OptionsArgument<O>): Plugin<K, T> => ({
		kind,
		name,
		contract,
		create: () => recordContractVersion(create((options ?? {}) as O), contract),
	});
}

/**
 * Defines a runner. `create` receives the options and returns the runner. In `run`, parameters are typed by their schema.
 *
 * @param name name of the runner type, as in `runner_type` of actions
 */
export function defineRunner<const S extends ParameterDefinitions, O = Record<string, never>>(
	name: string,
	create: (options: O) => Runner<S>,
	terms?: PluginMetadata,
): (...options: OptionsArgument<O>) => RunnerPlugin {
	return definePlugin("runner", name, create, terms);
}

/** Defines an auth backend. `create` receives the options and returns the auth backend. */
export function defineAuthBackend<O = Record<string, never>>(
	name: string,
	create: (options: O) => AuthBackend,
	terms?: PluginMetadata,
): (...options: OptionsArgument<O>) => AuthBackendPlugin {
	return definePlugin("auth-backend", name, create, terms);
}

/** Defines a storage. `create` receives the options and returns the storage. */
export function defineStorage<O = Record<string, never>>(
	name: string,
	create: (options: O) => Storage,
	terms?: PluginMetadata,
): (...options: OptionsArgument<O>) => StoragePlugin {
	return definePlugin("storage", name, create, terms);
}

/** Defines an event bus. `create` receives the options and returns the event bus. */
export function defineEventBus<O = Record<string, never>>(
	name: string,
	create: (options: O) => EventBus,
	terms?: PluginMetadata,
): (...options: OptionsArgument<O>) => EventBusPlugin {
	return definePlugin("event-bus", name, create, terms);
}

/**
 * Defines a sensor. `create` receives the options and returns the sensor.
 *
 * @param name name of the sensor; its ref is `<pack>.<name>`
 */
export function defineSensor<O = Record<string, never>>(
	name: string,
	create: (options: O) => Sensor,
	terms?: PluginMetadata,
): (...options: OptionsArgument<O>) => SensorPlugin {
	return definePlugin("sensor", name, create, terms);
}

/** Defines a dialect. `create` receives the options and returns the dialect. */
export function defineDialect<O = Record<string, never>>(
	name: string,
	create: (options: O) => Dialect,
	terms?: PluginMetadata,
): (...options: OptionsArgument<O>) => DialectPlugin {
	return definePlugin("dialect", name, create, terms);
}

/** Defines a telemetry plugin, which receives metrics and traces. `create` receives the options and returns the telemetry. */
export function defineTelemetry<O = Record<string, never>>(
	name: string,
	create: (options: O) => Telemetry,
	terms?: PluginMetadata,
): (...options: OptionsArgument<O>) => TelemetryPlugin {
	return definePlugin("telemetry", name, create, terms);
}
