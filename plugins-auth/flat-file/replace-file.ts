import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { withFileLock } from "./file-lock.ts";

/**
 * Replace the text of a file, one after the other where several do. Whoever reads meanwhile sees the file before or after, and a crash leaves
 * one of the two. `change` gets an empty text where there is no file.
 */
export async function replaceFile(path: string, change: (text: string) => string): Promise<void> {
	await mkdir(dirname(path), { recursive: true, mode: 0o700 });
	// A link stays one.
	const target = await realpath(path).catch(() => path);
	await withFileLock(target, async () => {
		const text = change(await readFile(target, "utf8").catch(toNothing));
		const temporary = `${target}.${randomUUID()}`;
		try {
			await write(temporary, text, await findOwner(target));
			await rename(temporary, target);
		} finally {
			await rm(temporary, { force: true });
		}
	});
}

interface Owner {
	readonly mode: number;
	readonly uid: number;
	readonly gid: number;
}

/** Of the file that is there, without the rights of all others; a new one is for whoever has the directory: root may make it for a service. */
async function findOwner(path: string): Promise<Owner> {
	const { mode, uid, gid } = await stat(path).catch(async () => ({ ...(await stat(dirname(path))), mode: 0o600 }));
	return { mode: mode & 0o770, uid, gid };
}

async function write(path: string, text: string, { mode, uid, gid }: Owner): Promise<void> {
	const file = await open(path, "wx", 0o600);
	try {
		await file.writeFile(text);
		// Others than root cannot give a file away, and the file is theirs as it is.
		if (process.getuid?.() === 0) await file.chown(uid, gid);
		await file.chmod(mode);
		await file.sync();
	} finally {
		await file.close();
	}
}

function toNothing(error: unknown): string {
	if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
	throw error;
}
