import { createHash } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const kept = join(root, "build/packed");
/** What programs write beside the files of the package while they run. */
const left = /^examples\/[^/]+\/data$|\/__pycache__$/;
/** Milliseconds after which a lock cannot be that of a process which still works. */
const lockLifetime = 300_000;

/**
 * Creates a directory once for all test files, even for those that run at the same time, and again when `key` changes. It is only read after
 * that.
 */
export async function sharedDirectory(name: string, key: string, make: (directory: string) => Promise<void>): Promise<string> {
	const directory = join(kept, `${name}-${key}`);
	const lock = join(kept, `${name}.lock`);
	await mkdir(kept, { recursive: true });
	while (!existsSync(directory)) {
		if (!takeLock(lock)) await delay(100);
		else {
			try {
				if (!existsSync(directory)) await replace(name, directory, make);
			} finally {
				rmSync(lock, { force: true });
			}
		}
	}
	return directory;
}

async function replace(name: string, directory: string, make: (directory: string) => Promise<void>): Promise<void> {
	for (const old of readdirSync(kept)) {
		if (old.startsWith(`${name}-`)) await rm(join(kept, old), { recursive: true, force: true });
	}
	const unfinished = await mkdtemp(join(kept, `${name}-unfinished-`));
	await make(unfinished);
	await rename(unfinished, directory);
}

/** False while another process, or another test of this one, holds the lock. The lock of a process that was killed is removed. */
function takeLock(lock: string): boolean {
	try {
		writeFileSync(lock, String(process.pid), { flag: "wx" });
		return true;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
	}
	if (isStale(lock)) rmSync(lock, { force: true });
	return false;
}

function isStale(lock: string): boolean {
	try {
		if (Date.now() - statSync(lock).mtimeMs > lockLifetime) return true;
		process.kill(Number(readFileSync(lock, "utf8")), 0);
		return false;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === "ESRCH";
	}
}

/** Hash of the names and contents of all files that the package may consist of. */
export function hashPackedFiles(): string {
	const { files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly files: readonly string[] };
	const hash = createHash("sha256");
	const add = (path: string): void => {
		if (left.test(path)) return;
		const entry = lstatSync(join(root, path));
		if (entry.isDirectory()) for (const name of readdirSync(join(root, path)).sort()) add(join(path, name));
		else if (entry.isFile()) hash.update(`${path}\0`).update(readFileSync(join(root, path)));
	};
	for (const path of ["package.json", "README.md", ...files.filter((pattern) => !/[!*]/.test(pattern))]) add(path);
	return hash.digest("hex").slice(0, 16);
}
