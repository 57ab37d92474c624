/** State of one task as Slurm reports it. A job without an array has a single task. */
export interface TaskState {
	/** Index of the task; undefined for a job without an array, and for array tasks that Slurm has not split yet. */
	readonly index: number | undefined;
	/** State in Slurm's spelling, such as `PENDING` or `OUT_OF_MEMORY`. */
	readonly state: string;
	/** Reason why the task waits, or why it has ended. */
	readonly reason: string;
	/** Wait status as `wait` returns it: exit code times 256, plus the number of a signal. */
	readonly exitStatus: number;
	/** Unix time in seconds; undefined until the event has happened. */
	readonly submitted: number | undefined;
	readonly started: number | undefined;
	readonly ended: number | undefined;
	readonly nodes: string;
}

/** Row of a listing: the job, and one of its tasks. */
export interface ListedTask extends TaskState {
	readonly jobId: string;
	/**
	 * Name of the job, which is the id of the execution. The job id alone is ambiguous: a controller that has lost its state restarts the
	 * numbers.
	 */
	readonly name: string;
	readonly comment: string;
}

/** Fields of squeue, in the order of parsing. The free text is last, because it may contain the separator. */
export const squeueFormat = [
	"ArrayJobID:20|",
	"ArrayTaskID:20|",
	"State:30|",
	"exit_code:20|",
	"SubmitTime:30|",
	"StartTime:30|",
	"EndTime:30|",
	"NodeList:400|",
	"Name:100|",
	"Comment:300|",
	"Reason:300",
].join(",");

/**
 * Fields of sacct, in the order of parsing. sacct separates exit code and signal by a colon. The reason is omitted: sacct reports why a job
 * had waited, even for a failed job. Most sites store no comments in the accounting. All store the command line, which contains the
 * comment.
 */
export const sacctFormat = "JobID,State,ExitCode,Submit,Start,End,NodeList,JobName,Comment,SubmitLine";

/** States from which a job can continue. All other states are final. */
const unfinished = new Set(
	"PENDING CONFIGURING RUNNING SUSPENDED COMPLETING STOPPED REQUEUED REQUEUE_HOLD REQUEUE_FED RESIZING SIGNALING STAGE_OUT SPECIAL_EXIT RESV_DEL_HOLD".split(
		" ",
	),
);

export function isOver({ state }: Pick<TaskState, "state">): boolean {
	return !unfinished.has(state);
}

/** Returns true if the task has no nodes yet. */
export function isWaiting({ state }: Pick<TaskState, "state">): boolean {
	return state === "PENDING" || state === "REQUEUED" || state === "REQUEUE_HOLD" || state === "SPECIAL_EXIT" || state === "RESV_DEL_HOLD";
}

export function parseSqueue(text: string): readonly ListedTask[] {
	return toRows(text, 11).map(
		([jobId = "", index = "", state = "", exit = "", submitted, started, ended, nodes = "", name = "", comment = "", reason = ""]) => ({
			jobId,
			index: toIndex(index),
			state,
			reason: toReason(reason),
			exitStatus: Number.parseInt(exit, 10) || 0,
			submitted: toTime(submitted),
			started: toTime(started),
			ended: toTime(ended),
			nodes,
			name,
			comment: comment === "(null)" ? "" : comment,
		}),
	);
}

export function parseSacct(text: string): readonly ListedTask[] {
	return toRows(text, 10).map(
		([id = "", state = "", exit = "", submitted, started, ended, nodes = "", name = "", comment = "", line = ""]) => {
			const [jobId = "", index = ""] = id.split("_");
			const [code = 0, signal = 0] = exit.split(":").map(Number);
			// Example: `CANCELLED by 1000`.
			const [word = "", ...by] = state.split(" ");
			return {
				jobId,
				index: toIndex(index),
				state: word,
				reason: by.length === 2 ? `by user ${by[1]}` : "",
				exitStatus: code * 256 + signal,
				submitted: toTime(submitted),
				started: toTime(started),
				ended: toTime(ended),
				nodes,
				name,
				comment: comment || (/ --comment=(\S+)/.exec(line)?.[1] ?? ""),
			};
		},
	);
}

function toRows(text: string, fields: number): readonly string[][] {
	const rows = text.split("\n").filter((line) => line.trim() !== "");
	return rows.map((line) => {
		const parts = line.split("|").map((part) => part.trim());
		return [...parts.slice(0, fields - 1), parts.slice(fields - 1).join("|")];
	});
}

function toIndex(text: string): number | undefined {
	return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function toReason(text: string): string {
	return text === "None" || text === "(null)" ? "" : text;
}

function toTime(text: string | undefined): number | undefined {
	const seconds = Number.parseInt(text ?? "", 10);
	return Number.isInteger(seconds) && seconds > 0 ? seconds : undefined;
}
