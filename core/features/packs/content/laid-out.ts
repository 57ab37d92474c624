import { createHash, randomBytes } from "node:crypto";
import { chmod, lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { PackContentFile } from "../../../contract/index.ts";
import { SvcError } from "../../../contract/index.ts";
import { hashFile } from "./content-files.ts";

/** Reads the next so many bytes of the files, one behind the other. */
export type ReadNext = (length: number) => AsyncIterable<Buffer>;

/** Whether a directory holds these files, byte for byte. */
export async function holdsFiles(directory: string, files: readonly PackContentFile[]): Promise<boolean> {
	for (const { path, size, sha256 } of files) {
		const found = await lstat(join(directory, path)).catch(() => undefined);
		if (found?.isFile() !== true || found.size !== size) return false;
		if ((await hashFile(join(directory, path))).sha256 !== sha256) return false;
	}
	// Content may have no files at all.
	return (await lstat(directory).catch(() => undefined))?.isDirectory() === true;
}

/**
 * Write files into a directory beside `target`, and give it that name once it is whole: nobody finds half of it. Nothing is left of what
 * fails. Where another process was faster, what it has made is what counts.
 */
export async function layOut(target: string, files: readonly PackContentFile[], readNext: ReadNext): Promise<void> {
	const staging = join(dirname(target), `${stagingPrefix}${randomBytes(8).toString("hex")}`);
	try {
		await mkdir(staging, { recursive: true, mode: 0o700 });
		const folders = new Set<string>();
		for (const file of files) {
			await makeFolders(staging, file.path, folders);
			await writeFile(staging, file, readNext(file.size));
		}
		// Neither the service nor what runs in its name writes there by mistake.
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

/** Of the names of directories that are being filled, or emptied. */
export const stagingPrefix = ".new-";

/** Remove a directory that was laid out, whose folders do not let go of their files as they are. */
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

/** Take a directory away from its name, so that nobody finds it half removed. */
export async function takeAway(directory: string): Promise<void> {
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

/** It may be that a machine that loses its power keeps the name of a directory and not all of its bytes: see `holdsFiles`. */
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
		throw new SvcError("SVC_RUNNER", `content is damaged where it is kept: "${path}" is not what was stored`);
}
