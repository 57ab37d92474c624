import { readdir, readFile } from "node:fs/promises";

/** Processor time that a service and its client have used, in the unit its reader says. */
export interface ProcessorTime {
	readonly server: number;
	readonly launcher: number;
	/** What the launcher started. */
	readonly processes: number;
	/** This process, which shares the machine with the others. */
	readonly client: number;
}

/** The kernel counts in hundredths of a second on every Linux in use. */
const ticksPerSecond = 100;

/** Seconds of processor time: of a process itself, and of those it started that have ended. */
async function readProcessorTime(pid: number): Promise<{ readonly own: number; readonly children: number }> {
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

/** MiB of memory that a process and all that it started have in use. */
export async function readTreeMemory(pid: number): Promise<number> {
	const children = await Promise.all((await findChildren(pid)).map(readTreeMemory));
	return children.reduce((sum, memory) => sum + memory, await readMemory(pid));
}

/** What some work gave, the seconds that it took, and the seconds of processor time used for it. */
export interface Measured<T> {
	readonly value: T;
	readonly seconds: number;
	readonly time: ProcessorTime;
}

/** Have `work` done and measured. */
export async function measureService<T>(server: number, work: () => Promise<T>): Promise<Measured<T>> {
	const before = await readTimes(server);
	const started = performance.now();
	const value = await work();
	const seconds = (performance.now() - started) / 1000;
	const after = await readTimes(server);
	const time = {
		server: after.server - before.server,
		launcher: after.launcher - before.launcher,
		processes: after.processes - before.processes,
		client: after.client - before.client,
	};
	return { value, seconds, time };
}

async function readTimes(server: number): Promise<ProcessorTime> {
	const launcher = await findLauncher(server);
	const [{ own }, launched] = await Promise.all([
		readProcessorTime(server),
		launcher === undefined ? { own: 0, children: 0 } : readProcessorTime(launcher),
	]);
	const { user, system } = process.cpuUsage();
	return { server: own, launcher: launched.own, processes: launched.children, client: (user + system) / 1e6 };
}

/** Pid of the launcher that a server starts processes through. */
export async function findLauncher(server: number): Promise<number | undefined> {
	for (const pid of await findChildren(server)) {
		if ((await readFile(`/proc/${pid}/cmdline`, "utf8")).includes("launcher")) return pid;
	}
	return undefined;
}

/** Pids of the processes that threads of a process have started. */
async function findChildren(pid: number): Promise<readonly number[]> {
	const threads = await readdir(`/proc/${pid}/task`);
	// A thread may end meanwhile.
	const texts = await Promise.all(threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, "utf8").catch(() => "")));
	return texts.flatMap((text) => text.split(" ").filter(Boolean)).map(Number);
}

/** Memory of a process in MiB: before `work`, and the most while it went on. */
export async function measureMemory<T>(
	pid: number,
	work: () => Promise<T>,
): Promise<{ readonly value: T; readonly before: number; readonly most: number }> {
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
		return { value, before, most };
	} finally {
		clearInterval(timer);
	}
}

/** `server 1.1, launcher 0.4, …`, without what was not used at all. */
export function describeTime(time: ProcessorTime): string {
	return Object.entries(time)
		.filter(([, used]) => used >= 0.005)
		.map(([name, used]) => `${name} ${used.toFixed(2)}`)
		.join(", ");
}
