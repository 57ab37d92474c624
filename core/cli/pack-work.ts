import type { PackFinding, PackTestResult } from "../contract/index.ts";

/** Work at packs where they are written: no service is needed. */
export interface PackWork {
	/** Everything that is wrong with packs. They know each other, and those of the configuration. */
	check(options: PackWorkOptions): Promise<readonly PackCheck[]>;
	/** Run the tests that packs bring. */
	test(options: PackTestOptions): Promise<readonly PackTests[]>;
}

export interface PackWorkOptions {
	/** Directories with a `pack.yaml`, or with directories that have one, as given. */
	readonly directories: readonly string[];
	/** Path of the configuration file with the runners, as given. Default: `svc.config.ts` of the working directory, else the one of the package. */
	readonly config?: string | undefined;
	/** Aborts when nobody waits any more. */
	readonly signal: AbortSignal;
}

export interface PackTestOptions extends PackWorkOptions {
	/** Part of the names or files of the tests to run. Default: all. */
	readonly only?: string | undefined;
}

export interface PackCheck {
	readonly pack: string;
	/** Absolute. */
	readonly directory: string;
	/** By file and line. */
	readonly findings: readonly PackFinding[];
}

export interface PackTests {
	readonly pack: string;
	/** Absolute. */
	readonly directory: string;
	readonly results: readonly PackTestResult[];
}
