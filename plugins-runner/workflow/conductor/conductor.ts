import { isJsonObject, isSvcError, type JsonObject, type JsonValue, type RunProgress } from "../../../core/contract/index.ts";
import type { Definition } from "../definition/definition.ts";
import type { Step, WorkflowEnd, WorkflowEvent } from "../steps.ts";
import { ConductorRun, type ConductorTools, flattenEntries, replay } from "./conductor-run.ts";
import { EventIntake } from "./event-intake.ts";
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

/** Tasks and items that are started or ended in one step; for more there is another one at once. */
const mostInStep = 200;
/** Microseconds until what could not be reached is asked for again. */
const pauseBetweenTries = 1_000_000;

/**
 * Decides what a workflow does. It reads results and evaluates expressions, and does nothing else: what is to be done stands in the steps, and
 * what has been decided in their entries, out of which it can be made again, anywhere.
 *
 * One call of `handle` at a time. When one rejects, this conductor is of no use any more; one that is restored goes on.
 */
export class Conductor {
	readonly #run: ConductorRun;
	readonly #orders = new StepEffects();
	readonly #intake: EventIntake;
	readonly #start: TaskStarter;
	readonly #items: ItemStarter;
	readonly #end: TaskCompletion;
	#begin: BeginEvent | undefined;
	/** Entries of the run that this one takes up, until they have been written. */
	#earlier: readonly JournalEntry[] | undefined;
	#isTakenUp = false;
	#isPaused = false;
	/** When to go on, by itself. */
	#next: number | undefined;

	constructor(definition: Definition, tools: ConductorTools) {
		this.#run = new ConductorRun(definition, tools);
		this.#start = new TaskStarter(this.#run, this.#orders.start);
		this.#items = new ItemStarter(this.#run, this.#orders.start);
		this.#end = new TaskCompletion(this.#run);
		this.#intake = new EventIntake(this.#run, this.#orders);
	}

	/** As it was when it wrote the last of these entries. */
	static async restore(definition: Definition, entries: readonly JsonObject[], tools: ConductorTools): Promise<Conductor> {
		const conductor = new Conductor(definition, tools);
		await replay(conductor.#run, entries);
		conductor.#run.state.changedTasks.clear();
		return conductor;
	}

	/**
	 * Goes on where a run has ended whose entries these are, with chosen tasks (paths as in `PartialRerunSource`); none: those that have failed. Its first
	 * entry holds the earlier ones. Rejects with `SVC_INVALID` where that cannot be.
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
		conductor.#earlier = flattenEntries(entries);
		conductor.#isTakenUp = true;
		return conductor;
	}

	/**
	 * Takes in what has happened, and decides. Where it needs more than one step, `nextWake` is now.
	 *
	 * @param now microseconds
	 */
	async handle(events: readonly WorkflowEvent[], now: number): Promise<Step> {
		this.#run.now = now;
		this.#next = undefined;
		this.#isPaused = false;
		for (const event of events) if (event.type === "begin") this.#takeBegin(event);
		for (const event of events) this.#intake.handle(event);
		if (this.#run.state.isEnding) this.#begin = undefined;
		try {
			await this.#advance();
		} catch (error) {
			if (!isSvcError(error, "SVC_UNAVAILABLE")) throw error;
			this.#next = now + pauseBetweenTries;
		}
		return this.#toStep();
	}

	/** When `wake` is to be told, in microseconds; undefined: there is nothing to wait for but events. */
	nextWake(): number | undefined {
		const { finished, deadline, isEnding, wakes } = this.#run.state;
		if (finished !== undefined || this.#isPaused) return undefined;
		const stillCounts = (task: { hasEnded: boolean; deadline: number | null; due: number | null; hasExpired: boolean }, at: number) =>
			!task.hasEnded && !task.hasExpired && (task.deadline === at || task.due === at);
		const times = [this.#next, isEnding ? undefined : (deadline ?? undefined), isEnding ? undefined : wakes.next(stillCounts)];
		const known = times.filter((time) => time !== undefined);
		return known.length === 0 ? undefined : Math.min(...known);
	}

	progress(): RunProgress {
		return toProgress(this.#run.state, this.#run.held);
	}

	/** Keys of the children that it has asked for and not seen the end of. */
	openChildKeys(): readonly string[] {
		return [...this.#run.state.children.keys()];
	}

	#takeBegin(event: BeginEvent): void {
		const { state } = this.#run;
		if (state.status === "new") this.#begin = event;
		if (!this.#isTakenUp) return;
		this.#isTakenUp = false;
		const deadline = state.duration === null ? undefined : this.#run.now + state.duration;
		this.#run.record({ fact: "system", system: this.#run.encode(event.system), ...(deadline !== undefined && { deadline }) });
	}

	/** Does what can be done now, as far as one step goes. */
	async #advance(): Promise<void> {
		const { state } = this.#run;
		if (this.#begin !== undefined) await begin(this.#run, this.#begin);
		this.#begin = undefined;
		if (state.status === "new" || state.finished !== undefined) return;
		for (let room = mostInStep; ; ) {
			const before = room;
			for (const task of [...state.settledTasks].slice(0, room)) {
				await this.#end.complete(task);
				if (state.isEnding) this.#noteCancel();
				room--;
			}
			room -= await this.#start.startTasks(room);
			room -= await this.#items.start(room);
			if (room === before) break;
			if (room > 0) continue;
			this.#next = this.#run.now;
			return;
		}
		if (state.active > 0 || state.settledTasks.size > 0) return;
		await this.#rest();
	}

	/** A child that somebody else has canceled takes the workflow with it. */
	#noteCancel(): void {
		if (this.#run.state.status === "canceling" && !this.#orders.cancelsAll) this.#orders.request = "cancel";
		this.#orders.cancelsAll = true;
	}

	/** Nothing is active: it ends, or it pauses. */
	async #rest(): Promise<void> {
		const { state } = this.#run;
		if (state.isEnding) {
			if (state.children.size === 0) await finish(this.#run);
			return;
		}
		const isLeft = state.delayedTasks.size > 0;
		if (state.status === "failed") {
			// Nobody will need what they wait for.
			if (state.children.size > 0) this.#orders.cancelsAll = true;
			else if (!isLeft) await finish(this.#run);
			return;
		}
		if (state.status === "running") {
			if (isLeft) return;
			if (state.resting === 0) return finish(this.#run);
			this.#run.record({ fact: "status", status: "pausing" });
			this.#orders.request = "pause";
		}
		const isDone =
			!isLeft && state.resting === 0 && state.tasksWantingItems.size === 0 && [...state.stagedTasks.values()].every((one) => one.isBlocked);
		if (isDone) await finish(this.#run);
		else this.#isPaused = true;
	}

	/** What it has paused for may be over: a question that was answered while other tasks came to their ends. */
	#toPause(): WorkflowEnd | undefined {
		const { resting, isPauseAsked } = this.#run.state;
		if (!this.#isPaused) return undefined;
		return { status: resting === 0 && !isPauseAsked ? "resuming" : "paused", result: { output: null } };
	}

	async #toStep(): Promise<Step> {
		const run = this.#run;
		const { facts, lines, state } = run;
		const entry: JournalEntry = { at: run.now, facts, ...(this.#earlier !== undefined && { earlier: this.#earlier }) };
		const step: Step = {
			entry: facts.length === 0 ? undefined : (entry as unknown as JsonObject),
			...this.#orders.takeAll(state),
			tasks: [...state.changedTasks].map((task) => task.toState()),
			lines,
			end: (await toEnd(run)) ?? this.#toPause(),
		};
		run.facts = [];
		run.lines = [];
		state.changedTasks.clear();
		this.#earlier = undefined;
		return step;
	}
}

type BeginEvent = Extract<WorkflowEvent, { readonly type: "begin" }>;

/** Takes in what the workflow is given, evaluates its variables and stages its first tasks. Records nothing before all is evaluated. */
async function begin(run: ConductorRun, { parameters, system }: BeginEvent): Promise<void> {
	const { definition, renderer } = run;
	const overlay = new Map<string, JsonValue>(Object.entries(system));
	const values = new Map<string, JsonValue>();
	const view = { variables: Variables.empty, overlay };
	const errors: JsonObject[] = [];
	const guard = async (render: () => Promise<void>) => {
		try {
			await render();
		} catch (error) {
			if (!(error instanceof RenderingError)) throw error;
			errors.push({ message: error.message, data: error.data });
		}
	};
	const take = async (name: string, toValue: () => Promise<JsonValue>) =>
		guard(async () => {
			const value = await toValue();
			values.set(name, merge(values.get(name), value));
			overlay.set(name, merge(overlay.get(name), value));
		});
	for (const input of definition.input) {
		const given = Object.hasOwn(parameters, input.name) ? parameters[input.name] : undefined;
		// What is given comes from outside, and is taken as it is.
		await take(input.name, async () => given ?? (await renderer.render(input.default ?? null, view, input)));
	}
	for (const assignment of definition.vars) await take(assignment.name, () => renderer.render(assignment.value, view, assignment));
	let deadline: number | undefined;
	if (definition.timeout !== null) {
		const { timeout } = definition;
		await guard(async () => {
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

function merge(before: JsonValue | undefined, value: JsonValue): JsonValue {
	return before === undefined || !isJsonObject(before) ? value : mergeDeep(before, value);
}
