import { randomUUID } from "node:crypto";
import { link, open, readFile, rename, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { SvcError } from "../../core/contract/index.ts";

/** Milliseconds to wait for the lock. It is normally held only while a small file is written. */
const patience = 10_000;
const pause = 20;
/**
 * Milliseconds after which a lock counts as abandoned even if its holder may still run, because processes of other machines cannot be
 * checked.
 */
const oldest = 60_000;

/**
 * Runs `work` while holding the exclusive lock of a file, across all processes. The lock is a file next to it that identifies the holder.
 * Throws `SVC_UNAVAILABLE` if the lock does not become free within 10 s.
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
	const lock = `${path}.lock`;
	const mark = `${hostname()} ${process.pid} ${randomUUID()}`;
	for (const begun = Date.now(); !(await take(lock, mark)); ) {
		if (Date.now() - begun > patience) {
			throw new SvcError("SVC_UNAVAILABLE", `somebody else changes "${path}"; when nobody does, remove "${lock}"`);
		}
		await freeWhenLeft(lock);
		await delay(pause);
	}
	try {
		return await work();
	} finally {
		await rm(lock, { force: true });
	}
}

async function take(lock: string, mark: string): Promise<boolean> {
	try {
		const file = await open(lock, "wx", 0o600);
		await file.writeFile(mark).finally(() => file.close());
		return true;
	} catch (error) {
		if (hasCode(error, "EEXIST")) return false;
		throw error;
	}
}

/** Removes the lock if its holder has ended without releasing it. */
async function freeWhenLeft(lock: string): Promise<void> {
	try {
		const mark = await readFile(lock, "utf8");
		const age = Date.now() - (await stat(lock)).mtimeMs;
		if (age < oldest && !isOfEndedProcess(mark)) return;
		const aside = `${lock}.${randomUUID()}`;
		await rename(lock, aside);
		// Another process replaced the abandoned lock first, so this lock is valid. Restore it.
		if ((await readFile(aside, "utf8")) !== mark) await link(aside, lock).catch(() => undefined);
		await rm(aside, { force: true });
	} catch (error) {
		if (!hasCode(error, "ENOENT")) throw error;
	}
}

/**
 * Returns true if the lock's process on this machine has ended. Processes of other machines cannot be checked. A lock that is still being
 * written has no process id yet.
 */
function isOfEndedProcess(mark: string): boolean {
	const [host, pid] = mark.split(" ");
	if (host !== hostname() || !/^\d+$/.test(pid ?? "")) return false;
	try {
		process.kill(Number(pid), 0);
		return false;
	} catch (error) {
		return hasCode(error, "ESRCH");
	}
}

function hasCode(error: unknown, code: string): boolean {
	return error instanceof Error && "code" in error && error.code === code;
}
