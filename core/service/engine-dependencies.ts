import type { EngineDependencies } from "../kernel/plugins/engine-dependencies.ts";
import type { ResolvedConfig } from "./config/resolve-config.ts";
import { version } from "./version.ts";

/** Returns the dependencies of an engine: the values of a configuration, and those that the caller supplies. */
export function toDependencies(
	config: ResolvedConfig,
	given: Omit<
		EngineDependencies,
		"options" | "roles" | "composition" | "access" | "packs" | "followedPacks" | "configs" | "dataDirectory" | "version"
	>,
): EngineDependencies {
	const {
		options,
		roles,
		access,
		packs,
		followedPacks,
		configs,
		dataDirectory,
		storage,
		eventBus,
		runners,
		sensors,
		dialects,
		telemetry,
		authBackend,
	} = config;
	const composition = { storage, eventBus, runners, sensors, dialects, telemetry, authBackend };
	return { ...given, options, roles, composition, access, packs, followedPacks, configs, dataDirectory, version };
}
