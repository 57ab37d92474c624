import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "../../core/contract/index.ts";
import type { ListedTask } from "./job-state.ts";
import { type SlurmCommands, SlurmUnreachable } from "./slurm-commands.ts";

/** Milliseconds between two looks: after something has changed, when nothing does, when the controller does not answer, and at the least. */
const quick = 1_000;
const slow = 5_000;
const slowest = 15_000;
const least = 250;

/** What was found of a job: its tasks, none where Slurm does not know it, or why nobody could tell. */
export type JobReport = { readonly tasks: readonly ListedTask[] } | { readonly unreachable: string };

type Listener = (report: JobReport) => void;

/** Asks Slurm about all jobs of the runner at once, so that a thousand of them cost the controller no more than one. */
export class JobBoard {
	readonly #commands: SlurmCommands;
	readonly #logger: Logger;
	/** By the job: a run that was taken over is for a moment followed twice. */
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

	/** Hear of a job until the function that is given back is called. */
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

	/** Something has happened: look soon. */
	look(): void {
		this.#isPoked = true;
		this.#interval = quick;
		this.#poke();
	}

	/** Resolves when nothing is being asked any more; all listeners must have gone. */
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
			// Whatever it is that squeue says, a job has not ended for it.
			if (this.#isReached) this.#logger.warn("slurm cannot be asked", { error: message, known: error instanceof SlurmUnreachable });
			this.#isReached = false;
			for (const jobId of jobIds) this.#tell(jobId, { unreachable: message });
		}
	}

	#tell(jobId: string, report: JobReport): void {
		for (const listener of this.#listeners.get(jobId) ?? []) listener(report);
	}

	/** Slower while nothing changes. */
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
		if (this.#listeners.size > 0) await delay(least);
	}
}
