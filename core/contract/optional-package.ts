import type { Logger } from "./plugin.ts";

/**
 * An npm package that a plugin loads only when it is needed. If it is missing, one feature of the plugin is disabled, and the rest
 * works.
 */
export interface OptionalPackage {
	/** Name of the package in the npm registry. */
	readonly name: string;
	/** The feature that is disabled without the package, in a few words. */
	readonly off: string;
	/** Resolves the package from the location of the plugin. Throws if it is missing: `() => import.meta.resolve("ssh2")`. */
	resolve(): unknown;
}

/**
 * Logs a warning if the package is missing, with the disabled feature and the command that installs it.
 *
 * Call it in `start` of the plugin. It does not load the package.
 */
export function warnIfMissing({ name, off, resolve }: OptionalPackage, logger: Logger): void {
	try {
		resolve();
	} catch {
		logger.warn("optional package is missing", { package: name, off, install: `npm install ${name}` });
	}
}
