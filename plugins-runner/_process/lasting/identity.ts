import { readFileSync } from "node:fs";
import { findOtherGroups } from "../process-group.ts";

/** A process that cannot be mistaken for another which got its number later. */
export interface ProcessIdentity {
	readonly pid: number;
	/** Clock ticks between the machine's start and the process's. */
	readonly startTime: string;
}

/** Identity in the text of `/proc/<pid>/stat`; undefined while it is not complete. */
export function parseIdentity(stat: string): (ProcessIdentity & { readonly state: string }) | undefined {
	const pid = Number.parseInt(stat, 10);
	// The name in parentheses may itself hold spaces and parentheses.
	const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	const [state, startTime] = [fields[0], fields[19]];
	return Number.isInteger(pid) && state !== undefined && startTime !== undefined ? { pid, startTime, state } : undefined;
}

export function readIdentity(pid: number | "self"): (ProcessIdentity & { readonly state: string }) | undefined {
	try {
		return parseIdentity(readFileSync(`/proc/${pid}/stat`, "latin1"));
	} catch {
		return undefined;
	}
}

/** Whether the very process still runs. */
export function isRunning({ pid, startTime }: ProcessIdentity): boolean {
	const found = readIdentity(pid);
	return found !== undefined && found.startTime === startTime && !"ZX".includes(found.state);
}

/**
 * Process groups in the session that the process leads or led, and of processes that left it and have the variable `mark`. None
 * when its number belongs to another process by now.
 */
export function findGroups({ pid, startTime }: ProcessIdentity, mark: string | undefined): number[] {
	const found = readIdentity(pid);
	if (found !== undefined && found.startTime !== startTime) return [];
	return [pid, ...findOtherGroups(new Set([pid]), new Set(mark === undefined ? [] : [mark]))];
}

/** Differs from one start of the machine to the next. */
export function readBootId(): string {
	return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
}
