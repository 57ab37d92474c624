import { readFile, readlink } from "node:fs/promises";

/** Who has a lock: a process, told from all others of all machines, and of the same number at another time. */
export interface LockHolder {
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
export async function isGone({ place, pid, started }: LockHolder): Promise<boolean> {
	if (place !== (await readPlace())) return false;
	return (await readStart(pid)) !== started;
}

/** What a lock says of its holder; undefined for one that says nothing, or not yet. */
export function parseHolder(text: string): LockHolder | undefined {
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
