import type { Logger } from "./plugin.ts";

/** A package that is loaded where it is used. Without it a part of a plugin is off, and the rest works. */
export interface OptionalPackage {
	/** As npm installs it. */
	readonly name: string;
	/** What is off without it, in a few words. */
	readonly off: string;
	/** Finds it from where the plugin is, and throws when it is not there: `() => import.meta.resolve("ssh2")`. */
	resolve(): unknown;
}

/** Say in the log what is off where the package is missing, and how to have it. For a plugin's `start`; loads nothing. */
export function warnIfMissing({ name, off, resolve }: OptionalPackage, logger: Logger): void {
	try {
		resolve();
	} catch {
		logger.warn("optional package is missing", { package: name, off, install: `npm install ${name}` });
	}
}
