import {
	type AuthBackend,
	type Dialect,
	type EventBus,
	type Lifecycle,
	type Plugin,
	type PluginKind,
	type Runner,
	type Sensor,
	type Telemetry,
	toErrorMessage,
} from "../../contract/index.ts";
import { toConfigError } from "../basics/config-error.ts";
import type { EngineDependencies } from "./engine-dependencies.ts";
import { findShapeProblems } from "./plugin-shapes.ts";
import { createStorageDoor, type StorageDoor } from "./restartable-storage.ts";

/** The plugins of a composition, created and inert. */
export interface CreatedPlugins {
	readonly door: StorageDoor;
	readonly eventBus: EventBus;
	readonly authBackend: AuthBackend | undefined;
	/** By runner type name. */
	readonly runners: ReadonlyMap<string, Runner>;
	/** By name. */
	readonly sensors: ReadonlyMap<string, Sensor>;
	/** In the order of the configuration. */
	readonly dialects: readonly Dialect[];
	/** In the order of the configuration. */
	readonly telemetry: readonly Telemetry[];
}

/** Create every plugin and look at what it is. `SVC_CONFIG` names all that are no plugins, each by its path in the configuration. */
export function createPlugins(composition: EngineDependencies["composition"]): CreatedPlugins {
	const problems: string[] = [];
	const { storage, eventBus, authBackend, runners, sensors, dialects, telemetry } = composition;
	const door = attempt(
		{ path: "storage", plugin: storage, problems },
		() => createStorageDoor(storage),
		(made) => made.storage,
	);
	const created = {
		eventBus: create("event_bus", eventBus, problems),
		authBackend: authBackend && create("auth.backend", authBackend, problems),
		runners: runners.map((plugin, index) => [plugin.name, create(`runners[${index}]`, plugin, problems) as Runner] as const),
		sensors: sensors.map((plugin, index) => [plugin.name, create(`sensors[${index}]`, plugin, problems)] as const),
		dialects: dialects.map((plugin, index) => create(`dialects[${index}]`, plugin, problems)),
		telemetry: telemetry.map((plugin, index) => create(`telemetry[${index}]`, plugin, problems)),
	};
	if (problems.length > 0) throw toConfigError(problems);
	// Whatever is missing is among the problems.
	return { ...created, door, runners: new Map(created.runners), sensors: new Map(created.sensors) } as CreatedPlugins;
}

function create<T extends Lifecycle>(path: string, plugin: Plugin<PluginKind, T>, problems: string[]): T | undefined {
	return attempt(
		{ path, plugin, problems },
		() => plugin.create(),
		(instance) => instance,
	);
}

interface Place {
	readonly path: string;
	readonly plugin: { readonly kind: PluginKind; readonly name: string };
	readonly problems: string[];
}

function attempt<T>({ path, plugin, problems }: Place, make: () => T, toInstance: (made: T) => unknown): T | undefined {
	try {
		const made = make();
		problems.push(...findShapeProblems(path, plugin, toInstance(made)));
		return made;
	} catch (error) {
		problems.push(`${path}: ${plugin.kind} "${plugin.name}" cannot be created: ${toErrorMessage(error)}`);
		return undefined;
	}
}
