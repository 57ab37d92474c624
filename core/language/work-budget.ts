import { type Context, createContext, Script } from "node:vm";
import { SvcError } from "../contract/index.ts";
import { noteWork } from "./event-loop-budget.ts";

export interface WorkLimits {
	/** Milliseconds of searching for patterns. */
	readonly searching: number;
	/** Milliseconds of checking by schemas, and of reading and writing YAML. */
	readonly checking: number;
	/** Steps of templates, or values compared with definitions. */
	readonly steps: number;
}

/** Most tokens of all templates and expressions that one piece of work reads for the first time, each template counting as four more. Reading a token takes up to 5 µs. */
export const maxTokensTogether = 12_000;

/** For one rendering with all its parameters, one rule looking at one event, one validation. */
export const workLimits: WorkLimits = { searching: 25, checking: 60, steps: 100_000 };

let current: WorkBudget | undefined;
let ofThisTurn: WorkBudget | undefined;

/**
 * What one piece of work on foreign texts may still use, however many patterns, templates and schemas it consists of: bounded
 * each on its own, sixty of them would still hold up everybody else for seconds. Synchronous work finds its budget by itself.
 */
export class WorkBudget {
	readonly #searching: TimeAllowance;
	readonly #checking: TimeAllowance;
	readonly #mostSteps: number;
	#steps = 0;
	#tokens = 0;

	constructor({ searching, checking, steps }: WorkLimits = workLimits) {
		this.#searching = new TimeAllowance(searching, "the search for its pattern takes too long");
		this.#checking = new TimeAllowance(checking, "it takes too long");
		this.#mostSteps = steps;
	}

	/** Milliseconds of searching that have been used. */
	get searched(): number {
		return this.#searching.used;
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
		return this.#steps <= this.#mostSteps;
	}

	/** Accounts for tokens of a template that is read; returns false if they are too many. */
	reads(tokens: number): boolean {
		this.#tokens += tokens;
		return this.#tokens <= maxTokensTogether;
	}

	/** A search that cannot take long by itself. `SVC_INVALID` when the time of all of them is up. */
	quickly<T>(search: () => T): T {
		return this.run(() => this.#searching.spend(search));
	}

	/** A search that may take for ever: given up with `SVC_INVALID` when the time of all of them is up. It changes nothing. */
	bounded<T>(search: () => T): T {
		// Known from outside: what runs within cannot put it back when it is ended.
		return this.run(() => this.#searching.spendWithin(search));
	}

	/** A check, or the like, that may take for ever, as `bounded`. Searches that are part of it count as such, too. */
	checked<T>(check: () => T): T {
		return this.run(() => this.#checking.spendWithin(check));
	}
}

/** How much longer each attempt may take, all in all: a new one begins only where the machine was busy with something else. */
const patience: readonly number[] = [1, 4, 10];

/** Time that runs while something is done. What the machine did for others meanwhile does not count. */
class TimeAllowance {
	readonly #limit: number;
	readonly #message: string;
	#began: NodeJS.CpuUsage | undefined;
	/** Milliseconds. */
	used = 0;

	constructor(limit: number, message: string) {
		this.#limit = limit;
		this.#message = message;
	}

	spend<T>(work: () => T): T {
		if (this.#left <= 0) throw this.#refusal();
		return this.#measured(work);
	}

	spendWithin<T>(work: () => T): T {
		let reason: TimeUp | undefined;
		for (const factor of patience) {
			const left = this.#left;
			if (left <= 0) break;
			try {
				return this.#measured(() => runWithin(left * factor, work));
			} catch (error) {
				if (!(error instanceof TimeUp)) throw error;
				reason = error;
			}
		}
		throw this.#refusal(reason);
	}

	get #left(): number {
		if (this.used < this.#limit || this.#began === undefined) return this.#limit - this.used;
		const { user, system } = process.cpuUsage(this.#began);
		return this.#limit - Math.min(this.used, (user + system) / 1_000);
	}

	#measured<T>(work: () => T): T {
		this.#began ??= process.cpuUsage();
		const started = performance.now();
		try {
			return work();
		} finally {
			this.used += performance.now() - started;
		}
	}

	#refusal(cause?: unknown): SvcError {
		return new SvcError("SVC_INVALID", this.#message, { cause });
	}
}

/** Run synchronous work as one piece, with a budget of its own unless it is part of a larger one. */
export function asOneWork<T>(work: () => T, limits?: WorkLimits): T {
	return current === undefined ? new WorkBudget(limits).run(work) : work();
}

/** Accounts for tokens of a template if the work that reads it has a budget; returns false if they are too many. */
export function noteTokens(tokens: number): boolean {
	return current === undefined || current.reads(tokens);
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

/** The time for a piece of work is up; nothing of it went on. */
class TimeUp extends Error {
	override readonly name = "TimeUp";
}

const script = new Script("run()");
let context: Context | undefined;

/**
 * Run synchronous work that is ended when its time is up: wherever it is then, `finally` included, nothing more of it runs. So it
 * must change nothing that outlives it. Costs about a tenth of a millisecond.
 */
function runWithin<T>(milliseconds: number, run: () => T): T {
	// The context is there for its time limit; nothing from outside is code.
	context ??= createContext(Object.create(null));
	const outer: unknown = context["run"];
	context["run"] = run;
	try {
		return script.runInContext(context, { timeout: Math.max(1, Math.ceil(milliseconds)) }) as T;
	} catch (cause) {
		if (isTimeout(cause)) throw new TimeUp("the time is up", { cause });
		throw cause;
	} finally {
		context["run"] = outer;
	}
}

function isTimeout(error: unknown): boolean {
	// It comes from the other context, whose errors are none of this one's.
	return typeof error === "object" && error !== null && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}
