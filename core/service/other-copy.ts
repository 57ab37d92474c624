import { readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { packageFile } from "./version.ts";

/** A copy of this package. */
export interface PackageCopy {
	readonly directory: string;
	readonly version: string;
}

/**
 * The copy of this package that a configuration file imports, when it is another than the one that reads it: a command installed for
 * the whole machine beside a project with its own. Plugins then come from there, and classes are not the same in both.
 */
export function findOtherCopy(configFile: string): PackageCopy | undefined {
	const file = resolvePackage(configFile);
	if (file === undefined || file === packageFile) return undefined;
	const { version } = JSON.parse(readFileSync(file, "utf8")) as { readonly version: string };
	return { directory: dirname(file), version };
}

/** Undefined where the file's project has no copy, as for a configuration that imports nothing. */
function resolvePackage(configFile: string): string | undefined {
	try {
		return realpathSync(createRequire(configFile).resolve("svc-automation/package.json"));
	} catch {
		return undefined;
	}
}
