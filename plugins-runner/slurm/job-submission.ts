import { setTimeout as delay } from "node:timers/promises";
import { isLeft, type SlurmContext } from "./parameters.ts";
import type { RunDirectory } from "./run-directory.ts";
import { type SlurmCommands, SlurmUnreachable } from "./slurm-commands.ts";

/** What the job of a run is. */
export interface JobRequest {
	/** Arguments of sbatch. */
	readonly args: readonly string[];
	/** Tasks of the array; undefined for a job without. */
	readonly tasks: number | undefined;
	/** What the jobs of the run have as comment, before the number of the attempt. */
	readonly comment: string;
	script(attempt: number): string;
}

interface JobSubmissionOptions {
	readonly context: SlurmContext;
	readonly directory: RunDirectory;
	readonly request: JobRequest;
	readonly commands: SlurmCommands;
	/** Tell whoever looks at the execution. */
	tell(line: string): Promise<void>;
}

/** Milliseconds before a controller is tried again, and once the run is to end. */
const [tryAgain, tryAgainSoon] = [2_000, 250];

/** Submits the job of a run, and finds it where nobody knows whether it was submitted. */
export class JobSubmission {
	readonly #options: JobSubmissionOptions;
	#mayHaveJob = false;

	constructor(options: JobSubmissionOptions) {
		this.#options = options;
	}

	/** False only while it is certain that there is no job. */
	get mayHaveJob(): boolean {
		return this.#mayHaveJob;
	}

	/** The id of the job; undefined where the run is to end or to be left before it has one. Throws what Slurm refuses. */
	async submit(first: number): Promise<string | undefined> {
		const { context } = this.#options;
		for (let attempt = first; !context.signal.aborted; attempt++) {
			// Before the job is submitted, so that whoever comes later looks for it.
			await context.saveState({ attempt });
			const jobId = await this.#submitOnce(attempt);
			if (jobId === undefined) continue;
			await context.saveState({ attempt, job_id: jobId });
			return jobId;
		}
		return undefined;
	}

	/** As `submit`, for a run of which only the number of the last attempt is known. */
	async find(attempt: number): Promise<string | undefined> {
		const { context } = this.#options;
		const found = await this.#locate(attempt);
		if (found === undefined) return context.signal.aborted ? undefined : this.submit(attempt + 1);
		await context.saveState({ attempt, job_id: found });
		return found;
	}

	/** Undefined where it is certain that the attempt has no job that does anything, and will have none. */
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
			if (!context.signal.aborted) await tell(`Slurm cannot be reached, the job waits here: ${error.message}`);
		}
		return isLeft(context) ? undefined : this.#locate(attempt);
	}

	/**
	 * The job of an attempt of which nobody knows whether it was submitted. Slurm itself is asked, however long that takes; where it has none, a
	 * job that turns up later is kept from beginning.
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
				// What never begins needs no cancel: its job, if there is one, ends as soon as it starts.
				if (context.signal.aborted && (await directory.forbid(attempt, count))) return undefined;
				await delay(tryAgain, undefined, { signal: context.signal }).catch(() => delay(tryAgainSoon));
			}
		}
	}

	#comment(attempt: number): string {
		return `${this.#options.request.comment}/${attempt}`;
	}
}
