import { setTimeout as delay } from "node:timers/promises";
import type { ExternalJobEngine } from "../external-job-suite.ts";

/** What a job does: print so many lines, then go on for ever or end with a code. */
export interface JobWork {
	readonly text: string;
	readonly lines: number;
	readonly blocks: boolean;
	readonly code: number;
}

export interface JobView {
	readonly phase: "waiting" | "running" | "ended";
	readonly output: string;
	readonly code: number | undefined;
}

export class Unreachable extends Error {
	override readonly name = "Unreachable";
}

/** Milliseconds after each line. */
const pace = 4;

/** An engine in memory: the least that a lasting runner needs. Jobs are told apart by the names that whoever submits them has chosen. */
export class JobEngine implements ExternalJobEngine {
	readonly #jobs = new Map<string, Job>();
	#accepted = 0;
	#isCut = false;
	#isHeld = false;
	#losesNext = false;

	/** Requests of runners. @returns false where there is a job of that name */
	async submit(name: string, work: JobWork): Promise<boolean> {
		await this.#reach();
		if (this.#jobs.has(name)) return false;
		const job = new Job(work);
		this.#jobs.set(name, job);
		this.#accepted++;
		if (!this.#isHeld) job.begin();
		if (this.#losesNext) {
			this.#losesNext = false;
			throw new Unreachable("connection lost");
		}
		await this.#reach();
		return true;
	}

	async look(name: string): Promise<JobView | undefined> {
		await this.#reach();
		return this.#jobs.get(name)?.view();
	}

	async remove(name: string): Promise<void> {
		await this.#reach();
		await this.takeAway(name);
	}

	async jobs(): Promise<string[]> {
		return [...this.#jobs.keys()];
	}

	async accepted(): Promise<number> {
		return this.#accepted;
	}

	async takeAway(name: string): Promise<void> {
		this.#jobs.get(name)?.end(137);
		this.#jobs.delete(name);
	}

	async cutOff(): Promise<void> {
		this.#isCut = true;
	}

	async restore(): Promise<void> {
		this.#isCut = false;
		this.#losesNext = false;
	}

	async loseNextAnswer(): Promise<void> {
		this.#losesNext = true;
	}

	async hold(): Promise<void> {
		this.#isHeld = true;
	}

	async release(): Promise<void> {
		this.#isHeld = false;
		for (const job of this.#jobs.values()) job.begin();
	}

	async #reach(): Promise<void> {
		await delay(1);
		if (this.#isCut) throw new Unreachable("no answer");
	}
}

class Job {
	readonly #work: JobWork;
	#output = "";
	#code: number | undefined;
	#phase: JobView["phase"] = "waiting";

	constructor(work: JobWork) {
		this.#work = work;
	}

	begin(): void {
		if (this.#phase !== "waiting") return;
		this.#phase = "running";
		void this.#run();
	}

	end(code: number): void {
		this.#phase = "ended";
		this.#code ??= code;
	}

	view(): JobView {
		return { phase: this.#phase, output: this.#output, code: this.#code };
	}

	async #run(): Promise<void> {
		const { text, lines, blocks, code } = this.#work;
		this.#output += text;
		for (let line = 1; line <= lines && this.#phase === "running"; line++) {
			this.#output += `line ${line}\n`;
			await delay(pace);
		}
		if (!blocks && this.#phase === "running") this.end(code);
	}
}
