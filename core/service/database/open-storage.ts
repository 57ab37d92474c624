import { randomBytes } from "node:crypto";
import { dirname, resolve } from "node:path";
import type { PluginContext, Storage, StoragePlugin } from "../../contract/index.ts";
import { getSystemClock } from "../../kernel/basics/clock.ts";
import { prepareDataDirectory } from "../config/data-directory.ts";
import { type ResolvedConfig, resolveConfig } from "../config/resolve-config.ts";
import { loadConfig } from "../load-config.ts";
import { createLogger } from "../logger.ts";

export interface ConfigSource {
	/** Path of the configuration file. */
	readonly config: string;
	readonly env: Readonly<Record<string, string | undefined>>;
}

/** Reads and validates a configuration, to use its database without running the service. */
export async function readConfig({ config, env }: ConfigSource): Promise<ResolvedConfig> {
	const file = resolve(config);
	return resolveConfig(await loadConfig(file), { env, directory: dirname(file) });
}

/** Returns the context with which the service would start its storage. */
export function createContext({ options, dataDirectory }: ResolvedConfig): PluginContext {
	const logger = createLogger(options.log, { debug: options.system.debug }).withTag("storage");
	return { logger, clock: getSystemClock(), dataDirectory, nodeId: randomBytes(12).toString("hex"), options };
}

/** Creates a storage, passes it to `use`, and stops it, even if `use` fails. */
export async function withCreated<T>(plugin: StoragePlugin, use: (storage: Storage) => Promise<T>): Promise<T> {
	const storage = plugin.create();
	try {
		return await use(storage);
	} finally {
		await storage.stop?.();
	}
}

/** Starts a storage, passes it to `use`, and stops it, even if `use` fails. */
export async function withStorage<T>(plugin: StoragePlugin, config: ResolvedConfig, use: (storage: Storage) => Promise<T>): Promise<T> {
	await prepareDataDirectory(config.dataDirectory);
	return withCreated(plugin, async (storage) => {
		await storage.start?.(createContext(config));
		return use(storage);
	});
}
