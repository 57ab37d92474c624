import type { Logger } from "../../core/contract/index.ts";
import type { JobDirectory } from "./job-directory.ts";
import { isOver, isWaiting, type ListedTask } from "./job-state.ts";
import type { SlurmCommands } from "./slurm-commands.ts";

interface JobEndingOptions {
	readonly commands: SlurmCommands;
	readonly directory: JobDirectory;
	readonly jobId: string;
	/** Name of the job, checked by scancel. Another job may have the same number if the controller has restarted its numbers. */
	readonly name: string;
	readonly count: number;
	/** Milliseconds between TERM and KILL. */
	readonly killGrace: number;
	readonly logger: Logger;
}

/** Minimum milliseconds between two attempts to end the job. */
const pause = 1_000;

/** Ends a job: sends TERM to its programs, sends KILL after the grace period, and repeats this until Slurm reports the end. */
export class JobTerminator {
	readonly #options: JobEndingOptions;
	#begun: number | undefined;
	#next = 0;
	#isTold = false;

	constructor(options: JobEndingOptions) {
		this.#options = options;
	}

	/** Performs the next step. The caller repeats this until the job has ended. If a command fails, the next call retries it. */
	async step(tasks: readonly ListedTask[]): Promise<void> {
		const now = performance.now();
		if (now < this.#next) return;
		try {
			await this.#end(tasks, now);
			this.#begun ??= now;
		} catch (error) {
			this.#options.logger.warn("a job was not canceled", { job_id: this.#options.jobId, error });
		}
		this.#next = performance.now() + pause;
	}

	async #end(tasks: readonly ListedTask[], now: number): Promise<void> {
		const { commands, directory, jobId, name, count, killGrace } = this.#options;
		const cancel = (...args: readonly string[]) => commands.cancel([...args, `--name=${name}`, jobId]);
		const hasProgram = await directory.hasBegun(count);
		// A plain cancel would grant the programs Slurm's KillWait, usually 30 seconds. If no program has started, that does not matter.
		if (!hasProgram || tasks.every((task) => isWaiting(task) || isOver(task))) return cancel();
		if (this.#begun !== undefined && now > this.#begun + killGrace) {
			await cancel("--signal=KILL", "--full");
			return cancel();
		}
		if (this.#isTold) return;
		await cancel("--state=PENDING");
		await cancel("--signal=TERM", "--full");
		this.#isTold = true;
	}
}
