import type { PackFinding, PackTestResult } from "../contract/index.ts";

/** Operations on the sources of packs. They need no service. */
export interface PackChecks {
	/** Returns all problems of packs. The packs may refer to each other and to those of the configuration. */
	check(options: PackWorkOptions): Promise<readonly PackCheck[]>;
	/** Runs the tests that packs contain. */
	test(options: PackTestOptions): Promise<readonly PackTests[]>;
}

/** Options for checking packs. */
export interface PackWorkOptions {
	/** Directories with a `pack.yaml`, or directories that contain such directories, as given. */
	readonly directories: readonly string[];
	/**
	 * Path of the configuration file with the runners, as given. Default: `svc.config.ts` in the working directory, otherwise the one that svc
	 * ships.
	 */
	readonly config?: string | undefined;
	/** Aborts if the caller no longer waits for the result. */
	readonly signal: AbortSignal;
}

/** Options for running the tests of packs. */
export interface PackTestOptions extends PackWorkOptions {
	/** Substring that the name or the file of a test must contain. Default: all tests. */
	readonly only?: string | undefined;
}

/** Result of checking a pack. */
export interface PackCheck {
	readonly pack: string;
	/** Absolute path. */
	readonly directory: string;
	/** Findings, ordered by file and line. */
	readonly findings: readonly PackFinding[];
}

/** Results of the tests of a pack. */
export interface PackTests {
	readonly pack: string;
	/** Absolute path. */
	readonly directory: string;
	readonly results: readonly PackTestResult[];
}
