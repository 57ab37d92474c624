import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** Processes of the machine whose environment holds `text`. Those that have ended and only wait to be collected are left out. */
export function findByEnvironment(text: string): number[] {
	return listProcesses().filter((pid) => read(pid, "environ").includes(text) && !isOver(pid));
}

/** Number and command line of a process. */
export function describeProcess(pid: number): string {
	return `${pid} (${read(pid, "cmdline").replaceAll("\0", " ").trim()})`;
}

/** Bytes of physical memory that a process has taken at most. */
export function readPeak(pid: number): number {
	return Number(/^VmHWM:\s+(\d+) kB/m.exec(read(pid, "status"))?.[1] ?? Number.NaN) * 1_024;
}

/** Let the highest memory of a process count from now on. */
export function resetPeak(pid: number): void {
	writeFileSync(`/proc/${pid}/clear_refs`, "5");
}

function listProcesses(): number[] {
	return readdirSync("/proc").map(Number).filter(Number.isInteger);
}

/** Whether a process has ended, collected or not. */
function isOver(pid: number): boolean {
	const stat = read(pid, "stat");
	return stat === "" || /^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
}

/** Empty for a process that has gone meanwhile, or belongs to somebody else. */
function read(pid: number, file: string): string {
	try {
		return readFileSync(`/proc/${pid}/${file}`, "latin1");
	} catch {
		return "";
	}
}
