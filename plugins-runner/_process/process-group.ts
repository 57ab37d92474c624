import { execFile, execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";

const markName = "SVC_ACTION_EXECUTION_ID";
/** The same for what runs without an execution, such as sensors: a value of each run's own. */
export const runMarkName = "SVC_RUN_MARK";

type GroupSignal = "SIGTERM" | "SIGKILL";

/** Send a signal to every process of a group. Those of another user (run by sudo) are reached through sudo. */
export function signalGroup(group: number, signal: GroupSignal): void {
	if (!reaches(group, signal)) execFile("sudo", sudoKill(group, signal), () => {});
}

/** The same, waiting for it: for the moment before the process ends. */
export function signalGroupSync(group: number, signal: GroupSignal): void {
	if (reaches(group, signal)) return;
	try {
		execFileSync("sudo", sudoKill(group, signal), { stdio: "ignore", timeout: 2_000 });
	} catch {
		// Without the right to use sudo there is nothing more to do.
	}
}

/** Whether any process of the groups still runs. One that has ended counts no more, even where nobody collects it. */
export function hasLiveProcess(groups: readonly number[]): boolean {
	const present = groups.filter((group) => tryKill(group, 0) !== "ESRCH");
	if (present.length === 0) return false;
	const processes = listProcesses();
	if (processes.length === 0) return true;
	return processes.map(readStat).some(([state, , group]) => present.includes(Number(group)) && state !== "Z" && state !== "X");
}

/**
 * Groups that exist in the sessions led by `leaders`, the leaders' own left out: a shell with job control gives each job a group.
 * So does whoever leaves the session; those are known by a variable of the execution, one of `marks`. Empty where there is no /proc.
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

/** The variable by which all processes of one execution, or of another run, are known; undefined for a process of the service's own. */
export function toMark(environment: Readonly<Record<string, string>>): string | undefined {
	const [id, run] = [environment[markName], environment[runMarkName]];
	if (id !== undefined) return executionMark(id);
	return run === undefined ? undefined : `${runMarkName}=${run}`;
}

/** An environment without that variable, and what it held. */
export function withoutMark(environment: Readonly<Record<string, string>>) {
	const { [markName]: executionId = "", ...rest } = environment;
	return { executionId, rest };
}

export function executionMark(executionId: string): string {
	return `${markName}=${executionId}`;
}

function isMarked(pid: string, marks: ReadonlySet<string>): boolean {
	if (marks.size === 0) return false;
	try {
		const variables = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
		return variables.some((variable) => marks.has(variable));
	} catch {
		// Gone meanwhile, or somebody else's.
		return false;
	}
}

/** Send the signal; false when some of the group could not be signalled. */
function reaches(group: number, signal: GroupSignal): boolean {
	if (tryKill(group, signal) === "EPERM") return false;
	// sudo itself still belongs to the caller and can be killed, but not what it started; the system then reports success.
	return signal !== "SIGKILL" || process.geteuid?.() === 0 || !hasForeignMember(group);
}

function hasForeignMember(group: number): boolean {
	return listProcesses().some((pid) => Number(readStat(pid)[2]) === group && ownerOf(pid) !== process.geteuid?.());
}

function ownerOf(pid: string): number | undefined {
	try {
		return statSync(`/proc/${pid}`).uid;
	} catch {
		// Gone meanwhile, which makes it nobody's concern.
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

/** State, parent, group, session …: what stands behind the command name, which may itself hold spaces and parentheses. */
function readStat(pid: string): string[] {
	try {
		const text = readFileSync(`/proc/${pid}/stat`, "latin1");
		return text.slice(text.lastIndexOf(")") + 2).split(" ", 4);
	} catch {
		return [];
	}
}
