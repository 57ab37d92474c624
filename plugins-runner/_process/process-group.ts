import { execFile, execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";

/** Variable that identifies the processes of an execution. */
const executionMarkName = "SVC_ACTION_EXECUTION_ID";
/** Variable that identifies processes outside any execution, such as sensors, by a value unique to each run. */
export const runMarkName = "SVC_RUN_MARK";

type GroupSignal = "SIGTERM" | "SIGKILL";

/** Sends a signal to every process of a group. If some belong to another user (run by sudo), the signal is sent through sudo. */
export function signalGroup(group: number, signal: GroupSignal): void {
	if (!trySignal(group, signal)) execFile("sudo", sudoKill(group, signal), () => {});
}

/** Sends a signal to every process of a group and waits for it. Use it only just before this process exits. */
export function signalGroupSync(group: number, signal: GroupSignal): void {
	if (trySignal(group, signal)) return;
	try {
		execFileSync("sudo", sudoKill(group, signal), { stdio: "ignore", timeout: 2_000 });
	} catch {
		// If this user may not use sudo, nothing more can be done.
	}
}

/** Returns true if any process of the groups is alive. Zombies do not count. */
export function hasLiveProcess(groups: readonly number[]): boolean {
	const present = groups.filter((group) => tryKill(group, 0) !== "ESRCH");
	if (present.length === 0) return false;
	const processes = listProcesses();
	if (processes.length === 0) return true;
	return processes.map(readStat).some(([state, , group]) => present.includes(Number(group)) && state !== "Z" && state !== "X");
}

/**
 * Returns the groups in the sessions led by `leaders`, without the leaders' own: a shell with job control gives each job a group. Includes
 * processes that left the session and have one of the variables `marks`. Returns none if there is no /proc.
 */
export function findOtherGroups(leaders: ReadonlySet<number>, marks: ReadonlySet<string> = new Set()): number[] {
	const groups = new Set<number>();
	for (const entry of listProcesses()) {
		const fields = readStat(entry);
		const group = Number(fields[2]);
		if (leaders.has(group)) continue;
		if (leaders.has(Number(fields[3])) || isMarked(entry, marks)) groups.add(group);
	}
	return [...groups];
}

/** Returns the variable that identifies the processes of an execution or of another run; undefined for a process of the service itself. */
export function toMark(environment: Readonly<Record<string, string>>): string | undefined {
	const [id, run] = [environment[executionMarkName], environment[runMarkName]];
	if (id !== undefined) return executionMark(id);
	return run === undefined ? undefined : `${runMarkName}=${run}`;
}

/**
 * Returns the environment without the variable of the execution, and the id of the execution, which is empty if the variable is missing.
 */
export function withoutMark(environment: Readonly<Record<string, string>>) {
	const { [executionMarkName]: executionId = "", ...rest } = environment;
	return { executionId, rest };
}

/** Returns the variable that identifies the processes of an execution, as `name=value`. */
export function executionMark(executionId: string): string {
	return `${executionMarkName}=${executionId}`;
}

function isMarked(pid: string, marks: ReadonlySet<string>): boolean {
	if (marks.size === 0) return false;
	try {
		const variables = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
		return variables.some((variable) => marks.has(variable));
	} catch {
		// The process has ended, or belongs to another user.
		return false;
	}
}

/** Sends the signal. Returns false if some processes of the group could not be signalled. */
function trySignal(group: number, signal: GroupSignal): boolean {
	if (tryKill(group, signal) === "EPERM") return false;
	// sudo itself belongs to this user and can be killed, but not the processes it started. The system then reports success.
	return signal !== "SIGKILL" || process.geteuid?.() === 0 || !hasForeignMember(group);
}

function hasForeignMember(group: number): boolean {
	return listProcesses().some((pid) => Number(readStat(pid)[2]) === group && ownerOf(pid) !== process.geteuid?.());
}

function ownerOf(pid: string): number | undefined {
	try {
		return statSync(`/proc/${pid}`).uid;
	} catch {
		// The process has ended, so it does not count as a process of another user.
		return process.geteuid?.();
	}
}

function tryKill(group: number, signal: GroupSignal | 0): string | undefined {
	try {
		process.kill(-group, signal);
		return undefined;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code;
	}
}

function sudoKill(group: number, signal: GroupSignal): string[] {
	return ["-n", "kill", "-s", signal.slice(3), "--", `-${group}`];
}

function listProcesses(): string[] {
	try {
		return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
	} catch {
		return [];
	}
}

/** Returns state, parent, group and session: the fields after the command name, which may itself contain spaces and parentheses. */
function readStat(pid: string): string[] {
	try {
		const text = readFileSync(`/proc/${pid}/stat`, "latin1");
		return text.slice(text.lastIndexOf(")") + 2).split(" ", 4);
	} catch {
		return [];
	}
}
