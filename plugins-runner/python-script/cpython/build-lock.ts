import { open, readFile, readlink, rm, stat, utimes } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

/**
 * Milliseconds between two heartbeats of a lock's holder, milliseconds after which a lock counts as orphaned, and milliseconds between
 * attempts.
 */
const signInterval = 5_000;
const leftAfter = 60_000;
const lookInterval = 200;

export interface BuildLock {
	release(): Promise<void>;
}

/**
 * Acquires a lock file that excludes all processes that share the directory. Returns undefined when `isOver` resolves to true, because the
 * lock is then no longer needed. Rejects when the signal aborts.
 */
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

/** Acquires the lock; returns undefined if another process holds it. */
export async function tryLock(file: string): Promise<BuildLock | undefined> {
	try {
		const handle = await open(file, "wx", 0o600);
		// If the holder cannot be identified, other processes wait for the lock to expire after its death. Nothing else depends on the
		// content.
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

/**
 * Removes an orphaned lock. One process at a time checks and removes it. Otherwise a process could remove a lock that another process has
 * just acquired.
 */
async function removeLeft(file: string): Promise<void> {
	if (!(await isLeft(file))) return;
	const mark = `${file}.left`;
	const marked = await open(mark, "wx", 0o600).catch(() => undefined);
	if (marked === undefined) {
		// The process that created the mark died before it could remove it.
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

/** Returns true if the holder has ended or has sent no heartbeat for 60 s. */
async function isLeft(file: string): Promise<boolean> {
	if ((await ageOf(file)) >= leftAfter) return true;
	const holder = parseHolder(await readFile(file, "utf8").catch(() => ""));
	return holder !== undefined && (await isGone(holder));
}

/** Returns the age of a file in milliseconds; 0 if the file does not exist. */
async function ageOf(file: string): Promise<number> {
	return stat(file).then(
		({ mtimeMs }) => Date.now() - mtimeMs,
		() => 0,
	);
}

/** Identity of the process that holds a lock: unique among all machines, and even if a process id is reused. */
interface LockHolder {
	/** Boot id of the machine and PID namespace of the process. */
	readonly place: string;
	readonly pid: number;
	/** Start time of the process, in clock ticks since the machine booted. */
	readonly started: string;
}

/** Returns the identity of this process; undefined if the system does not provide it. */
export async function thisHolder(): Promise<LockHolder | undefined> {
	const place = await readPlace();
	const started = await readStart(process.pid);
	return place === undefined || started === undefined ? undefined : { place, pid: process.pid, started };
}

/**
 * True if the process has certainly ended. False if it may run on another machine or in another container, because its state is unknown.
 */
async function isGone({ place, pid, started }: LockHolder): Promise<boolean> {
	if (place !== (await readPlace())) return false;
	return (await readStart(pid)) !== started;
}

/** Parses the holder of a lock; returns undefined if the file does not contain one (yet). */
function parseHolder(text: string): LockHolder | undefined {
	try {
		const { place, pid, started } = JSON.parse(text) as Partial<Record<keyof LockHolder, unknown>>;
		return typeof place === "string" && Number.isInteger(pid) && typeof started === "string"
			? { place, pid: pid as number, started }
			: undefined;
	} catch {
		return undefined;
	}
}

async function readPlace(): Promise<string | undefined> {
	try {
		const boot = (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
		return `${boot} ${await readlink("/proc/self/ns/pid")}`;
	} catch {
		return undefined;
	}
}

/**
 * Returns the start time, field 22 of `/proc/PID/stat`. Field 2, the name in parentheses, may contain any characters, so fields are counted
 * after the last parenthesis.
 */
async function readStart(pid: number): Promise<string | undefined> {
	const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
	return text.slice(text.lastIndexOf(")") + 2).split(" ")[19];
}
