import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type SvcConfig, SvcError } from "../contract/index.ts";
import { importModule } from "./import-module.ts";

/** How a configuration file is read. */
export interface LoadConfigOptions {
	/**
	 * Directory, in one that others cannot read, where a copy in JavaScript is kept for as long as the file does not change: a Node that
	 * does not read TypeScript itself takes a good part of its start to translate it. Default: no copy is kept.
	 */
	readonly cacheDirectory?: string;
}

/**
 * Read a configuration file in TypeScript or JavaScript. Its default export is returned as it is; `resolveConfig` checks it.
 * `SVC_CONFIG` says why a file cannot be read, with the place where known.
 */
export async function loadConfig(file: string, { cacheDirectory }: LoadConfigOptions = {}): Promise<SvcConfig> {
	const path = resolve(file);
	if (!existsSync(path)) throw new SvcError("SVC_CONFIG", `configuration file "${path}" does not exist; name another with --config`);
	const module = await importModule(path, "configuration file", { cacheDirectory });
	if (typeof module !== "object" || module === null || !("default" in module)) {
		throw new SvcError("SVC_CONFIG", `configuration file "${path}" has no default export; hint: export default defineConfig({ ... })`);
	}
	return module.default as SvcConfig;
}
