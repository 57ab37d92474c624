import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { type PackContentFile, SvcError } from "../../../contract/index.ts";

/** How much a pack may hold. */
export interface ContentLimits {
	/** Bytes of all files. */
	readonly size: number;
	readonly files: number;
}

/** Folders in one another; a path of all of them is one that every system can open. */
const deepestFolder = 50;
const longestPath = 1_000;
/** What stands for bytes that are no UTF-8, and what nobody sees in a list. */
const unspeakable = /[\p{Cc}\ufffd]/u;

/**
 * The files of a directory in the order of their paths. Folders without files do not count. `SVC_INVALID` names what is no plain file,
 * a name that cannot be kept, or a limit.
 */
export async function scanFiles(directory: string, limits: ContentLimits, signal: AbortSignal): Promise<readonly PackContentFile[]> {
	const paths: string[] = [];
	for (const folders = [""]; ; ) {
		const folder = folders.pop();
		if (folder === undefined) break;
		signal.throwIfAborted();
		for (const entry of await readdir(join(directory, folder), { withFileTypes: true })) {
			// What git keeps for itself is no part of a pack, and may hold a password.
			if (entry.name === ".git") continue;
			const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
			assertPath(path);
			if (entry.isDirectory()) folders.push(path);
			else if (entry.isFile()) paths.push(path);
			else throw new SvcError("SVC_INVALID", `"${path}" must be a plain file or a folder`);
			if (paths.length > limits.files) throw new SvcError("SVC_INVALID", `a pack must have at most ${limits.files} files`);
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
		if (rest < 0) throw new SvcError("SVC_INVALID", `the files of a pack must be at most ${limits.size} bytes`);
		const { sha256, size: read } = await hashFile(join(directory, path), signal);
		files.push({ path, executable: (mode & 0o111) !== 0, size: read, sha256 });
	}
	return files;
}

/** SHA-256 of the bytes of a file, and how many they are. */
export async function hashFile(file: string, signal?: AbortSignal): Promise<{ readonly sha256: string; readonly size: number }> {
	const hash = createHash("sha256");
	let size = 0;
	for await (const piece of createReadStream(file, { signal }) as AsyncIterable<Buffer>) {
		hash.update(piece);
		size += piece.length;
	}
	return { sha256: hash.digest("hex"), size };
}

/** The name of content: the same files have the same, wherever and whenever. */
export function toContentId(files: readonly PackContentFile[]): string {
	const told = files.map(({ path, executable, size, sha256 }) => [path, executable, size, sha256]);
	return createHash("sha256")
		.update(JSON.stringify(["svc pack content 1", told]))
		.digest("hex");
}

/** Bytes of all files. */
export function sumSizes(files: readonly PackContentFile[]): number {
	return files.reduce((sum, { size }) => sum + size, 0);
}

function assertPath(path: string): void {
	const parts = path.split("/");
	if (unspeakable.test(path)) throw new SvcError("SVC_INVALID", `${JSON.stringify(path)} must be UTF-8 without control characters`);
	if (parts.length > deepestFolder || path.length > longestPath)
		throw new SvcError(
			"SVC_INVALID",
			`"${path.slice(0, 100)}…" must be at most ${longestPath} characters and ${deepestFolder} folders deep`,
		);
}

/** Not by what a language makes of letters: the order must be the same on every node. */
function byCodeUnits(one: string, other: string): number {
	return one < other ? -1 : 1;
}
