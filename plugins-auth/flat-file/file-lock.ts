import { randomUUID } from "node:crypto";
import { link, open, readFile, rename, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { SvcError } from "../../core/contract/index.ts";

/** Milliseconds that others may take: they hold it for as long as it takes to write a small file. */
const patience = 10_000;
const pause = 20;
/** Milliseconds after which somebody on another machine counts as gone. */
const oldest = 60_000;

/**
 * Do something to a file while nobody else does, in this process or another one: a file beside it says who. `SVC_UNAVAILABLE` when it does not
 * become free.
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

/** Take away the lock of a process that has ended without doing so. */
async function freeWhenLeft(lock: string): Promise<void> {
	try {
		const mark = await readFile(lock, "utf8");
		const age = Date.now() - (await stat(lock)).mtimeMs;
		if (age < oldest && !isOfEndedProcess(mark)) return;
		const aside = `${lock}.${randomUUID()}`;
		await rename(lock, aside);
		// Somebody was quicker, and this is the lock of a third one: it goes back.
		if ((await readFile(aside, "utf8")) !== mark) await link(aside, lock).catch(() => undefined);
		await rm(aside, { force: true });
	} catch (error) {
		if (!hasCode(error, "ENOENT")) throw error;
	}
}

/** Only of this machine it is known what runs; one that is being written says nothing yet. */
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
