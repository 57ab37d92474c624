import { randomUUID } from "node:crypto";
import { open, rename, rm, stat, utimes } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

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
		await (await open(file, "wx", 0o600)).close();
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

/** One process of several moves it away; it is there again only when somebody has taken it since. */
async function removeLeft(file: string): Promise<void> {
	const age = await stat(file).then(
		({ mtimeMs }) => Date.now() - mtimeMs,
		() => 0,
	);
	if (age < leftAfter) return;
	const moved = `${file}.${randomUUID()}`;
	await rename(file, moved).catch(() => {});
	await rm(moved, { force: true });
}
