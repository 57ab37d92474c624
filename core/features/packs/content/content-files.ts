import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { type PackContentFile, SvcError } from "../../../contract/index.ts";

/** Size limits of a pack. */
export interface ContentLimits {
	/** Total bytes of all files. */
	readonly size: number;
	readonly files: number;
}

/** Maximum depth of nested folders. With `maxPathLength`, it keeps paths short enough for every supported system. */
const maxFolderDepth = 50;
const maxPathLength = 1_000;
/** Matches the replacement character of bytes that are not UTF-8, and control characters, which are invisible in a list. */
const unspeakable = /[\p{Cc}\ufffd]/u;

/**
 * Returns the files of a directory, sorted by path. Empty folders are ignored. Throws `SVC_INVALID`, which names an entry that is not a
 * plain file or folder, an unsupported name, or an exceeded limit.
 */
export async function scanFiles(directory: string, limits: ContentLimits, signal: AbortSignal): Promise<readonly PackContentFile[]> {
	const paths: string[] = [];
	for (const folders = [""]; ; ) {
		const folder = folders.pop();
		if (folder === undefined) break;
		signal.throwIfAborted();
		for (const entry of await readdir(join(directory, folder), { withFileTypes: true })) {
			// The git directory is not part of a pack, and may contain a password.
			if (entry.name === ".git") continue;
			const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
			assertPath(path);
			if (entry.isDirectory()) folders.push(path);
			else if (entry.isFile()) paths.push(path);
			else throw new SvcError("SVC_INVALID", `"${path}" must be a regular file or a directory`);
			if (paths.length > limits.files) throw new SvcError("SVC_INVALID", `a pack may have at most ${limits.files} files`);
		}
	}
	return describe(directory, paths.sort(byCodeUnits), limits, signal);
}

async function describe(
	directory: string,
	paths: readonly string[],
	limits: ContentLimits,
	signal: AbortSignal,
): Promise<readonly PackContentFile[]> {
	const files: PackContentFile[] = [];
	let rest = limits.size;
	for (const path of paths) {
		const { mode, size } = await lstat(join(directory, path));
		rest -= size;
		if (rest < 0) throw new SvcError("SVC_INVALID", `the files of a pack may have at most ${limits.size} bytes`);
		const { sha256, size: read } = await hashFile(join(directory, path), signal);
		files.push({ path, executable: (mode & 0o111) !== 0, size: read, sha256 });
	}
	return files;
}

/** Returns the SHA-256 hash and the size in bytes of a file. */
export async function hashFile(file: string, signal?: AbortSignal): Promise<{ readonly sha256: string; readonly size: number }> {
	const hash = createHash("sha256");
	let size = 0;
	for await (const piece of createReadStream(file, { signal }) as AsyncIterable<Buffer>) {
		hash.update(piece);
		size += piece.length;
	}
	return { sha256: hash.digest("hex"), size };
}

/** Returns the id of content. It depends only on the files, so equal files have the same id on every node. */
export function toContentId(files: readonly PackContentFile[]): string {
	const told = files.map(({ path, executable, size, sha256 }) => [path, executable, size, sha256]);
	return createHash("sha256")
		.update(JSON.stringify(["svc pack content 1", told]))
		.digest("hex");
}

function assertPath(path: string): void {
	const parts = path.split("/");
	if (unspeakable.test(path)) throw new SvcError("SVC_INVALID", `${JSON.stringify(path)} must be UTF-8 without control characters`);
	if (parts.length > maxFolderDepth || path.length > maxPathLength)
		throw new SvcError(
			"SVC_INVALID",
			`"${path.slice(0, 100)}…" must be at most ${maxPathLength} characters long and at most ${maxFolderDepth} directories deep`,
		);
}

/** Compares by UTF-16 code units, not by locale: the order must be the same on every node, because the content id depends on it. */
function byCodeUnits(one: string, other: string): number {
	return one < other ? -1 : 1;
}
