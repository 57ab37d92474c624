import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { Command } from "commander";
import { withExamples } from "../../core/cli/commands/examples.ts";
import type { AddCommands } from "../../core/cli/commands/options.ts";
import { type CliContext, CliExit, write } from "../../core/cli/context.ts";
import { toErrorMessage } from "../../core/contract/index.ts";
import { type PackageNames, toPackageNames } from "./create/package-names.ts";
import { type NewFile, type PackageKind, packageKinds, toPackageFiles } from "./create/template-files.ts";

interface CreateOptions {
	readonly directory?: string;
	readonly dryRun?: boolean;
}

/** Adds the command that creates packages from templates. */
export const addCreateCommand: AddCommands = (parent, context) => {
	parent
		.command("create <kind> <name>")
		.description(`Create a package from a template: ${packageKinds.join(", ")}.`)
		.option("--directory <directory>", "directory of the package; default: ./<name>")
		.option("--dry-run", "list the files without writing them")
		.action((kind: string, name: string, options: CreateOptions) => {
			const known = toKind(kind);
			const names = toPackageNames(name);
			if (known === "feature") assertUnusedCommand(names.plugin, parent);
			return create({ kind: known, names, ...options }, context);
		});
	withExamples(parent, {
		create: ["svc create project my-service", "svc create runner night-shift --directory ./plugins/night-shift"],
	});
};

/** Exits with 2 if `svc` already has a command with the name of a new feature, because the feature brings a command of that name. */
function assertUnusedCommand(name: string, { commands }: Command): void {
	if (commands.some((command) => command.name() === name || command.aliases().includes(name)))
		throw new CliExit(2, `name: svc already has a command "${name}"; choose another name, such as "my-${name}"`);
}

function toKind(kind: string): PackageKind {
	const found = packageKinds.find((known) => known === kind);
	if (found === undefined) throw new CliExit(2, `kind: "${kind}" must be one of ${packageKinds.join(", ")}`);
	return found;
}

async function create(
	{ kind, names, directory, dryRun = false }: CreateOptions & { readonly kind: PackageKind; readonly names: PackageNames },
	{ stdout }: CliContext,
): Promise<void> {
	const target = resolve(directory ?? names.plugin);
	assertEmpty(target);
	const files = toPackageFiles(kind, names, target);
	const place = relative(process.cwd(), target) || ".";
	if (!dryRun) writePackage(target, files);
	await write(
		stdout,
		`${dryRun ? "Files to be written" : "Files written"} in ${place}:\n${files.map(({ path }) => `  ${path}\n`).join("")}`,
	);
	if (!dryRun) await write(stdout, `Next: cd ${place} && npm install && npm ${kind === "project" ? "start" : "test"}\n`);
}

/** Exits with 2 if the path is a directory that is not empty, or not a directory. A missing directory is accepted. */
function assertEmpty(directory: string): void {
	let names: string[];
	try {
		names = readdirSync(directory);
	} catch (error) {
		if (isNodeError(error, "ENOENT")) return;
		const problem = isNodeError(error, "ENOTDIR") ? "it is not a directory" : toErrorMessage(error);
		throw new CliExit(2, `directory: "${directory}" cannot be used: ${problem}; choose another with --directory`);
	}
	if (names.length > 0) throw new CliExit(2, `directory: "${directory}" is not empty; choose another with --directory`);
}

/** Writes all files or none. Exits with 1 if a file cannot be written. */
export function writePackage(directory: string, files: readonly NewFile[]): void {
	let made: string | undefined;
	try {
		made = mkdirSync(directory, { recursive: true });
		for (const { path, text, isProgram } of files) {
			mkdirSync(dirname(join(directory, path)), { recursive: true });
			writeFileSync(join(directory, path), text, { flag: "wx", mode: isProgram ? 0o755 : 0o644 });
		}
	} catch (error) {
		// The directory was empty before, so it is safe to delete these files.
		const left = made === undefined ? files.map(({ path }) => join(directory, path.split("/")[0] ?? path)) : [made];
		for (const path of left) rmSync(path, { recursive: true, force: true });
		throw new CliExit(1, `directory: "${directory}" cannot be written: ${toErrorMessage(error)}`);
	}
}

function isNodeError(error: unknown, code: string): boolean {
	return error instanceof Error && "code" in error && error.code === code;
}
