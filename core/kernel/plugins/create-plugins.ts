import {
	type AuthBackend,
	type Dialect,
	type EventBus,
	type Lifecycle,
	type Plugin,
	type PluginKind,
	type Runner,
	type Sensor,
	type Storage,
	type StoragePlugin,
	type Telemetry,
	toErrorMessage,
} from "../../contract/index.ts";
import { toConfigError } from "../basics/config-error.ts";
import type { EngineDependencies } from "./engine-dependencies.ts";
import type { StorageSource } from "./engine-storage.ts";
import { findShapeProblems } from "./plugin-shapes.ts";

/** One plugin of a composition, created but not started. */
export interface CreatedPlugin<T extends Lifecycle = Lifecycle> {
	/** Path in the configuration. */
	readonly path: string;
	readonly kind: PluginKind;
	readonly name: string;
	readonly instance: T;
}

/** Plugins of a composition, created but not started. */
export interface CreatedPlugins {
	/** The storage, whose start can be repeated after a failure. */
	readonly restartableStorage: RestartableStorage;
	readonly eventBus: EventBus;
	/** Auth backend; may be undefined while authentication is off. */
	readonly authBackend: AuthBackend | undefined;
	/** Runners by runner type name. */
	readonly runners: ReadonlyMap<string, Runner>;
	/** Sensors by name. */
	readonly sensors: ReadonlyMap<string, Sensor>;
	/** Dialects in the order of the configuration. */
	readonly dialects: readonly Dialect[];
	/** Telemetry plugins in the order of the configuration. */
	readonly telemetry: readonly Telemetry[];
	/** All of these plugins, in the order in which they start. The instance of the storage is its first one. */
	readonly entries: readonly CreatedPlugin[];
}

/**
 * Creates every plugin and checks its shape. Throws `SVC_CONFIG`, which names all plugins that cannot be created or have a wrong shape by
 * their paths in the configuration.
 */
export function createPlugins(composition: EngineDependencies["composition"]): CreatedPlugins {
	const problems: string[] = [];
	const create = <T extends Lifecycle>(path: string, plugin: Plugin<PluginKind, T>) => createPlugin(path, plugin, problems);
	const createAll = <T extends Lifecycle>(path: string, plugins: readonly Plugin<PluginKind, T>[]) =>
		plugins.flatMap((plugin, index) => create(`${path}[${index}]`, plugin) ?? []);
	const storage = create("storage", composition.storage);
	const eventBus = create("event_bus", composition.eventBus);
	const authBackend = composition.authBackend && create("auth.backend", composition.authBackend);
	const runners = createAll<Runner>("runners", composition.runners);
	const sensors = createAll("sensors", composition.sensors);
	const dialects = createAll("dialects", composition.dialects);
	const telemetry = createAll("telemetry", composition.telemetry);
	if (storage === undefined || eventBus === undefined || problems.length > 0) throw toConfigError(problems);
	return {
		restartableStorage: createRestartableStorage(composition.storage, storage.instance),
		eventBus: eventBus.instance,
		authBackend: authBackend?.instance,
		runners: new Map(runners.map(({ name, instance }) => [name, instance])),
		sensors: new Map(sensors.map(({ name, instance }) => [name, instance])),
		dialects: dialects.map(({ instance }) => instance),
		telemetry: telemetry.map(({ instance }) => instance),
		entries: [...telemetry, storage, eventBus, ...(authBackend ? [authBackend] : []), ...dialects, ...runners, ...sensors],
	};
}

/** Creates a plugin and checks the shape of its instance. Adds problems to the list. Returns undefined if `create` throws. */
function createPlugin<T extends Lifecycle>(path: string, plugin: Plugin<PluginKind, T>, problems: string[]): CreatedPlugin<T> | undefined {
	const { kind, name } = plugin;
	try {
		const instance = plugin.create();
		problems.push(...findShapeProblems(path, plugin, instance));
		return { path, kind, name, instance };
	} catch (error) {
		problems.push(`${path}: ${kind} "${name}" cannot be created: ${toErrorMessage(error)}`);
		return undefined;
	}
}

/** Storage plugin that has a new instance for each attempt to start it. */
export interface RestartableStorage extends StorageSource {
	/** Starts an instance by calling `begin`. If `begin` rejects, stops the instance and rejects; the next call starts a new instance. */
	start(begin: (instance: Storage) => Promise<void>): Promise<void>;
	stop(): Promise<void>;
}

function createRestartableStorage(plugin: StoragePlugin, firstInstance: Storage): RestartableStorage {
	/** True if a start has been attempted with the instance, so that the next attempt needs a new one. */
	let isUsed = false;
	const restartable = {
		current: firstInstance,
		async start(begin: (instance: Storage) => Promise<void>) {
			if (isUsed) restartable.current = plugin.create();
			isUsed = true;
			const instance = restartable.current;
			try {
				await begin(instance);
			} catch (error) {
				// The caller must get the error of the start, not an error of stopping.
				await instance.stop?.().catch(() => undefined);
				throw error;
			}
		},
		stop: async () => restartable.current.stop?.(),
	};
	return restartable;
}
