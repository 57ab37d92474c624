/** What Slurm says of one task of a job; a job without an array is one task. */
export interface TaskState {
	/** Undefined for a job without an array, and for tasks of one that have not been told apart yet. */
	readonly index: number | undefined;
	/** Slurm's word, such as `PENDING` or `OUT_OF_MEMORY`. */
	readonly state: string;
	/** Why it waits, or why it has ended. */
	readonly reason: string;
	/** As `wait` gives it: exit code times 256, and the number of a signal. */
	readonly exitStatus: number;
	/** Seconds since 1970; undefined while it has not come to that. */
	readonly submitted: number | undefined;
	readonly started: number | undefined;
	readonly ended: number | undefined;
	readonly nodes: string;
}

/** A line of a listing: the job, and one of its tasks. */
export interface ListedTask extends TaskState {
	readonly jobId: string;
	/** Of the job: the id of the execution. Numbers of jobs begin anew where a controller has lost what it knew. */
	readonly name: string;
	readonly comment: string;
}

/** Fields of squeue, in the order in which they are read. What is free text stands last. */
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
 * The same of sacct, which writes exit codes and signals with a colon between. Its reason is left out: it tells why a job had waited, also of one
 * that has failed. Most sites keep no comments in the accounting, but all have the command line, with the comment in it.
 */
export const sacctFormat = "JobID,State,ExitCode,Submit,Start,End,NodeList,JobName,Comment,SubmitLine";

/** States that may yet become others. All others are ends. */
const unfinished = new Set(
	"PENDING CONFIGURING RUNNING SUSPENDED COMPLETING STOPPED REQUEUED REQUEUE_HOLD REQUEUE_FED RESIZING SIGNALING STAGE_OUT SPECIAL_EXIT RESV_DEL_HOLD".split(
		" ",
	),
);

export function isOver({ state }: Pick<TaskState, "state">): boolean {
	return !unfinished.has(state);
}

/** Whether it has not been given nodes. */
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
			// `CANCELLED by 1000`.
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
