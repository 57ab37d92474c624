import { setTimeout as delay } from "node:timers/promises";
import type { JobDirectory } from "./job-directory.ts";
import { isLeft, type SlurmContext } from "./parameters.ts";
import { type SlurmCommands, SlurmUnreachable } from "./slurm-commands.ts";

/** Properties of the job of a run. */
export interface JobRequest {
	/** Arguments of sbatch. */
	readonly args: readonly string[];
	/** Number of tasks of the array; undefined for a job without an array. */
	readonly tasks: number | undefined;
	/** Prefix of the comments of all jobs of the run. The number of the attempt follows it. */
	readonly comment: string;
	script(attempt: number): string;
}

interface JobSubmissionOptions {
	readonly context: SlurmContext;
	readonly directory: JobDirectory;
	readonly request: JobRequest;
	readonly commands: SlurmCommands;
	/** Writes a line to the output of the execution, for users who view it. */
	tell(line: string): Promise<void>;
}

/** Milliseconds between retries while the controller is unreachable: normally, and after the run was aborted. */
const [tryAgain, tryAgainSoon] = [2_000, 250];

/** Submits the job of a run, and finds the job if it is in doubt whether a submission succeeded. */
export class JobSubmission {
	readonly #options: JobSubmissionOptions;
	#mayHaveJob = false;

	constructor(options: JobSubmissionOptions) {
		this.#options = options;
	}

	/** False only while it is certain that no job exists. */
	get mayHaveJob(): boolean {
		return this.#mayHaveJob;
	}

	/**
	 * Submits the job and returns its id. Returns undefined if the run is aborted before it has a job. Throws `SVC_RUNNER` if Slurm refuses
	 * the job.
	 */
	async submit(first: number): Promise<string | undefined> {
		const { context } = this.#options;
		for (let attempt = first; !context.signal.aborted; attempt++) {
			// Store the attempt before the submission, so that a recovery searches for its job.
			await context.saveState({ attempt });
			const jobId = await this.#submitOnce(attempt);
			if (jobId === undefined) continue;
			await context.saveState({ attempt, job_id: jobId });
			return jobId;
		}
		return undefined;
	}

	/** Returns the id of the job of the last attempt, if the job id was not stored. If the attempt has no job, submits the next attempt. */
	async find(attempt: number): Promise<string | undefined> {
		const { context } = this.#options;
		const found = await this.#locate(attempt);
		if (found === undefined) return context.signal.aborted ? undefined : this.submit(attempt + 1);
		await context.saveState({ attempt, job_id: found });
		return found;
	}

	/**
	 * Submits one attempt. Returns undefined if it is certain that no job of the attempt runs or will run, or if the service is stopping.
	 */
	async #submitOnce(attempt: number): Promise<string | undefined> {
		const { commands, context, request, tell } = this.#options;
		const { args } = request;
		this.#mayHaveJob = true;
		try {
			const named = { name: context.execution_id, comment: this.#comment(attempt) };
			return await commands.submit({ ...named, script: request.script(attempt), args, signal: context.signal });
		} catch (error) {
			if (!(error instanceof SlurmUnreachable)) {
				this.#mayHaveJob = attempt > 1;
				throw error;
			}
			if (!context.signal.aborted) await tell(`Slurm cannot be reached; the job waits: ${error.message}`);
		}
		return isLeft(context) ? undefined : this.#locate(attempt);
	}

	/**
	 * Finds the job of an attempt that is in doubt. Repeats the query until Slurm responds. If Slurm has no such job, prevents a job that
	 * appears later from starting.
	 */
	async #locate(attempt: number): Promise<string | undefined> {
		const { commands, context, directory, request } = this.#options;
		const count = request.tasks ?? 1;
		for (;;) {
			const claimed = await directory.readClaim(attempt, count);
			if (claimed !== undefined) return claimed;
			if (isLeft(context)) return undefined;
			try {
				const found = await commands.find(context.execution_id, this.#comment(attempt));
				if (found !== undefined) return found;
				if (await directory.forbid(attempt, count)) return undefined;
			} catch (error) {
				if (!(error instanceof SlurmUnreachable)) throw error;
				// While Slurm is unreachable, an aborted run need not wait for a cancellation: a job of this attempt exits as soon as it starts.
				if (context.signal.aborted && (await directory.forbid(attempt, count))) return undefined;
				await delay(tryAgain, undefined, { signal: context.signal }).catch(() => delay(tryAgainSoon));
			}
		}
	}

	#comment(attempt: number): string {
		return `${this.#options.request.comment}/${attempt}`;
	}
}
