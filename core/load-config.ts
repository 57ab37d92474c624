import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { createJiti } from "jiti";
import { type SvcConfig, SvcError, toErrorMessage } from "./contract/index.ts";

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
	const module = await importFile(path, cacheDirectory);
	if (typeof module !== "object" || module === null || !("default" in module)) {
		throw new SvcError("SVC_CONFIG", `configuration file "${path}" has no default export; hint: export default defineConfig({ ... })`);
	}
	return module.default as SvcConfig;
}

async function importFile(path: string, cacheDirectory: string | undefined): Promise<unknown> {
	// Native first, so that a configuration and the service share one copy of the package. Its own choice of a cache is node_modules.
	const jiti = createJiti(import.meta.url, { tryNative: true, fsCache: cacheDirectory ?? false });
	try {
		return await jiti.import<unknown>(path);
	} catch (error) {
		throw new SvcError("SVC_CONFIG", `configuration file "${path}" cannot be read: ${describeFailure(path, error)}`, { cause: error });
	}
}

function describeFailure(path: string, error: unknown): string {
	const message = toErrorMessage(error)
		.split("\nRequire stack:")[0]
		?.replace(/\s*\n\s*/g, " ");
	const place = error instanceof Error ? findPlace(path, error.stack ?? "") : undefined;
	return place === undefined || message?.includes(place) ? `${message}` : `${message} (line ${place})`;
}

/** `line:column` of the first stack entry in the file. */
function findPlace(path: string, stack: string): string | undefined {
	const start = stack.indexOf(`${path}:`);
	return start === -1 ? undefined : /^\d+:\d+/.exec(stack.slice(start + path.length + 1))?.[0];
}
