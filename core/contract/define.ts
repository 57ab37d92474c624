import type { AuthBackend, AuthBackendPlugin } from "./auth-backend.ts";
import type { EventBus, EventBusPlugin } from "./event-bus.ts";
import type { ParameterSchema } from "./parameters.ts";
import type { Lifecycle, Plugin, PluginKind } from "./plugin.ts";
import type { Runner, RunnerPlugin } from "./runner.ts";
import type { Sensor, SensorPlugin } from "./sensor.ts";
import type { Storage, StoragePlugin } from "./storage.ts";

/** Options may be left out when every one of them is optional. */
type OptionsArgument<O> = Record<string, never> extends O ? [options?: O] : [options: O];

function define<K extends PluginKind, T extends Lifecycle, O>(kind: K, name: string, create: (options: O) => T) {
	return (...[options]: OptionsArgument<O>): Plugin<K, T> => ({ kind, name, create: () => create((options ?? {}) as O) });
}

/**
 * Declare a runner. `create` gets the options and returns the runner; parameters are typed from their schema inside `run`.
 *
 * @param name the runner type's name, as actions say it in `runner_type`
 */
export function defineRunner<const S extends ParameterSchema, O = Record<string, never>>(
	name: string,
	create: (options: O) => Runner<S>,
): (...options: OptionsArgument<O>) => RunnerPlugin {
	return define("runner", name, create);
}

/** Declare an auth backend. */
export function defineAuthBackend<O = Record<string, never>>(
	name: string,
	create: (options: O) => AuthBackend,
): (...options: OptionsArgument<O>) => AuthBackendPlugin {
	return define("auth-backend", name, create);
}

/** Declare a storage. */
export function defineStorage<O = Record<string, never>>(
	name: string,
	create: (options: O) => Storage,
): (...options: OptionsArgument<O>) => StoragePlugin {
	return define("storage", name, create);
}

/** Declare an event bus. */
export function defineEventBus<O = Record<string, never>>(
	name: string,
	create: (options: O) => EventBus,
): (...options: OptionsArgument<O>) => EventBusPlugin {
	return define("event-bus", name, create);
}

/**
 * Declare a sensor. `create` gets the options and returns the sensor.
 *
 * @param name the sensor's name; its ref is `<pack>.<name>`
 */
export function defineSensor<O = Record<string, never>>(
	name: string,
	create: (options: O) => Sensor,
): (...options: OptionsArgument<O>) => SensorPlugin {
	return define("sensor", name, create);
}
