import { SvcError } from "../contract/index.ts";
import { noteWork } from "./loop-turn.ts";
import { runWithin, TimeUp } from "./time-limit.ts";

export interface WorkLimits {
	/** Milliseconds of searching for patterns and checking by schemas. */
	readonly time: number;
	/** Steps of templates, or values compared with definitions. */
	readonly steps: number;
}

/** For one rendering with all its parameters, one rule looking at one event, one validation. */
export const workLimits: WorkLimits = { time: 25, steps: 200_000 };

/** Times that a search is begun anew when the machine was too busy to get on with it. */
const attempts = 3;

let current: WorkBudget | undefined;
let ofThisTurn: WorkBudget | undefined;

/**
 * What one piece of work on foreign texts may still use, however many patterns, templates and schemas it consists of: bounded
 * each on its own, sixty of them would still hold up everybody else for seconds. Synchronous work finds its budget by itself.
 */
export class WorkBudget {
	readonly #limits: WorkLimits;
	#steps = 0;
	#searched = 0;
	#began: NodeJS.CpuUsage | undefined;

	constructor(limits: WorkLimits = workLimits) {
		this.#limits = limits;
	}

	/** Everything in `work` uses this budget; inside the work of another one, that other. */
	run<T>(work: () => T): T {
		if (current !== undefined) return work();
		const started = performance.now();
		current = this;
		try {
			return work();
		} finally {
			current = undefined;
			noteWork(performance.now() - started);
		}
	}

	/** Account for steps; false when there are no more. */
	takes(steps: number): boolean {
		this.#steps += steps;
		return this.#steps <= this.#limits.steps;
	}

	/** A search that cannot take long by itself. `SVC_INVALID` when the time of all of them is up. */
	quickly<T>(search: () => T): T {
		this.#assertTime();
		return this.#measured(search);
	}

	/** A search that may take for ever: it is given up with `SVC_INVALID` when the time of all of them is up. It changes nothing. */
	bounded<T>(search: () => T): T {
		for (let attempt = 1; ; attempt++) {
			this.#assertTime();
			try {
				// Known from outside: what runs within cannot put it back when it is ended.
				return this.run(() => this.#measured(() => runWithin(this.timeLeft, search)));
			} catch (error) {
				if (!(error instanceof TimeUp)) throw error;
				if (attempt === attempts) throw tooLong(error);
			}
		}
	}

	/** Milliseconds. Time in which the machine was busy with something else does not count. */
	get timeLeft(): number {
		const { time } = this.#limits;
		if (this.#searched < time || this.#began === undefined) return time - this.#searched;
		const { user, system } = process.cpuUsage(this.#began);
		return time - Math.min(this.#searched, (user + system) / 1_000);
	}

	#assertTime(): void {
		if (this.timeLeft <= 0) throw tooLong();
	}

	#measured<T>(search: () => T): T {
		this.#began ??= process.cpuUsage();
		const started = performance.now();
		try {
			return search();
		} finally {
			const passed = performance.now() - started;
			this.#searched += passed;
			// What is part of larger work is counted with that.
			if (current === undefined) noteWork(passed);
		}
	}
}

/** Run synchronous work as one piece, with a budget of its own unless it is part of a larger one. */
export function asOneWork<T>(work: () => T, limits?: WorkLimits): T {
	return current === undefined ? new WorkBudget(limits).run(work) : work();
}

/** The budget of the work that is going on. What is part of none shares one with all others of its kind in this turn of the event loop. */
export function currentWork(): WorkBudget {
	return current ?? turnWork();
}

function turnWork(): WorkBudget {
	if (ofThisTurn === undefined) {
		ofThisTurn = new WorkBudget();
		setImmediate(() => {
			ofThisTurn = undefined;
		});
	}
	return ofThisTurn;
}

function tooLong(cause?: unknown): SvcError {
	return new SvcError("SVC_INVALID", "the search for its pattern takes too long", { cause });
}
