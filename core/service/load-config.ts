import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type SvcConfig, SvcError } from "../contract/index.ts";
import { importModule } from "./import-module.ts";

/** Options for reading a configuration file. */
export interface LoadConfigOptions {
	/**
	 * Directory for a transpiled copy of the file, kept until the file changes. Its parent must not be readable by other users. A Node.js
	 * version without support for TypeScript spends much of its start on transpiling. Default: no copy is kept.
	 */
	readonly cacheDirectory?: string;
}

/**
 * Reads a configuration file in TypeScript or JavaScript. Returns its default export unchanged; `resolveConfig` validates it. Throws
 * `SVC_CONFIG` with the reason if the file cannot be read, and with line and column if available.
 */
export async function loadConfig(file: string, { cacheDirectory }: LoadConfigOptions = {}): Promise<SvcConfig> {
	const path = resolve(file);
	if (!existsSync(path)) throw new SvcError("SVC_CONFIG", `configuration file "${path}" does not exist; hint: --config <file>`);
	const module = await importModule(path, "configuration file", { cacheDirectory });
	if (typeof module !== "object" || module === null || !("default" in module)) {
		throw new SvcError("SVC_CONFIG", `configuration file "${path}" has no default export; hint: export default defineConfig({ ... })`);
	}
	return module.default as SvcConfig;
}
