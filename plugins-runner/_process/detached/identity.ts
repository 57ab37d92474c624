import { readFileSync } from "node:fs";
import { findOtherGroups } from "../process-group.ts";

/** Identity of a process, which distinguishes it from a later process with the same id. */
export interface ProcessIdentity {
	readonly pid: number;
	/** Clock ticks from the start of the machine to the start of the process. */
	readonly startTime: string;
}

/** Returns the identity in the content of `/proc/<pid>/stat`; undefined if the content is incomplete. */
export function parseIdentity(stat: string): (ProcessIdentity & { readonly state: string }) | undefined {
	const pid = Number.parseInt(stat, 10);
	// The name in parentheses may itself contain spaces and parentheses.
	const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	const [state, startTime] = [fields[0], fields[19]];
	return Number.isInteger(pid) && state !== undefined && startTime !== undefined ? { pid, startTime, state } : undefined;
}

/** Returns the identity of a running or zombie process; undefined if there is none with this id. */
export function readIdentity(pid: number | "self"): (ProcessIdentity & { readonly state: string }) | undefined {
	try {
		return parseIdentity(readFileSync(`/proc/${pid}/stat`, "latin1"));
	} catch {
		return undefined;
	}
}

/** Returns true if this very process is still running; zombies do not count. */
export function isRunning({ pid, startTime }: ProcessIdentity): boolean {
	const current = readIdentity(pid);
	return current !== undefined && current.startTime === startTime && !"ZX".includes(current.state);
}

/**
 * Returns the process groups in the session that the process leads or led, and those of processes that left it and have the variable
 * `mark`. Returns none if the process id now belongs to another process.
 */
export function findGroups({ pid, startTime }: ProcessIdentity, mark: string | undefined): number[] {
	const current = readIdentity(pid);
	if (current !== undefined && current.startTime !== startTime) return [];
	return [pid, ...findOtherGroups(new Set([pid]), new Set(mark === undefined ? [] : [mark]))];
}

/** Returns an id that changes with every start of the machine. */
export function readBootId(): string {
	return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
}
