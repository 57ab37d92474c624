import { readdir, readFile } from "node:fs/promises";

/** Seconds of processor time: of a process itself, and of those it started that have ended. */
export interface ProcessorTime {
	readonly own: number;
	readonly children: number;
}

/** The kernel counts in hundredths of a second on every Linux in use. */
const ticksPerSecond = 100;

export async function readProcessorTime(pid: number): Promise<ProcessorTime> {
	const text = await readFile(`/proc/${pid}/stat`, "utf8");
	// The name, second, may hold spaces; field 3 follows its closing parenthesis.
	const fields = text
		.slice(text.lastIndexOf(")") + 2)
		.split(" ")
		.map(Number);
	const sum = (first: number, second: number) => ((fields[first - 3] ?? 0) + (fields[second - 3] ?? 0)) / ticksPerSecond;
	return { own: sum(14, 15), children: sum(16, 17) };
}

/** MiB of memory a process has in use. */
export async function readMemory(pid: number): Promise<number> {
	const [, kibibytes = "0"] = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, "utf8")) ?? [];
	return Number(kibibytes) / 1024;
}

/** Pid of the launcher that a server starts processes through. */
export async function findLauncher(server: number): Promise<number | undefined> {
	for (const thread of await readdir(`/proc/${server}/task`)) {
		const children = (await readFile(`/proc/${server}/task/${thread}/children`, "utf8")).trim();
		for (const pid of children.split(" ").filter(Boolean)) {
			if ((await readFile(`/proc/${pid}/cmdline`, "utf8")).includes("launcher")) return Number(pid);
		}
	}
	return undefined;
}

/** The most memory a process had in use while `work` went on, above what it had before, in MiB. */
export async function measureGrowth<T>(pid: number, work: () => Promise<T>): Promise<{ readonly growth: number; readonly value: T }> {
	const before = await readMemory(pid);
	let most = before;
	let sampling = Promise.resolve();
	const sample = async () => {
		most = Math.max(most, await readMemory(pid));
	};
	const timer = setInterval(() => {
		sampling = sample();
	}, 20);
	try {
		const value = await work();
		await sampling;
		return { growth: most - before, value };
	} finally {
		clearInterval(timer);
	}
}
