import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";

/** Subset of a test function that `requires` needs. uvu's `test` and its suites have it. */
export interface SkippableTest {
	(name: string, handler: () => Promise<void> | void): void;
	skip(name: string, handler: () => Promise<void> | void): void;
}

/** Something that a test needs in addition to the project's own packages. Every given field must be satisfied. */
export interface Requirement {
	/** A command on the PATH or in the usual system directories, such as `sshd`. */
	readonly command?: string;
	/** An npm package, possibly optional, such as `node-pty`. */
	readonly package?: string;
	/** An environment variable with the address of a service, such as `SVC_TEST_POSTGRES_URL`. */
	readonly environment?: string;
	/** True if the test must run as root. */
	readonly root?: true;
}

/**
 * Returns a test function for tests with a requirement that may not be installed. If it is missing, each test is skipped by name. The
 * reason is printed as `SKIP <name>: <reason>`, which the test command collects.
 */
export function requires(
	test: SkippableTest,
	requirement: Requirement,
): { readonly test: (name: string, handler: () => Promise<void> | void) => void } {
	const reason = missing(requirement);
	if (reason === undefined) return { test };
	return {
		test: (name, handler) => {
			process.stdout.write(`SKIP ${name}: ${reason}\n`);
			test.skip(name, handler);
		},
	};
}

/** Returns the reason why a requirement is not satisfied, or undefined if it is. */
export function missing(requirement: Requirement): string | undefined {
	const { command, environment } = requirement;
	if (command !== undefined && findCommand(command) === undefined) return `command ${command} is not installed`;
	if (requirement.package !== undefined && !hasPackage(requirement.package)) return `package ${requirement.package} is not installed`;
	if (environment !== undefined && !process.env[environment]) return `environment variable ${environment} is not set`;
	if (requirement.root && process.getuid?.() !== 0) return "it must run as root";
	return undefined;
}

/**
 * Returns the path of a command on the PATH or in a directory of servers such as sshd, slapd and postgres. Returns undefined if none has
 * it.
 */
export function findCommand(command: string): string | undefined {
	const directories = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/sbin", "/usr/local/sbin", ...postgresDirectories()];
	return directories.map((directory) => join(directory, command)).find(isExecutable);
}

/** Returns the directories of the PostgreSQL versions that Debian installs, the newest first. */
function postgresDirectories(): string[] {
	const root = "/usr/lib/postgresql";
	if (!existsSync(root)) return [];
	const versions = readdirSync(root).sort((left, right) => Number(right) - Number(left));
	return versions.map((version) => join(root, version, "bin"));
}

function isExecutable(file: string): boolean {
	try {
		accessSync(file, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}

function hasPackage(name: string): boolean {
	try {
		createRequire(import.meta.url).resolve(name);
		return true;
	} catch {
		return false;
	}
}
