import { readdir, readFile } from "node:fs/promises";
import { findLauncher } from "../harness/process-figures.ts";

/** Milliseconds that each thread has run, by its id. */
type ThreadTimes = ReadonlyMap<string, number>;

/** Milliseconds of processor time that processes and their launchers use during `work`; the kernel counts them in nanoseconds. */
export async function measureProcessorTime<T>(
	pids: readonly number[],
	work: () => Promise<T>,
): Promise<{ readonly value: T; readonly processorTime: number }> {
	const before = await readAll(pids);
	const value = await work();
	const after = await readAll(pids);
	// A thread that has ended meanwhile is left out: the threads that do the work of a service live as long as it does.
	const processorTime = [...after].reduce((sum, [thread, used]) => sum + used - (before.get(thread) ?? 0), 0);
	return { value, processorTime };
}

async function readAll(pids: readonly number[]): Promise<ThreadTimes> {
	const launchers = await Promise.all(pids.map(findLauncher));
	const all = [...pids, ...launchers.filter((pid) => pid !== undefined)];
	return new Map((await Promise.all(all.map(readThreads))).flat());
}

async function readThreads(pid: number): Promise<readonly (readonly [string, number])[]> {
	const threads = await readdir(`/proc/${pid}/task`);
	const times = threads.map(async (thread) => {
		const text = await readFile(`/proc/${pid}/task/${thread}/schedstat`, "utf8").catch(() => undefined);
		return text === undefined ? [] : [[thread, Number(text.split(" ")[0]) / 1e6] as const];
	});
	return (await Promise.all(times)).flat();
}
