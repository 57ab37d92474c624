import { randomUUID } from "node:crypto";
import { open, readFile, rm, stat, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { SvcError } from "../../core/contract/index.ts";

/** Maximum milliseconds to wait for the lock. A process normally holds it only while it writes a small file. */
const lockTimeoutMs = 10_000;
const pause = 20;
/** Milliseconds after which a lock that its holder has not renewed counts as abandoned, even if the holder runs on another machine. */
const oldest = 60_000;
const renewalInterval = 10_000;

/**
 * Runs `work` while holding the exclusive lock of a file, across all processes. The lock is a file next to it that identifies the holder.
 * Throws `SVC_UNAVAILABLE` if the lock does not become free within 10 s.
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
	const lock = `${path}.lock`;
	const mark = `${hostname()} ${process.pid} ${randomUUID()}`;
	for (const begun = Date.now(); !(await take(lock, mark)); ) {
		if (Date.now() - begun > lockTimeoutMs) {
			throw new SvcError("SVC_UNAVAILABLE", `"${path}" is locked by another process; if no process is using it, remove "${lock}"`);
		}
		await freeWhenLeft(lock);
		await delay(pause);
	}
	const renewal = setInterval(() => void utimes(lock, new Date(), new Date()).catch(() => undefined), renewalInterval);
	try {
		return await work();
	} finally {
		clearInterval(renewal);
		await release(lock, mark);
	}
}

/** Removes the lock, unless it counted as abandoned and another process has taken it. */
async function release(lock: string, mark: string): Promise<void> {
	try {
		if ((await readFile(lock, "utf8")) === mark) await rm(lock, { force: true });
	} catch (error) {
		if (!hasCode(error, "ENOENT")) throw error;
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
		const left = await stat(lock);
		const mark = await readFile(lock, "utf8");
		if (Date.now() - left.mtimeMs < oldest && !isOfEndedProcess(mark)) return;
		// Only the process that creates this file removes the lock. Otherwise a slow process could remove that of the next holder.
		const claim = `${lock}.${left.ino}-${left.mtimeMs}`;
		await (await open(claim, "wx", 0o600)).close();
		try {
			const { ino, mtimeMs } = await stat(lock);
			if (ino === left.ino && mtimeMs === left.mtimeMs) await rm(lock, { force: true });
		} finally {
			await rm(claim, { force: true });
		}
	} catch (error) {
		if (!hasCode(error, "ENOENT") && !hasCode(error, "EEXIST")) throw error;
	}
}

/**
 * Returns true if the lock was taken by a process of this machine that has ended. Returns false for other machines, whose processes cannot
 * be checked, and for a lock that is still being written, which has no process id yet.
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
