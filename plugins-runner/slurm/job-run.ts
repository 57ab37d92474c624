import type { JsonObject, RunResult } from "../../core/contract/index.ts";
import type { JobDirectory } from "./job-directory.ts";
import type { JobPoller, JobReport } from "./job-poller.ts";
import { toRunResult, toTaskEnd } from "./job-result.ts";
import { isOver, isWaiting, type ListedTask } from "./job-state.ts";
import { type JobRequest, JobSubmission } from "./job-submission.ts";
import { JobTerminator } from "./job-terminator.ts";
import { isLeft, type SlurmContext } from "./parameters.ts";
import { type SlurmCommands, SlurmUnreachable } from "./slurm-commands.ts";
import { TaskOutput } from "./task-output.ts";

interface JobRunOptions {
	readonly context: SlurmContext;
	readonly directory: JobDirectory;
	readonly request: JobRequest;
	readonly commands: SlurmCommands;
	readonly board: JobPoller;
	readonly killGrace: number;
	readonly limit: number;
}

/** Minimum and maximum milliseconds between polls of the files. The interval grows while nothing is written. */
const [quickLook, slowLook] = [100, 500];

const leftRunning: RunResult = { succeeded: false, status: "running", result: {} };
const nothing = { succeeded: false, failed: true, return_code: -1, stdout: "", stderr: "" };
const withoutJob: RunResult = { succeeded: false, result: { ...nothing, error: "the action was ended before its job was submitted" } };

/** One run of an action: submits its job, or recovers it, and follows it to its end. */
export class JobRun {
	readonly #options: JobRunOptions;
	readonly #count: number;
	#report: JobReport | undefined;
	/** States of the tasks in the last report. */
	#tasks: readonly ListedTask[] = [];
	#failure: { readonly error: unknown } | undefined;
	#wake = () => {};
	#hasNews = false;
	readonly #news: JobNews;
	readonly #submission: JobSubmission;

	constructor(options: JobRunOptions) {
		this.#options = options;
		this.#count = options.request.tasks ?? 1;
		this.#news = new JobNews({ context: options.context, tasks: options.request.tasks, onFailure: (error) => this.#fail(error) });
		this.#submission = new JobSubmission({ ...options, tell: (line) => this.#news.tell(line) });
	}

	/** True if a job may have been submitted, so that its files must be kept. */
	get hasJob(): boolean {
		return this.#submission.mayHaveJob;
	}

	/** Submits the job and follows it. */
	async run(): Promise<RunResult> {
		return this.#followSubmitted(await this.#submission.submit(1));
	}

	/** Resumes a run that another process of the service has started. */
	async recover(state: JsonObject): Promise<RunResult> {
		await this.#options.directory.hold();
		const { job_id: jobId, attempt } = state;
		if (typeof jobId === "string") return this.#follow(jobId);
		return this.#followSubmitted(await this.#submission.find(typeof attempt === "number" ? attempt : 1));
	}

	#followSubmitted(jobId: string | undefined): Promise<RunResult> | RunResult {
		if (jobId !== undefined) return this.#follow(jobId);
		return isLeft(this.#options.context) ? leftRunning : withoutJob;
	}

	async #follow(jobId: string): Promise<RunResult> {
		const { context, board } = this.#options;
		const unwatch = board.watch(jobId, (report) => {
			this.#report = report;
			this.#wakeUp();
		});
		const onAbort = () => this.#wakeUp();
		context.signal.addEventListener("abort", onAbort);
		const outputs = (["stdout", "stderr"] as const).map((type) => this.#openOutput(type));
		try {
			const ended = await this.#followTo(jobId, outputs);
			if (!ended) return leftRunning;
			return await this.#toResult(jobId);
		} finally {
			unwatch();
			context.signal.removeEventListener("abort", onAbort);
			await Promise.all(outputs.map((output) => output.close()));
		}
	}

	/** Returns true if the job has ended. Returns false if the job is left running, or if another process follows it now. */
	async #followTo(jobId: string, outputs: readonly TaskOutput[]): Promise<boolean> {
		const { board, commands, context, directory, killGrace } = this.#options;
		const { execution_id: name, logger } = context;
		const ending = new JobTerminator({ commands, directory, jobId, name, count: this.#count, killGrace, logger });
		let [idle, statuses] = [quickLook, 0];
		for (;;) {
			if (isLeft(context)) return false;
			const report = this.#report;
			this.#report = undefined;
			if (report !== undefined) await this.#hear(jobId, report);
			const isEnded = this.#tasks.length > 0 && this.#tasks.every(isOver);
			const before = this.#bytes();
			await Promise.all(outputs.map((output) => output.read((task) => isEnded || this.#isTaskOver(task))));
			if (this.#failure === undefined && isEnded) return !isLeft(context);
			if (this.#failure !== undefined && isEnded) throw this.#failure.error;
			// The service may have started to stop during the reads. Stopping the service must not end the job.
			if (isLeft(context)) return false;
			if (context.signal.aborted || this.#failure !== undefined) {
				if (!(await directory.isHeld())) return this.#giveUp();
				await ending.step(this.#tasks);
				board.look();
			}
			const ended = await directory.countStatuses(statuses, this.#count);
			if (ended > statuses) board.look();
			idle = ended > statuses || this.#bytes() > before ? quickLook : Math.min(idle * 1.3, slowLook);
			statuses = ended;
			await this.#wait(context.signal.aborted ? quickLook : idle);
		}
	}

	/** Stops following the job without ending it, because another process of the service has recovered the run and follows the job. */
	#giveUp(): boolean {
		if (this.#failure !== undefined) throw this.#failure.error;
		return false;
	}

	/**
	 * Updates the states of the tasks. Slurm drops jobs and array tasks some minutes after their end, so the accounting is queried for
	 * missing ones.
	 */
	async #hear(jobId: string, report: JobReport): Promise<void> {
		if ("unreachable" in report) return;
		const { commands, context } = this.#options;
		const { execution_id: name } = context;
		let known = [...report.tasks.filter((task) => task.name === name), ...this.#tasks.filter(isOver)];
		if (!this.#isComplete(known)) {
			const ended = await commands.findEnded(jobId, name).catch((error: unknown) => {
				if (error instanceof SlurmUnreachable) return undefined;
				throw error;
			});
			if (ended === undefined) return;
			known = [...known, ...ended.filter(isOver)];
		}
		this.#tasks = Array.from({ length: this.#count }, (_, index) => findTask(known, index) ?? createLost(jobId, index, this.#count));
		await this.#news.tellState(jobId, this.#tasks);
	}

	#isComplete(tasks: readonly ListedTask[]): boolean {
		return Array.from({ length: this.#count }).every((_, index) => findTask(tasks, index) !== undefined);
	}

	async #toResult(jobId: string): Promise<RunResult> {
		const { context, directory, limit, request } = this.#options;
		const ends = await Promise.all(
			Array.from({ length: this.#count }, (_, index) => {
				const task = findTask(this.#tasks, index);
				return toTaskEnd(task?.state === "LOST" ? undefined : task, index, directory);
			}),
		);
		return toRunResult({ context, jobId, directory, ends, isArray: request.tasks !== undefined, limit });
	}

	#openOutput(type: "stdout" | "stderr"): TaskOutput {
		const { context, directory, request } = this.#options;
		return new TaskOutput({
			paths: Array.from({ length: this.#count }, (_, task) => directory.output(type, request.tasks === undefined ? undefined : task)),
			delivered: context.captured(type).bytes,
			isLeft: () => isLeft(context),
			deliver: (text) => context.emit(type, text),
			onFailure: (error) => this.#fail(error),
		});
	}

	#isTaskOver(index: number): boolean {
		const task = findTask(this.#tasks, index);
		return task !== undefined && isOver(task);
	}

	#bytes(): number {
		const { context } = this.#options;
		return context.captured("stdout").bytes + context.captured("stderr").bytes;
	}

	#fail(error: unknown): void {
		this.#failure ??= { error };
		this.#wakeUp();
	}

	#wakeUp(): void {
		this.#hasNews = true;
		this.#wake();
	}

	async #wait(milliseconds: number): Promise<void> {
		let timer: NodeJS.Timeout | undefined;
		if (!this.#hasNews) {
			await new Promise<void>((resolve) => {
				this.#wake = resolve;
				timer = setTimeout(resolve, milliseconds);
			});
		}
		clearTimeout(timer);
		this.#hasNews = false;
	}
}

/** Returns the task with this index. A job without an array counts as task 0. */
function findTask(tasks: readonly ListedTask[], index: number): ListedTask | undefined {
	return tasks.find((task) => (task.index ?? 0) === index);
}

function createLost(jobId: string, index: number, count: number): ListedTask {
	const nothing = {
		reason: "",
		exitStatus: 0,
		submitted: undefined,
		started: undefined,
		ended: undefined,
		nodes: "",
		name: "",
		comment: "",
	};
	return { ...nothing, jobId, index: count === 1 ? undefined : index, state: "LOST" };
}

interface JobNewsOptions {
	readonly context: SlurmContext;
	/** Number of tasks of the array; undefined for a job without an array. */
	readonly tasks: number | undefined;
	onFailure(error: unknown): void;
}

/**
 * Writes progress lines to the output, for users who wait for the job. Each line is written once, even if another process has resumed the
 * run.
 */
class JobNews {
	readonly #options: JobNewsOptions;
	#told = "";

	constructor(options: JobNewsOptions) {
		this.#options = options;
	}

	async tellState(jobId: string, tasks: readonly ListedTask[]): Promise<void> {
		const waiting = tasks.filter(isWaiting);
		const [first] = waiting;
		if (first === undefined) return this.#tellStart(jobId, tasks);
		const of = this.#options.tasks === undefined ? "" : `: ${waiting.length} of ${tasks.length} tasks`;
		// A job that starts at once has no reason to wait yet, and is not worth two lines.
		if (first.reason !== "") await this.tell(`job ${jobId} waits, ${first.reason}${of}`);
	}

	async tell(line: string): Promise<void> {
		const { context, onFailure } = this.#options;
		if (line === this.#told || context.captured("other").text.includes(`${line}\n`)) return;
		this.#told = line;
		try {
			await context.emit("other", `${line}\n`);
		} catch (error) {
			onFailure(error);
		}
	}

	async #tellStart(jobId: string, tasks: readonly ListedTask[]): Promise<void> {
		const started = tasks.find((task) => task.started !== undefined && task.nodes !== "");
		if (started === undefined) return;
		this.#options.context.setRunnerInfo({ hostname: started.nodes });
		const seconds = Math.max(...tasks.map((task) => (task.started ?? 0) - (task.submitted ?? 0)), 0);
		await this.tell(`job ${jobId} runs on ${started.nodes} after ${seconds} s`);
	}
}
