import { type Context, createContext, Script } from "node:vm";
import { SvcError } from "../contract/index.ts";
import { recordLoopWork } from "./event-loop-budget.ts";

/** Bounds of one unit of work. */
export interface WorkLimits {
	/** Milliseconds of pattern searches. */
	readonly searchMs: number;
	/** Milliseconds of schema validation, and of reading and writing YAML. */
	readonly checkMs: number;
	/** Steps of templates, or values compared with definitions. */
	readonly steps: number;
}

/**
 * Maximum tokens of all templates and expressions that one unit of work may parse. Each template counts as four more. Parsing a token takes
 * up to 5 µs.
 */
export const maxTokensPerWork = 12_000;

/** Bounds of rendering all parameters of an execution, of evaluating one rule for one event, or of one validation. */
export const workLimits: WorkLimits = { searchMs: 25, checkMs: 60, steps: 100_000 };

let activeBudget: WorkBudget | undefined;
let sharedTurnBudget: WorkBudget | undefined;

/**
 * Time and steps that one unit of work on templates, patterns and schemas of users may still use. Each template, pattern or schema is
 * bounded on its own, but sixty of them would still block the event loop for seconds. Synchronous code finds the budget of its unit through
 * `currentWorkBudget`.
 */
export class WorkBudget {
	readonly #searchTime: TimeAllowance;
	readonly #checkTime: TimeAllowance;
	readonly #maxSteps: number;
	#steps = 0;
	#tokens = 0;

	constructor({ searchMs, checkMs, steps }: WorkLimits = workLimits) {
		this.#searchTime = new TimeAllowance(searchMs, "matching its pattern takes too long");
		this.#checkTime = new TimeAllowance(checkMs, "it takes too long");
		this.#maxSteps = steps;
	}

	/** Milliseconds of searching that have been used. */
	get usedSearchMs(): number {
		return this.#searchTime.usedMs;
	}

	/** Runs `work` with this budget. If another budget is already active, `work` uses that one. */
	run<T>(work: () => T): T {
		if (activeBudget !== undefined) return work();
		const startedAt = performance.now();
		activeBudget = this;
		try {
			return work();
		} finally {
			activeBudget = undefined;
			recordLoopWork(performance.now() - startedAt);
		}
	}

	/** Uses up steps. Returns false if that exceeds the budget. */
	spendSteps(steps: number): boolean {
		this.#steps += steps;
		return this.#steps <= this.#maxSteps;
	}

	/** Uses up tokens of a template that is parsed. Returns false if that exceeds the budget. */
	spendTokens(tokens: number): boolean {
		this.#tokens += tokens;
		return this.#tokens <= maxTokensPerWork;
	}

	/** Runs a search that cannot take long by itself. Throws `SVC_INVALID` if the search time of the budget is used up. */
	searchQuickly<T>(search: () => T): T {
		return this.run(() => this.#searchTime.spend(search));
	}

	/**
	 * Runs a search that may take arbitrarily long. Interrupts it and throws `SVC_INVALID` when the search time of the budget is used up. The
	 * search must not change any state.
	 */
	searchWithTimeout<T>(search: () => T): T {
		// `run` must enclose the timeout: an interrupted `finally` block would not restore the active budget.
		return this.run(() => this.#searchTime.spendWithin(search));
	}

	/**
	 * Runs a check that may take arbitrarily long, like `searchWithTimeout` but with the checking time. Searches within it also use search
	 * time.
	 */
	checkWithTimeout<T>(check: () => T): T {
		return this.run(() => this.#checkTime.spendWithin(check));
	}
}

/**
 * Timeout of each attempt as a multiple of the remaining time. Another attempt starts only if the process received too little CPU time,
 * because the machine was busy with other processes.
 */
const timeoutFactors: readonly number[] = [1, 4, 10];

/** Time that one kind of work may take. Periods in which the machine ran other processes do not count. */
class TimeAllowance {
	readonly #limit: number;
	readonly #message: string;
	/** CPU time of the process when the first work started. */
	#cpuUsageAtStart: NodeJS.CpuUsage | undefined;
	/** Wall-clock milliseconds of the work so far. */
	usedMs = 0;

	constructor(limit: number, message: string) {
		this.#limit = limit;
		this.#message = message;
	}

	spend<T>(work: () => T): T {
		if (this.#remainingMs <= 0) throw this.#toRefusal();
		return this.#measure(work);
	}

	spendWithin<T>(work: () => T): T {
		let timeoutError: TimeUp | undefined;
		for (const factor of timeoutFactors) {
			const remainingMs = this.#remainingMs;
			if (remainingMs <= 0) break;
			try {
				return this.#measure(() => runWithTimeout(remainingMs * factor, work));
			} catch (error) {
				if (!(error instanceof TimeUp)) throw error;
				timeoutError = error;
			}
		}
		throw this.#toRefusal(timeoutError);
	}

	get #remainingMs(): number {
		if (this.usedMs < this.#limit || this.#cpuUsageAtStart === undefined) return this.#limit - this.usedMs;
		const { user, system } = process.cpuUsage(this.#cpuUsageAtStart);
		return this.#limit - Math.min(this.usedMs, (user + system) / 1_000);
	}

	#measure<T>(work: () => T): T {
		this.#cpuUsageAtStart ??= process.cpuUsage();
		const startedAt = performance.now();
		try {
			return work();
		} finally {
			this.usedMs += performance.now() - startedAt;
		}
	}

	#toRefusal(cause?: unknown): SvcError {
		return new SvcError("SVC_INVALID", this.#message, { cause });
	}
}

/** Runs synchronous work as one unit. It gets a budget of its own unless it is part of a larger unit. */
export function withWorkBudget<T>(work: () => T, limits?: WorkLimits): T {
	return activeBudget === undefined ? new WorkBudget(limits).run(work) : work();
}

/** Uses up tokens of a template if a budget is active. Returns false if that exceeds the budget. */
export function spendTokens(tokens: number): boolean {
	return activeBudget === undefined || activeBudget.spendTokens(tokens);
}

/** Returns the active budget. Work outside any unit shares one budget with all such work in the same turn of the event loop. */
export function currentWorkBudget(): WorkBudget {
	return activeBudget ?? currentTurnBudget();
}

function currentTurnBudget(): WorkBudget {
	if (sharedTurnBudget === undefined) {
		sharedTurnBudget = new WorkBudget();
		setImmediate(() => {
			sharedTurnBudget = undefined;
		});
	}
	return sharedTurnBudget;
}

/** Thrown when the timeout of a unit of work has passed and the work has been interrupted. */
class TimeUp extends Error {
	override readonly name = "TimeUp";
}

const runScript = new Script("run()");
let context: Context | undefined;

/**
 * Runs synchronous work with a timeout. Work that exceeds it is interrupted at any point, including `finally` blocks. It must therefore not
 * change state that outlives it. Costs about 0.1 ms.
 */
function runWithTimeout<T>(milliseconds: number, run: () => T): T {
	// The context is only needed for its timeout; it never runs code from outside the service.
	context ??= createContext(Object.create(null));
	const outerRun: unknown = context["run"];
	context["run"] = run;
	try {
		return runScript.runInContext(context, { timeout: Math.max(1, Math.ceil(milliseconds)) }) as T;
	} catch (cause) {
		if (isTimeout(cause)) throw new TimeUp("the time is up", { cause });
		throw cause;
	} finally {
		context["run"] = outerRun;
	}
}

function isTimeout(error: unknown): boolean {
	// The error was created in the other context, so `instanceof Error` is false for it.
	return typeof error === "object" && error !== null && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}
