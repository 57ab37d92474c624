import { open, readFile, rm, stat, utimes } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { isGone, parseHolder, thisHolder } from "./lock-holder.ts";

/** Milliseconds between two signs of life of whoever has a lock, and after which it counts as left behind. */
const signInterval = 5_000;
const leftAfter = 60_000;
const lookInterval = 200;

export interface BuildLock {
	release(): Promise<void>;
}

/** Have a file for oneself, among all processes that see it; undefined once `isOver` says that nobody needs it any more. Rejects when the signal aborts. */
export async function takeLock(file: string, signal: AbortSignal, isOver: () => Promise<boolean>): Promise<BuildLock | undefined> {
	for (;;) {
		signal.throwIfAborted();
		if (await isOver()) return undefined;
		const lock = await tryLock(file);
		if (lock !== undefined) return lock;
		await removeLeft(file);
		await delay(lookInterval, undefined, { signal });
	}
}

/** The lock, unless somebody has it. */
export async function tryLock(file: string): Promise<BuildLock | undefined> {
	try {
		const handle = await open(file, "wx", 0o600);
		// Whoever cannot say who he is is waited for when he is gone; nothing else depends on it.
		await handle.writeFile(JSON.stringify((await thisHolder()) ?? null)).catch(() => {});
		await handle.close();
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "EEXIST") return undefined;
		throw error;
	}
	const sign = setInterval(() => void utimes(file, new Date(), new Date()).catch(() => {}), signInterval);
	sign.unref();
	return {
		async release() {
			clearInterval(sign);
			await rm(file, { force: true });
		},
	};
}

/** One process at a time looks at it and takes it away: otherwise one could take away what another has just got. */
async function removeLeft(file: string): Promise<void> {
	if (!(await isLeft(file))) return;
	const mark = `${file}.left`;
	const marked = await open(mark, "wx", 0o600).catch(() => undefined);
	if (marked === undefined) {
		// Whoever made it has died within a moment.
		if ((await ageOf(mark)) >= leftAfter) await rm(mark, { force: true });
		return;
	}
	try {
		await marked.close();
		if (await isLeft(file)) await rm(file, { force: true });
	} finally {
		await rm(mark, { force: true });
	}
}

/** Whether its holder is dead, or has given no sign for long. */
async function isLeft(file: string): Promise<boolean> {
	if ((await ageOf(file)) >= leftAfter) return true;
	const holder = parseHolder(await readFile(file, "utf8").catch(() => ""));
	return holder !== undefined && (await isGone(holder));
}

/** Milliseconds; none for a file that is not there. */
async function ageOf(file: string): Promise<number> {
	return stat(file).then(
		({ mtimeMs }) => Date.now() - mtimeMs,
		() => 0,
	);
}
