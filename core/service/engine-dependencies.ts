import type { EngineDependencies } from "../kernel/plugins/engine-dependencies.ts";
import type { ResolvedConfig } from "./config/resolve-config.ts";
import { version } from "./version.ts";

/** What an engine is made from, of a configuration and what whoever makes it supplies. */
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
