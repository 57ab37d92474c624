import { isWaiting, type ListedTask } from "./job-state.ts";
import type { SlurmContext } from "./parameters.ts";

interface JobNewsOptions {
	readonly context: SlurmContext;
	/** Tasks of the array; undefined for a job without. */
	readonly tasks: number | undefined;
	onFailure(error: unknown): void;
}

/** What somebody who looks at the execution wants to know while there is no output: each word once, also after somebody else went on with the run. */
export class JobNews {
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
		// A job that starts at once is not worth two lines.
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
