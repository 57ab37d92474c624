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
	"Comment:300|",
	"Reason:300",
].join(",");

/** The same of sacct, which writes exit codes and signals with a colon between. */
export const sacctFormat = "JobID,State,ExitCode,Submit,Start,End,NodeList,Comment,Reason";

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
	return toRows(text, 10).map(
		([jobId = "", index = "", state = "", exit = "", submitted, started, ended, nodes = "", comment = "", reason = ""]) => ({
			jobId,
			index: toIndex(index),
			state,
			reason: toReason(reason),
			exitStatus: Number.parseInt(exit, 10) || 0,
			submitted: toTime(submitted),
			started: toTime(started),
			ended: toTime(ended),
			nodes,
			comment: comment === "(null)" ? "" : comment,
		}),
	);
}

export function parseSacct(text: string): readonly ListedTask[] {
	return toRows(text, 9).map(([id = "", state = "", exit = "", submitted, started, ended, nodes = "", comment = "", reason = ""]) => {
		const [jobId = "", index = ""] = id.split("_");
		const [code = 0, signal = 0] = exit.split(":").map(Number);
		return {
			jobId,
			index: toIndex(index),
			// `CANCELLED by 1000`.
			state: state.split(" ")[0] ?? "",
			reason: toReason(reason),
			exitStatus: code * 256 + signal,
			submitted: toTime(submitted),
			started: toTime(started),
			ended: toTime(ended),
			nodes,
			comment,
		};
	});
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
