import { open, readFile, readlink, rm, stat, utimes } from "node:fs/promises";
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

/** Who has a lock: a process, told from all others of all machines, and of the same number at another time. */
interface LockHolder {
	/** The start of the machine, and what its processes are numbered in. */
	readonly place: string;
	readonly pid: number;
	/** When it was started, in ticks since the start of the machine. */
	readonly started: string;
}

/** This process; undefined where the system does not tell. */
export async function thisHolder(): Promise<LockHolder | undefined> {
	const place = await readPlace();
	const started = await readStart(process.pid);
	return place === undefined || started === undefined ? undefined : { place, pid: process.pid, started };
}

/** Whether a process is surely gone. Of one on another machine, or in another container, nothing is known. */
async function isGone({ place, pid, started }: LockHolder): Promise<boolean> {
	if (place !== (await readPlace())) return false;
	return (await readStart(pid)) !== started;
}

/** What a lock says of its holder; undefined for one that says nothing, or not yet. */
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

/** The 22nd word of what the system tells of a process; its name, which may hold anything, stands in brackets before the third. */
async function readStart(pid: number): Promise<string | undefined> {
	const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
	return text.slice(text.lastIndexOf(")") + 2).split(" ")[19];
}
