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

/** Plugins of a composition, created but not started. */
export interface CreatedPlugins {
	/** The storage, whose start can be repeated after a failure. */
	readonly restartableStorage: RestartableStorage;
	readonly eventBus: EventBus;
	readonly authBackend: AuthBackend | undefined;
	/** Runners by runner type name. */
	readonly runners: ReadonlyMap<string, Runner>;
	/** Sensors by name. */
	readonly sensors: ReadonlyMap<string, Sensor>;
	/** Dialects in the order of the configuration. */
	readonly dialects: readonly Dialect[];
	/** Telemetry plugins in the order of the configuration. */
	readonly telemetry: readonly Telemetry[];
}

/**
 * Creates every plugin and checks its shape. Throws `SVC_CONFIG`, which names all plugins that cannot be created or have a wrong shape by
 * their paths in the configuration.
 */
export function createPlugins(composition: EngineDependencies["composition"]): CreatedPlugins {
	const problems: string[] = [];
	const { storage, eventBus, authBackend, runners, sensors, dialects, telemetry } = composition;
	const restartableStorage = attempt(
		{ path: "storage", plugin: storage, problems },
		() => createRestartableStorage(storage),
		(created) => created.current,
	);
	const plugins = {
		eventBus: create("event_bus", eventBus, problems),
		authBackend: authBackend && create("auth.backend", authBackend, problems),
		runners: runners.map((plugin, index) => [plugin.name, create(`runners[${index}]`, plugin, problems) as Runner] as const),
		sensors: sensors.map((plugin, index) => [plugin.name, create(`sensors[${index}]`, plugin, problems)] as const),
		dialects: dialects.map((plugin, index) => create(`dialects[${index}]`, plugin, problems)),
		telemetry: telemetry.map((plugin, index) => create(`telemetry[${index}]`, plugin, problems)),
	};
	if (problems.length > 0) throw toConfigError(problems);
	// If there are no problems, no plugin is undefined.
	return { ...plugins, restartableStorage, runners: new Map(plugins.runners), sensors: new Map(plugins.sensors) } as CreatedPlugins;
}

function create<T extends Lifecycle>(path: string, plugin: Plugin<PluginKind, T>, problems: string[]): T | undefined {
	return attempt(
		{ path, plugin, problems },
		() => plugin.create(),
		(instance) => instance,
	);
}

/** A plugin to create, and the list to which its problems are added. */
interface CreationTarget {
	/** Path in the configuration. */
	readonly path: string;
	readonly plugin: { readonly kind: PluginKind; readonly name: string };
	readonly problems: string[];
}

/** Calls `createOne` and checks the shape of the created instance. Adds problems to the list. Returns undefined if `createOne` throws. */
function attempt<T>({ path, plugin, problems }: CreationTarget, createOne: () => T, toInstance: (created: T) => unknown): T | undefined {
	try {
		const created = createOne();
		problems.push(...findShapeProblems(path, plugin, toInstance(created)));
		return created;
	} catch (error) {
		problems.push(`${path}: ${plugin.kind} "${plugin.name}" cannot be created: ${toErrorMessage(error)}`);
		return undefined;
	}
}

/** Storage plugin that has a new instance for each attempt to start it. */
export interface RestartableStorage extends StorageSource {
	/** Starts an instance by calling `begin`. If `begin` rejects, stops the instance and rejects; the next call starts a new instance. */
	start(begin: (instance: Storage) => Promise<void>): Promise<void>;
	stop(): Promise<void>;
}

/** Creates the plugin's first instance. */
function createRestartableStorage(plugin: StoragePlugin): RestartableStorage {
	/** True if a start has been attempted with the instance, so that the next attempt needs a new one. */
	let isUsed = false;
	const restartable = {
		current: plugin.create(),
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
