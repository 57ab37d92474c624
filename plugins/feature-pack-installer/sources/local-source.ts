import { realpath, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { SvcError } from "../../../core/contract/index.ts";
import { quote } from "./pack-path.ts";
import type { PackRequest } from "./parse-request.ts";

/** An existing source on this machine. */
export interface LocalSource {
	readonly kind: "git" | "archive" | "directory";
	/** A `file://` address for git, otherwise a path. */
	readonly address: string;
}

/** Returns true if the address is on this machine. */
export function isLocal({ address = "" }: Pick<PackRequest, "address">): boolean {
	return address.startsWith("/") || address.startsWith("file://");
}

/**
 * Returns the local source at a path. A bare repository, or one requested with `file://` or a revision, is read with git; otherwise, the
 * files on disk are used. Throws `SVC_NOT_FOUND` or `SVC_INVALID` if there is no usable source.
 */
export async function resolveLocalSource(
	{ address = "", kind, revision }: PackRequest,
	directories: readonly string[],
): Promise<LocalSource> {
	const isAddress = address.startsWith("file://");
	const path = await toAllowed(isAddress ? fileURLToPath(address) : address, directories);
	const information = await stat(path);
	if (information.isFile()) {
		if (kind !== "archive") throw new SvcError("SVC_INVALID", `${quote(path)} is a file but not an archive (.tar.gz, .tgz, .tar, .zip)`);
		return { kind: "archive", address: path };
	}
	if (!information.isDirectory()) throw new SvcError("SVC_INVALID", `${quote(path)} is neither a directory nor an archive`);
	const isBare = (await exists(join(path, "HEAD"))) && (await exists(join(path, "objects"))) && !(await exists(join(path, "pack.yaml")));
	const isRepository = isBare || (await exists(join(path, ".git")));
	if (revision !== undefined && !isRepository)
		throw new SvcError("SVC_INVALID", `${quote(path)} is not a git repository and has no revision ${quote(revision)}`);
	if (isBare || (isRepository && (isAddress || revision !== undefined))) return { kind: "git", address: pathToFileURL(path).href };
	return { kind: "directory", address: path };
}

/**
 * Returns the path with symbolic links resolved. Throws `SVC_INVALID` if it is outside of `content.source_directories`, and `SVC_NOT_FOUND`
 * if it cannot be read.
 */
async function toAllowed(path: string, directories: readonly string[]): Promise<string> {
	let real: string;
	try {
		real = await realpath(path);
	} catch (cause) {
		throw new SvcError("SVC_NOT_FOUND", `${quote(path)} does not exist or cannot be read`, { cause });
	}
	if (directories.length === 0) return real;
	const allowed = await Promise.all(directories.map((directory) => realpath(directory).catch(() => directory)));
	if (allowed.some((directory) => isInside(directory, real))) return real;
	throw new SvcError("SVC_INVALID", `${quote(path)} is not in a directory of content.source_directories`);
}

/** Returns true if a path is the directory or below it. Links in both must have been resolved. */
export function isInside(directory: string, path: string): boolean {
	const way = relative(directory, path);
	return way !== ".." && !way.startsWith(`..${sep}`);
}

async function exists(path: string): Promise<boolean> {
	return stat(path).then(
		() => true,
		() => false,
	);
}
