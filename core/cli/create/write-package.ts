import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { toErrorMessage } from "../../contract/index.ts";
import { CliExit } from "../context.ts";
import type { NewFile } from "./template-files.ts";

/** Exits with 2 if the path is a directory that is not empty, or not a directory. A missing directory is accepted. */
export function assertEmpty(directory: string): void {
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
