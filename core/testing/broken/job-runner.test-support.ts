import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { defineRunner, type JsonObject, RunAborted, type RunContext, type RunResult } from "../../contract/index.ts";
import { type JobEngine, type JobView, Unreachable } from "./job-engine.test-support.ts";

const parameters = {
	text: { type: "string", default: "" },
	lines: { type: "integer", default: 0 },
	blocks: { type: "boolean", default: false },
	code: { type: "integer", default: 0 },
} as const;

type Context = RunContext<typeof parameters>;

/** What a runner of jobs may do wrong. */
export interface JobFaults {
	readonly savesLate?: boolean;
	readonly hasChanceNames?: boolean;
	readonly submitsWhenRecovered?: boolean;
	readonly repeatsOutput?: boolean;
	readonly skipsOutput?: boolean;
	readonly leavesCanceled?: boolean;
	readonly leavesEnded?: boolean;
	readonly forgetsCancel?: boolean;
	readonly waitsForGone?: boolean;
	readonly hidesReason?: boolean;
	readonly takesGoneForSuccess?: boolean;
	readonly removesEarly?: boolean;
	readonly ignoresCode?: boolean;
	readonly failsInOutage?: boolean;
	readonly givesUpInOutage?: boolean;
	readonly submitsBehindFailure?: boolean;
	readonly leavesWhenOutOfReach?: boolean;
	readonly submitsUntilAnswered?: boolean;
	readonly takesWaitingForCrashed?: boolean;
	readonly leavesWaiting?: boolean;
}

/** A sound runner of jobs on `JobEngine`, and with faults a broken one. */
export const jobRunner = defineRunner("job", ({ engine, faults = {} }: { engine: JobEngine; faults?: JobFaults }) => ({
	description: "Runs jobs of an engine in memory.",
	parameters,
	capabilities: { streaming: true, cancellation: true, recovery: true },
	run: (context) => new JobRun(engine, faults, context).run(),
	recover: (context, state) => new JobRun(engine, faults, context).recover(state),
	async afterRun({ liveaction_id }) {
		if (tidies(faults)) await engine.remove(liveaction_id);
	},
}));

/** Whether it looks once more when the end is stored, and would so mend what it has left undone before. */
const tidies = ({ leavesEnded, leavesCanceled, forgetsCancel, leavesWhenOutOfReach, leavesWaiting }: JobFaults) =>
	!(leavesEnded || leavesCanceled || forgetsCancel || leavesWhenOutOfReach || leavesWaiting);

class JobRun {
	readonly #engine: JobEngine;
	readonly #faults: JobFaults;
	readonly #context: Context;
	#job: string;
	/** Characters that were emitted. */
	#emitted: number;

	constructor(engine: JobEngine, faults: JobFaults, context: Context) {
		this.#engine = engine;
		this.#faults = faults;
		this.#context = context;
		this.#job = faults.hasChanceNames ? randomUUID() : context.liveaction_id;
		this.#emitted = faults.repeatsOutput ? 0 : context.captured("stdout").bytes;
	}

	async run(): Promise<RunResult> {
		if (this.#faults.savesLate) await this.#submit();
		await this.#context.saveState(this.#faults.hasChanceNames ? {} : { job: this.#job });
		if (!this.#faults.savesLate) await this.#submit();
		if (this.#faults.hasChanceNames) await this.#context.saveState({ job: this.#job });
		return this.#follow();
	}

	/** Nothing is submitted here: whoever was to do it may still be about to, and then it is theirs to end. */
	async recover(state: JsonObject): Promise<RunResult | undefined> {
		if (this.#faults.forgetsCancel && this.#context.signal.aborted) return undefined;
		if (state["job"] === undefined) return undefined;
		this.#job = String(state["job"]);
		const { givesUpInOutage, submitsWhenRecovered, skipsOutput } = this.#faults;
		const found = await this.#look({ isPatient: !givesUpInOutage });
		if (submitsWhenRecovered && found === undefined) await this.#submit();
		else if (found === undefined) return undefined;
		if (skipsOutput) this.#emitted = found?.output.length ?? 0;
		return this.#follow();
	}

	async #submit(): Promise<void> {
		const { text, lines, blocks, code } = this.#context.runnerParameters;
		for (;;) {
			if (this.#context.signal.aborted) return;
			try {
				return void (await this.#engine.submit(this.#job, { text, lines, blocks, code }));
			} catch (error) {
				if (this.#faults.submitsBehindFailure) {
					void this.#submitLater();
					throw error;
				}
				if (this.#faults.submitsUntilAnswered) this.#job = randomUUID();
				await delay(5);
			}
		}
	}

	async #submitLater(): Promise<void> {
		const { text, lines, blocks, code } = this.#context.runnerParameters;
		for (let isDone = false; !isDone; ) {
			await delay(5);
			isDone = await this.#engine.submit(this.#job, { text, lines, blocks, code }).catch(() => false);
		}
	}

	async #follow(): Promise<RunResult> {
		for (;;) {
			const { signal } = this.#context;
			if (signal.aborted) return this.#end(signal.reason);
			const job = await this.#look({ isPatient: !this.#faults.failsInOutage });
			// It may have been aborted while the engine was looked for.
			if (job === undefined && signal.aborted) continue;
			if (job === undefined && !this.#faults.waitsForGone) return this.#toGone();
			if (job !== undefined) await this.#record(job);
			if (job?.phase === "ended") return this.#toResult(job);
			if (job?.phase === "waiting" && this.#faults.takesWaitingForCrashed) throw new Error("the job does not run");
			await delay(5);
		}
	}

	async #look({ isPatient }: { readonly isPatient: boolean }): Promise<JobView | undefined> {
		for (;;) {
			try {
				return await this.#engine.look(this.#job);
			} catch (error) {
				if (!isPatient) return undefined;
				if (!(error instanceof Unreachable)) throw error;
				if (this.#context.signal.aborted) return undefined;
				await delay(5);
			}
		}
	}

	async #record({ output }: JobView): Promise<void> {
		const more = output.slice(this.#emitted);
		this.#emitted = output.length;
		if (more !== "") await this.#context.emit("stdout", more);
	}

	async #end(reason: unknown): Promise<RunResult> {
		if (reason instanceof RunAborted && reason.kind === "shutdown") return { succeeded: false, status: "running", result: {} };
		const { leavesCanceled, leavesWhenOutOfReach, leavesWaiting } = this.#faults;
		while (!leavesCanceled) {
			try {
				if (leavesWaiting && (await this.#engine.look(this.#job))?.phase === "waiting") break;
				await this.#engine.remove(this.#job);
				break;
			} catch {
				if (leavesWhenOutOfReach) break;
				await delay(5);
			}
		}
		return { succeeded: false, result: {} };
	}

	#toGone(): RunResult {
		const { takesGoneForSuccess, hidesReason } = this.#faults;
		return { succeeded: takesGoneForSuccess === true, result: hidesReason ? {} : { error: `job "${this.#job}" is gone` } };
	}

	async #toResult({ code = 0 }: JobView): Promise<RunResult> {
		if (this.#faults.removesEarly) await this.#engine.remove(this.#job);
		const isSuccess = code === 0 || this.#faults.ignoresCode === true;
		return { succeeded: isSuccess, result: { return_code: code } };
	}
}
