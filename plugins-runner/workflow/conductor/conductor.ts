import { isJsonObject, isSvcError, type JsonObject, type JsonValue, type RunProgress } from "../../../core/contract/index.ts";
import type { Step, WorkflowEnd, WorkflowEvent } from "../conductor-protocol.ts";
import type { Definition } from "../definition/definition.ts";
import { ConductorRun, type ConductorTools, flattenEntries, replay } from "./conductor-run.ts";
import { EventApplier } from "./event-applier.ts";
import type { JournalEntry } from "./facts.ts";
import { finish, toEnd } from "./finish.ts";
import { ItemStarter } from "./item-starter.ts";
import { mergeDeep } from "./merge-deep.ts";
import { selectRerunTasks } from "./partial-rerun.ts";
import { toProgress } from "./progress.ts";
import { RenderingError } from "./renderer.ts";
import { StepEffects } from "./step-effects.ts";
import { TaskCompletion } from "./task-completion.ts";
import { TaskStarter } from "./task-starter.ts";
import { Variables } from "./variables.ts";

/** Maximum number of tasks and items that are started or ended in one step. If more are due, the next step follows at once. */
const maxChangesPerStep = 200;
/** Microseconds before a step is repeated that failed because the storage was unavailable. */
const retryDelayMicroseconds = 1_000_000;

/**
 * Decides what a workflow does next.
 *
 * It is a state machine without side effects. `handle` takes events and returns a step. A step consists of a journal entry with the decided
 * facts, and effects that the caller must carry out, such as starting children. The conductor itself only reads results and evaluates
 * expressions. The state is changed by facts alone, so replaying the journal on any node yields the same state (`restore`). Evaluated
 * values are stored in the facts, so nothing is evaluated again on replay.
 *
 * States of the run:
 * - *new*: waits for the event `begin`, which evaluates the variables and stages the first tasks.
 * - *running*: staged tasks and further items are started; tasks whose children have ended are completed and stage their successors.
 * - *pausing*: starts nothing more and completes the tasks whose children end. Reached by a pause event, by a child that waits for an
 *   answer, or when all remaining children are paused. When no child is active, the step ends with `paused`, or with `resuming` if the
 *   reason for the pause is over. The event `continue` leads back to running. Without any work left, the run finishes.
 * - *failed*: a task failed without a transition that handles it, or an expression could not be evaluated. Active children are awaited, and
 *   tasks that already run continue. New tasks start only if a command `fail` was reached together with them. Children that are paused or
 *   wait for an answer are canceled once no other child is active.
 * - *canceling*, *timeout*: all children are canceled, and nothing starts. A child that was canceled from outside leads here as well.
 * - *finished*: the output is stored, and every later event is ignored. It is reached from each state but *new*, once no child is open.
 *
 * Concurrency: one call of `handle` at a time; events that occur in between are passed to the next call. Events may be repeated or late:
 * those of children that are no longer open have no effect. A step is bounded; if more is due, `nextWake` returns the current time, so that
 * other work of the event loop is done in between.
 *
 * Failures: a step records a fact only after everything that the fact needs was evaluated. If the storage cannot be reached
 * (`SVC_UNAVAILABLE`), the facts so far stay valid, and the rest is repeated after one second. If `handle` rejects, the state may hold
 * facts that are not stored. This conductor must then be dropped; `restore` creates a valid one from the journal.
 */
export class Conductor {
	readonly #run: ConductorRun;
	readonly #effects = new StepEffects();
	readonly #intake: EventApplier;
	readonly #taskStarter: TaskStarter;
	readonly #itemStarter: ItemStarter;
	readonly #taskCompletion: TaskCompletion;
	/** Begin event whose variables have not been evaluated yet. */
	#pendingBegin: BeginEvent | undefined;
	/** Journal entries of the earlier execution in a partial re-run, until the first entry has been written. */
	#earlierEntries: readonly JournalEntry[] | undefined;
	/** True in a partial re-run until its begin event was handled. */
	#isRerunStarting = false;
	#isPaused = false;
	/** Time of the next step without an event, in microseconds; undefined if none is due. */
	#nextStepAt: number | undefined;

	constructor(definition: Definition, tools: ConductorTools) {
		this.#run = new ConductorRun(definition, tools);
		this.#taskStarter = new TaskStarter(this.#run, this.#effects.start);
		this.#itemStarter = new ItemStarter(this.#run, this.#effects.start);
		this.#taskCompletion = new TaskCompletion(this.#run);
		this.#intake = new EventApplier(this.#run, this.#effects);
	}

	/** Returns the conductor in the state in which it wrote the last of these entries. */
	static async restore(definition: Definition, entries: readonly JsonObject[], tools: ConductorTools): Promise<Conductor> {
		const conductor = new Conductor(definition, tools);
		await replay(conductor.#run, entries);
		conductor.#run.state.changedTasks.clear();
		return conductor;
	}

	/**
	 * Returns a conductor that runs chosen tasks of an ended execution again (a partial re-run). `entries` is the journal of that execution,
	 * and `tasks` are paths as in `PartialRerunSource`; with none, the tasks that failed run again. The first new entry contains the earlier
	 * entries. Rejects with `SVC_INVALID` if these tasks cannot run again.
	 */
	static async createPartialRerun(
		definition: Definition,
		entries: readonly JsonObject[],
		{ tasks, reset }: { readonly tasks: readonly string[]; readonly reset: readonly string[] },
		tools: ConductorTools,
	): Promise<Conductor> {
		const conductor = new Conductor(definition, tools);
		const run = conductor.#run;
		await replay(run, entries);
		run.state.changedTasks.clear();
		run.record({ fact: "takeUp", tasks: selectRerunTasks(run.state, tasks, reset) });
		conductor.#earlierEntries = flattenEntries(entries);
		conductor.#isRerunStarting = true;
		return conductor;
	}

	/**
	 * Takes events and decides the next step. If more than one step is due, `nextWake` then returns the current time.
	 *
	 * @param now Current time in microseconds.
	 */
	async handle(events: readonly WorkflowEvent[], now: number): Promise<Step> {
		this.#run.now = now;
		this.#nextStepAt = undefined;
		this.#isPaused = false;
		for (const event of events) if (event.type === "begin") this.#takeBegin(event);
		for (const event of events) this.#intake.handle(event);
		if (this.#run.state.isEnding) this.#pendingBegin = undefined;
		try {
			await this.#advance();
		} catch (error) {
			if (!isSvcError(error, "SVC_UNAVAILABLE")) throw error;
			this.#nextStepAt = now + retryDelayMicroseconds;
		}
		return this.#toStep();
	}

	/** Returns when to send the event `wake`, in microseconds. Returns undefined if the run only waits for other events. */
	nextWake(): number | undefined {
		const { finished, deadline, isEnding, wakes } = this.#run.state;
		if (finished !== undefined || this.#isPaused) return undefined;
		const isStillDue = (task: { hasEnded: boolean; deadline: number | null; due: number | null; hasExpired: boolean }, at: number) =>
			!task.hasEnded && !task.hasExpired && (task.deadline === at || task.due === at);
		const times = [this.#nextStepAt, isEnding ? undefined : (deadline ?? undefined), isEnding ? undefined : wakes.next(isStillDue)];
		const definedTimes = times.filter((time) => time !== undefined);
		return definedTimes.length === 0 ? undefined : Math.min(...definedTimes);
	}

	progress(): RunProgress {
		return toProgress(this.#run.state, this.#run.held);
	}

	/** Returns the keys of the children that were requested and have not been reported as ended. */
	openChildKeys(): readonly string[] {
		return [...this.#run.state.children.keys()];
	}

	#takeBegin(event: BeginEvent): void {
		const { state } = this.#run;
		if (state.status === "new") this.#pendingBegin = event;
		if (!this.#isRerunStarting) return;
		this.#isRerunStarting = false;
		const deadline = state.duration === null ? undefined : this.#run.now + state.duration;
		this.#run.record({ fact: "system", system: this.#run.encode(event.system), ...(deadline !== undefined && { deadline }) });
	}

	/** Decides the changes that are due now, at most `maxChangesPerStep`. */
	async #advance(): Promise<void> {
		const { state } = this.#run;
		if (this.#pendingBegin !== undefined) await begin(this.#run, this.#pendingBegin);
		this.#pendingBegin = undefined;
		if (state.status === "new" || state.finished !== undefined) return;
		for (let remaining = maxChangesPerStep; ; ) {
			const remainingBefore = remaining;
			for (const task of [...state.settledTasks].slice(0, remaining)) {
				await this.#taskCompletion.complete(task);
				if (state.isEnding) this.#cancelWithChild();
				remaining--;
			}
			remaining -= await this.#taskStarter.startTasks(remaining);
			remaining -= await this.#itemStarter.start(remaining);
			if (remaining === remainingBefore) break;
			if (remaining > 0) continue;
			this.#nextStepAt = this.#run.now;
			return;
		}
		if (state.active > 0 || state.settledTasks.size > 0) return;
		await this.#finishOrPause();
	}

	/** Cancels the whole workflow because a child was canceled from outside. */
	#cancelWithChild(): void {
		if (this.#run.state.status === "canceling" && !this.#effects.cancelsAll) this.#effects.request = "cancel";
		this.#effects.cancelsAll = true;
	}

	/** Finishes or pauses the run once no child is active. */
	async #finishOrPause(): Promise<void> {
		const { state } = this.#run;
		if (state.isEnding) {
			if (state.children.size === 0) await finish(this.#run);
			return;
		}
		const hasDelayedTasks = state.delayedTasks.size > 0;
		if (state.status === "failed") {
			// The workflow has failed, so the answers for which these children wait are not needed.
			if (state.children.size > 0) this.#effects.cancelsAll = true;
			else if (!hasDelayedTasks) await finish(this.#run);
			return;
		}
		if (state.status === "running") {
			if (hasDelayedTasks) return;
			if (state.resting === 0) return finish(this.#run);
			this.#run.record({ fact: "status", status: "pausing" });
			this.#effects.request = "pause";
		}
		const isDone =
			!hasDelayedTasks &&
			state.resting === 0 &&
			state.tasksWantingItems.size === 0 &&
			[...state.stagedTasks.values()].every((one) => one.isBlocked);
		if (isDone) await finish(this.#run);
		else this.#isPaused = true;
	}

	/**
	 * Returns the end of a step that pauses. The reason for the pause may be over, because a question was answered while other tasks ended.
	 */
	#toPauseEnd(): WorkflowEnd | undefined {
		const { resting, isPauseAsked } = this.#run.state;
		if (!this.#isPaused) return undefined;
		return { status: resting === 0 && !isPauseAsked ? "resuming" : "paused", result: { output: null } };
	}

	async #toStep(): Promise<Step> {
		const run = this.#run;
		const { facts, lines, state } = run;
		const entry: JournalEntry = { at: run.now, facts, ...(this.#earlierEntries !== undefined && { earlier: this.#earlierEntries }) };
		const step: Step = {
			entry: facts.length === 0 ? undefined : (entry as unknown as JsonObject),
			...this.#effects.takeAll(state),
			tasks: [...state.changedTasks].map((task) => task.toState()),
			lines,
			end: (await toEnd(run)) ?? this.#toPauseEnd(),
		};
		run.facts = [];
		run.lines = [];
		state.changedTasks.clear();
		this.#earlierEntries = undefined;
		return step;
	}
}

type BeginEvent = Extract<WorkflowEvent, { readonly type: "begin" }>;

/** Evaluates parameters and variables and stages the first tasks. Records nothing before everything is evaluated. */
async function begin(run: ConductorRun, { parameters, system }: BeginEvent): Promise<void> {
	const { definition, renderer } = run;
	const overlay = new Map<string, JsonValue>(Object.entries(system));
	const values = new Map<string, JsonValue>();
	const view = { variables: Variables.empty, overlay };
	const errors: JsonObject[] = [];
	const collectError = async (render: () => Promise<void>) => {
		try {
			await render();
		} catch (error) {
			if (!(error instanceof RenderingError)) throw error;
			errors.push({ message: error.message, data: error.data });
		}
	};
	const assign = async (name: string, toValue: () => Promise<JsonValue>) =>
		collectError(async () => {
			const value = await toValue();
			values.set(name, mergeInto(values.get(name), value));
			overlay.set(name, mergeInto(overlay.get(name), value));
		});
	for (const input of definition.input) {
		const parameter = Object.hasOwn(parameters, input.name) ? parameters[input.name] : undefined;
		// A given parameter is input from outside the definition: expressions in it are not evaluated.
		await assign(input.name, async () => parameter ?? (await renderer.render(input.default ?? null, view, input)));
	}
	for (const assignment of definition.vars) await assign(assignment.name, () => renderer.render(assignment.value, view, assignment));
	let deadline: number | undefined;
	if (definition.timeout !== null) {
		const { timeout } = definition;
		await collectError(async () => {
			deadline = Math.round(run.now + (await renderer.renderSeconds(timeout, "timeout", view)) * 1e6);
		});
	}
	run.record({
		fact: "begin",
		definition: definition.text,
		system: run.encode(system),
		variables: run.encode(Object.fromEntries(values)),
		starts: errors.length > 0 ? [] : definition.graph.starts,
		...(deadline !== undefined && { deadline }),
	});
	for (const error of errors) run.recordError(error);
	if (errors.length > 0) run.fail();
}

function mergeInto(before: JsonValue | undefined, value: JsonValue): JsonValue {
	return before === undefined || !isJsonObject(before) ? value : mergeDeep(before, value);
}
