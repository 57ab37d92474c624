import { createHash, randomBytes } from "node:crypto";
import { chmod, lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type PackContentFile, SvcError } from "../../../contract/index.ts";
import { hashFile } from "./content-files.ts";

/** Reads the next `length` bytes of the concatenated files. */
export type ReadNext = (length: number) => AsyncIterable<Buffer>;

/** Returns true if a directory contains these files, byte for byte. Additional files are not detected. */
export async function containsFiles(directory: string, files: readonly PackContentFile[]): Promise<boolean> {
	for (const { path, size, sha256 } of files) {
		const found = await lstat(join(directory, path)).catch(() => undefined);
		if (found?.isFile() !== true || found.size !== size) return false;
		if ((await hashFile(join(directory, path))).sha256 !== sha256) return false;
	}
	// Content may be empty, so the directory itself must exist as well.
	return (await lstat(directory).catch(() => undefined))?.isDirectory() === true;
}

/**
 * Writes files into a staging directory next to `target` and renames it to `target` when it is complete. Other processes therefore never
 * see a partial directory. A failure leaves no files. If another process has created `target` first, its directory stays.
 */
export async function extractFiles(target: string, files: readonly PackContentFile[], readNext: ReadNext): Promise<void> {
	const staging = join(dirname(target), `${stagingPrefix}${randomBytes(8).toString("hex")}`);
	try {
		await mkdir(staging, { recursive: true, mode: 0o700 });
		const folders = new Set<string>();
		for (const file of files) {
			await makeFolders(staging, file.path, folders);
			await writeFile(staging, file, readNext(file.size));
		}
		// Read-only folders prevent accidental writes by the service and by the processes that it starts.
		for (const folder of [...[...folders].reverse(), ""]) await chmod(join(staging, folder), 0o500);
		await rename(staging, target).catch(async (error: NodeJS.ErrnoException) => {
			if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
			await removeTree(staging);
		});
	} catch (error) {
		await removeTree(staging).catch(() => undefined);
		throw error;
	}
}

/** Name prefix of directories that are being written or removed. */
export const stagingPrefix = ".new-";

/** Removes a directory written by `extractFiles`. Makes its read-only folders writable first, since their files cannot be deleted otherwise. */
export async function removeTree(directory: string): Promise<void> {
	const entries = await lstat(directory).then(
		async (found) => {
			if (!found.isDirectory()) return [];
			await chmod(directory, 0o700);
			return readdir(directory, { withFileTypes: true });
		},
		(error: NodeJS.ErrnoException) => {
			if (error.code === "ENOENT") return [];
			throw error;
		},
	);
	for (const entry of entries) if (entry.isDirectory()) await removeTree(join(directory, entry.name));
	await rm(directory, { recursive: true, force: true });
}

/** Renames a directory before removing it, so that other processes never see a partly removed one. */
export async function removeExtracted(directory: string): Promise<void> {
	const away = join(dirname(directory), `${stagingPrefix}${randomBytes(8).toString("hex")}`);
	await rename(directory, away).catch((error: NodeJS.ErrnoException) => {
		if (error.code !== "ENOENT") throw error;
	});
	await removeTree(away);
}

async function makeFolders(root: string, path: string, made: Set<string>): Promise<void> {
	const parts = path.split("/");
	for (let depth = 1; depth < parts.length; depth += 1) {
		const folder = parts.slice(0, depth).join("/");
		if (made.has(folder)) continue;
		await mkdir(join(root, folder), { mode: 0o700 });
		made.add(folder);
	}
}

/** Writes one file. After a power failure, a directory may exist without all of its bytes; `containsFiles` detects this. */
async function writeFile(root: string, { path, executable, sha256 }: PackContentFile, bytes: AsyncIterable<Buffer>): Promise<void> {
	const hash = createHash("sha256");
	const handle = await open(join(root, path), "wx", executable ? 0o500 : 0o400);
	try {
		for await (const piece of bytes) {
			hash.update(piece);
			await handle.writeFile(piece);
		}
	} finally {
		await handle.close();
	}
	if (hash.digest("hex") !== sha256)
		throw new SvcError("SVC_RUNNER", `content is damaged in the storage: "${path}" differs from the stored file`);
}
