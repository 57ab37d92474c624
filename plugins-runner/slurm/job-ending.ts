import type { Logger } from "../../core/contract/index.ts";
import { isOver, isWaiting, type ListedTask } from "./job-state.ts";
import type { RunDirectory } from "./run-directory.ts";
import type { SlurmCommands } from "./slurm-commands.ts";

interface JobEndingOptions {
	readonly commands: SlurmCommands;
	readonly directory: RunDirectory;
	readonly jobId: string;
	/** Of the job: one that has got its number meanwhile is somebody else's. */
	readonly name: string;
	readonly count: number;
	/** Milliseconds between TERM and KILL. */
	readonly killGrace: number;
	readonly logger: Logger;
}

/** Milliseconds between two commands. */
const pause = 1_000;

/** Ends a job: TERM to its programs, KILL after the grace, and again until Slurm says that it is over. */
export class JobEnding {
	readonly #options: JobEndingOptions;
	#begun: number | undefined;
	#next = 0;
	#isTold = false;

	constructor(options: JobEndingOptions) {
		this.#options = options;
	}

	/** Do what is next. To be called until the job has ended; a controller that cannot be reached is asked again. */
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
		// Slurm itself would give the programs KillWait, which is half a minute as a rule; without programs it needs no time.
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
