import type { EngineDependencies } from "../kernel/plugins/engine-dependencies.ts";
import type { ResolvedConfig } from "./config/resolve-config.ts";
import { version } from "./version.ts";

/** Returns the dependencies of an engine: the values of a configuration, and those that the caller supplies. */
export function toDependencies(
	config: ResolvedConfig,
	given: Omit<EngineDependencies, keyof ResolvedConfig | "composition" | "version">,
): EngineDependencies {
	const { options, roles, access, packs, followedPacks, configs, dataDirectory } = config;
	return { ...given, options, roles, composition: config, access, packs, followedPacks, configs, dataDirectory, version };
}
