import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "../../core/contract/index.ts";
import type { ListedTask } from "./job-state.ts";
import { type SlurmCommands, SlurmUnreachable } from "./slurm-commands.ts";

/** Milliseconds between two polls: after a change, without a change, while the controller does not respond, and the minimum. */
const quick = 1_000;
const slow = 5_000;
const slowest = 15_000;
const minIntervalMs = 250;

/** Result of polling a job: its tasks (none if Slurm has no record of the job), or the reason why Slurm could not be queried. */
export type JobReport = { readonly tasks: readonly ListedTask[] } | { readonly unreachable: string };

type Listener = (report: JobReport) => void;

/** Polls all jobs of the runner with one command, so that a thousand jobs load the controller no more than one. */
export class JobPoller {
	readonly #commands: SlurmCommands;
	readonly #logger: Logger;
	/** Listeners by job id. A recovered run is followed twice for a moment, so that a job can have two listeners. */
	readonly #listeners = new Map<string, Set<Listener>>();
	#loop: Promise<void> | undefined;
	#interval = quick;
	#poke: () => void = () => {};
	#isPoked = false;
	#seen = "";
	#isReached = true;

	constructor(commands: SlurmCommands, logger: Logger) {
		this.#commands = commands;
		this.#logger = logger;
	}

	/** Calls the listener with each report on the job. Returns a function that removes the listener. */
	watch(jobId: string, listener: Listener): () => void {
		const listeners = this.#listeners.get(jobId) ?? new Set();
		this.#listeners.set(jobId, listeners.add(listener));
		this.look();
		this.#loop ??= this.#follow();
		return () => {
			listeners.delete(listener);
			if (listeners.size === 0 && this.#listeners.get(jobId) === listeners) this.#listeners.delete(jobId);
			if (this.#listeners.size === 0) this.#poke();
		};
	}

	/** Triggers an early poll, because a job may have changed. */
	look(): void {
		this.#isPoked = true;
		this.#interval = quick;
		this.#poke();
	}

	/** Removes all listeners. Resolves when the last poll has ended. */
	async stop(): Promise<void> {
		this.#listeners.clear();
		this.#poke();
		await this.#loop;
	}

	async #follow(): Promise<void> {
		while (this.#listeners.size > 0) {
			this.#isPoked = false;
			await this.#ask();
			await this.#wait();
		}
		this.#loop = undefined;
	}

	async #ask(): Promise<void> {
		const jobIds = [...this.#listeners.keys()];
		try {
			const tasks = await this.#commands.list(jobIds);
			this.#pace(tasks);
			for (const jobId of jobIds) this.#tell(jobId, { tasks: tasks.filter((task) => task.jobId === jobId) });
		} catch (error) {
			const message = error instanceof Error ? error.message : String(error);
			this.#interval = Math.min(this.#interval * 2, slowest);
			// An error of squeue never means that a job has ended.
			if (this.#isReached) this.#logger.warn("slurm is not available", { error: message, known: error instanceof SlurmUnreachable });
			this.#isReached = false;
			for (const jobId of jobIds) this.#tell(jobId, { unreachable: message });
		}
	}

	#tell(jobId: string, report: JobReport): void {
		for (const listener of this.#listeners.get(jobId) ?? []) listener(report);
	}

	/** Increases the poll interval while nothing changes. */
	#pace(tasks: readonly ListedTask[]): void {
		const seen = tasks.map(({ jobId, index, state, reason }) => `${jobId}.${index}.${state}.${reason}`).join();
		if (!this.#isReached) this.#logger.info("slurm answers again");
		this.#interval = seen === this.#seen && this.#isReached ? Math.min(this.#interval * 1.25, slow) : quick;
		this.#isReached = true;
		this.#seen = seen;
	}

	async #wait(): Promise<void> {
		const stopped = new AbortController();
		this.#poke = () => stopped.abort();
		if (!this.#isPoked && this.#listeners.size > 0) await delay(this.#interval, undefined, { signal: stopped.signal }).catch(() => {});
		this.#poke = () => {};
		if (this.#listeners.size > 0) await delay(minIntervalMs);
	}
}
