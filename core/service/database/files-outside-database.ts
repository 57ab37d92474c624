import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ResolvedConfig } from "../config/resolve-config.ts";

/** Returns the existing files and directories of a service that are stored outside of the database, each with its purpose. */
export function findFilesBesideDatabase({ options, dataDirectory, configs, packs }: ResolvedConfig): string[] {
	const keyFile = options.keyvalue.encryption_key_path || join(dataDirectory, "datastore-key.json");
	const known: readonly (readonly [string, string])[] = [
		["key file of the datastore, which is needed to decrypt its secrets", keyFile],
		["configurations of packs", configs],
		...packs.map((path) => ["packs", path] as const),
		["data directory with the other files, such as the password file", dataDirectory],
	];
	return known.filter(([, path]) => existsSync(path)).map(([what, path]) => `${path} (${what})`);
}
