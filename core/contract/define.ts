import type { AuthBackend, AuthBackendPlugin } from "./auth-backend.ts";
import type { Dialect, DialectPlugin } from "./dialect.ts";
import type { EventBus, EventBusPlugin } from "./event-bus.ts";
import type { ParameterSchema } from "./parameters.ts";
import type { Lifecycle, Plugin, PluginKind, PluginTerms } from "./plugin.ts";
import type { Runner, RunnerPlugin } from "./runner.ts";
import type { Sensor, SensorPlugin } from "./sensor.ts";
import { stateContract } from "./stated-contract.ts";
import type { Storage, StoragePlugin } from "./storage.ts";
import type { Telemetry, TelemetryPlugin } from "./telemetry.ts";

/** Options may be left out when every one of them is optional. */
type OptionsArgument<O> = Record<string, never> extends O ? [options?: O] : [options: O];

function define<K extends PluginKind, T extends Lifecycle, O>(
	kind: K,
	name: string,
	create: (options: O) => T,
	{ contract = 1 }: PluginTerms = {},
) {
	return (...[options]: OptionsArgument<O>): Plugin<K, T> => ({
		kind,
		name,
		contract,
		create: () => stateContract(create((options ?? {}) as O), contract),
	});
}

/**
 * Declare a runner. `create` gets the options and returns the runner; parameters are typed from their schema inside `run`.
 *
 * @param name the runner type's name, as actions say it in `runner_type`
 */
export function defineRunner<const S extends ParameterSchema, O = Record<string, never>>(
	name: string,
	create: (options: O) => Runner<S>,
	terms?: PluginTerms,
): (...options: OptionsArgument<O>) => RunnerPlugin {
	return define("runner", name, create, terms);
}

/** Declare an auth backend. */
export function defineAuthBackend<O = Record<string, never>>(
	name: string,
	create: (options: O) => AuthBackend,
	terms?: PluginTerms,
): (...options: OptionsArgument<O>) => AuthBackendPlugin {
	return define("auth-backend", name, create, terms);
}

/** Declare a storage. */
export function defineStorage<O = Record<string, never>>(
	name: string,
	create: (options: O) => Storage,
	terms?: PluginTerms,
): (...options: OptionsArgument<O>) => StoragePlugin {
	return define("storage", name, create, terms);
}

/** Declare an event bus. */
export function defineEventBus<O = Record<string, never>>(
	name: string,
	create: (options: O) => EventBus,
	terms?: PluginTerms,
): (...options: OptionsArgument<O>) => EventBusPlugin {
	return define("event-bus", name, create, terms);
}

/**
 * Declare a sensor. `create` gets the options and returns the sensor.
 *
 * @param name the sensor's name; its ref is `<pack>.<name>`
 */
export function defineSensor<O = Record<string, never>>(
	name: string,
	create: (options: O) => Sensor,
	terms?: PluginTerms,
): (...options: OptionsArgument<O>) => SensorPlugin {
	return define("sensor", name, create, terms);
}

/** Declare a dialect. `create` gets the options and returns the dialect. */
export function defineDialect<O = Record<string, never>>(
	name: string,
	create: (options: O) => Dialect,
	terms?: PluginTerms,
): (...options: OptionsArgument<O>) => DialectPlugin {
	return define("dialect", name, create, terms);
}

/** Declare what is told how the service does. `create` gets the options and returns the telemetry. */
export function defineTelemetry<O = Record<string, never>>(
	name: string,
	create: (options: O) => Telemetry,
	terms?: PluginTerms,
): (...options: OptionsArgument<O>) => TelemetryPlugin {
	return define("telemetry", name, create, terms);
}
