import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";

/** The part of a test function that `requires` needs; uvu's `test` and suites have it. */
export interface SkippableTest {
	(name: string, handler: () => Promise<void> | void): void;
	skip(name: string, handler: () => Promise<void> | void): void;
}

/** Something that a test needs besides the project's own packages. Every member given must hold. */
export interface Requirement {
	/** A command on the PATH (or in the usual system directories), such as `sshd`. */
	readonly command?: string;
	/** An npm package, optional ones included, such as `node-pty`. */
	readonly package?: string;
	/** An environment variable with the address of a service, such as `SVC_TEST_POSTGRES_URL`. */
	readonly environment?: string;
	/** Whether the test must run as root. */
	readonly root?: true;
}

/**
 * A test function for tests that need something which may not be installed. Where it is missing, each of them is skipped
 * by name and the reason is printed as `SKIP <name>: <reason>`, which the test command gathers.
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

/** Why a requirement does not hold, or undefined when it does. */
export function missing(requirement: Requirement): string | undefined {
	const { command, environment } = requirement;
	if (command !== undefined && findCommand(command) === undefined) return `command ${command} is not installed`;
	if (requirement.package !== undefined && !hasPackage(requirement.package)) return `package ${requirement.package} is not installed`;
	if (environment !== undefined && !process.env[environment]) return `environment variable ${environment} is not set`;
	if (requirement.root && process.getuid?.() !== 0) return "it must run as root";
	return undefined;
}

/** Path of a command, on the PATH or where servers such as sshd, slapd and postgres stand. */
export function findCommand(command: string): string | undefined {
	const directories = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/sbin", "/usr/local/sbin", ...postgresDirectories()];
	return directories.map((directory) => join(directory, command)).find(isExecutable);
}

/** Debian keeps each version of PostgreSQL in a directory of its own; the newest first. */
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
