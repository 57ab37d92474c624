import { type ChildRequest, isSvcError, type JsonObject, type RunProgress } from "../../../core/contract/index.ts";
import type { Definition } from "../definition/definition.ts";
import type { Step, WorkflowEvent } from "../steps.ts";
import { type BeginEvent, begin } from "./begin.ts";
import type { JournalEntry } from "./facts.ts";
import { finish, toEnd } from "./finish.ts";
import { toProgress } from "./progress.ts";
import { type ConductorTools, Run, replay, toEarlier } from "./run.ts";
import { selectTaken } from "./take-up.ts";
import { TaskEnd } from "./task-end.ts";
import { TaskItems } from "./task-items.ts";
import { isEnd, isResting } from "./task-run.ts";
import { TaskStart } from "./task-start.ts";

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
	readonly #run: Run;
	#requests: ChildRequest[] = [];
	readonly #start: TaskStart;
	readonly #items: TaskItems;
	readonly #end: TaskEnd;
	#begin: BeginEvent | undefined;
	/** Entries of the run that this one takes up, until they have been written. */
	#earlier: readonly JournalEntry[] | undefined;
	#isTakenUp = false;
	readonly #cancel = new Set<string>();
	#cancelsAll = false;
	#pausesAll = false;
	#resume: string[] = [];
	#request: "pause" | "cancel" | undefined;
	#isPaused = false;
	/** When to go on, by itself. */
	#next: number | undefined;

	constructor(definition: Definition, tools: ConductorTools) {
		this.#run = new Run(definition, tools);
		this.#start = new TaskStart(this.#run, this.#requests);
		this.#items = new TaskItems(this.#run, this.#requests);
		this.#end = new TaskEnd(this.#run);
	}

	/** As it was when it wrote the last of these entries. */
	static async restore(definition: Definition, entries: readonly JsonObject[], tools: ConductorTools): Promise<Conductor> {
		const conductor = new Conductor(definition, tools);
		replay(conductor.#run, entries);
		conductor.#run.state.changed.clear();
		return conductor;
	}

	/**
	 * Goes on where a run has ended whose entries these are, with chosen tasks (paths as in `TakenUp`); none: those that have failed. Its first
	 * entry holds the earlier ones. Throws `SVC_INVALID` where that cannot be.
	 */
	static takeUp(
		definition: Definition,
		entries: readonly JsonObject[],
		{ tasks, reset }: { readonly tasks: readonly string[]; readonly reset: readonly string[] },
		tools: ConductorTools,
	): Conductor {
		const conductor = new Conductor(definition, tools);
		const run = conductor.#run;
		replay(run, entries);
		run.state.changed.clear();
		run.record({ fact: "takeUp", tasks: selectTaken(run.state, tasks, reset) });
		conductor.#earlier = toEarlier(entries);
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
		for (const event of events) this.#take(event);
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
	unsettled(): readonly string[] {
		return [...this.#run.state.children.keys()];
	}

	#takeBegin(event: BeginEvent): void {
		const { state } = this.#run;
		if (state.status === "new") this.#begin = event;
		if (!this.#isTakenUp) return;
		this.#isTakenUp = false;
		const deadline = state.duration === null ? undefined : this.#run.now + state.duration;
		this.#run.record({ fact: "system", system: this.#run.hold(event.system), ...(deadline !== undefined && { deadline }) });
	}

	#take(event: WorkflowEvent): void {
		const { state } = this.#run;
		if (state.finished !== undefined) return;
		if (event.type === "child") this.#takeChild(event);
		else if (event.type === "refused") this.#takeRefusal(event);
		else if (event.type === "pause") this.#takePause();
		else if (event.type === "continue") this.#takeContinue(event.isResumed);
		else if (event.type === "cancel") this.#stop("canceling");
		else if (event.type === "timeout") this.#stop("timeout");
		this.#takeWakes();
	}

	#takeChild({ key, id, status }: Extract<WorkflowEvent, { readonly type: "child" }>): void {
		const { state } = this.#run;
		const open = state.children.get(key);
		const child = open?.run.childOf(open.item);
		if (open === undefined || child === undefined || child.status === status) return;
		// What it is on its way with makes no difference, but for a delay that is over.
		const isQuiet = !isEnd(status) && !isResting(status) && !isResting(child.status);
		if (isQuiet && !(open.run.status === "delayed" && status !== "delayed" && status !== "requested")) return;
		const item = open.item === undefined ? {} : { item: open.item };
		this.#run.record({ fact: "child", task: open.run.number, ...item, id, status });
		if (status !== "pending" || state.isEnding || state.status === "failed") return;
		if (state.status === "running") this.#run.record({ fact: "status", status: "pausing" });
		this.#request ??= "pause";
	}

	#takeRefusal({ key, message }: Extract<WorkflowEvent, { readonly type: "refused" }>): void {
		const open = this.#run.state.children.get(key);
		if (open === undefined) return;
		const item = open.item === undefined ? {} : { item: open.item };
		this.#run.record({ fact: "refused", task: open.run.number, ...item, message });
	}

	#takePause(): void {
		const { state } = this.#run;
		if (state.status === "running") this.#run.record({ fact: "status", status: "pausing" });
		this.#pausesAll = state.status === "pausing";
	}

	#takeContinue(isResumed: boolean): void {
		const { state } = this.#run;
		if (isResumed && state.status === "pausing") {
			this.#resume = [...state.children].filter(([, { run, item }]) => run.childOf(item)?.status === "paused").map(([key]) => key);
			this.#run.record({ fact: "resume" });
			this.#request = undefined;
		}
		// Whoever decided it before may not have come to do it.
		this.#cancelsAll = state.isEnding;
		this.#pausesAll = state.status === "pausing";
		for (const task of state.open) if (task.hasExpired) this.#cancelTask(task.number);
	}

	#stop(status: "canceling" | "timeout"): void {
		const { state } = this.#run;
		if (state.status !== "canceling" && state.status !== status) {
			if (status === "timeout") this.#run.recordError({ message: "TimeoutError: The time of the workflow is over." });
			this.#run.record({ fact: "status", status });
		}
		this.#begin = undefined;
		this.#cancelsAll = true;
	}

	#takeWakes(): void {
		const { state, now } = this.#run;
		if (state.isEnding || state.status === "new") return;
		if (state.deadline !== null && state.deadline <= now) return this.#stop("timeout");
		for (const task of state.wakes.take(now)) {
			if (task.hasEnded || task.hasExpired) continue;
			if (task.deadline !== null && task.deadline <= now) {
				this.#run.record({ fact: "expire", task: task.number });
				this.#cancelTask(task.number);
			} else if (task.due !== null && task.due <= now) this.#run.record({ fact: "due", task: task.number });
		}
	}

	#cancelTask(number: number): void {
		for (const [key, { run }] of this.#run.state.children) if (run.number === number) this.#cancel.add(key);
	}

	/** Does what can be done now, as far as one step goes. */
	async #advance(): Promise<void> {
		const { state } = this.#run;
		if (this.#begin !== undefined) await begin(this.#run, this.#begin);
		this.#begin = undefined;
		if (state.status === "new" || state.finished !== undefined) return;
		for (let room = mostInStep; ; ) {
			const before = room;
			for (const task of [...state.settled].slice(0, room)) {
				await this.#end.conclude(task);
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
		if (state.active === 0 && state.settled.size === 0) await this.#rest();
	}

	/** A child that somebody else has canceled takes the workflow with it. */
	#noteCancel(): void {
		if (this.#run.state.status === "canceling" && !this.#cancelsAll) this.#request = "cancel";
		this.#cancelsAll = true;
	}

	/** Nothing is active: it ends, or it pauses. */
	async #rest(): Promise<void> {
		const { state } = this.#run;
		if (state.isEnding) {
			if (state.children.size === 0) await finish(this.#run);
			return;
		}
		const isLeft = state.waiting.size > 0;
		if (state.status === "failed") {
			// Nobody will need what they wait for.
			if (state.children.size > 0) this.#cancelsAll = true;
			else if (!isLeft) await finish(this.#run);
			return;
		}
		if (state.status === "running") {
			if (isLeft) return;
			if (state.resting === 0) return finish(this.#run);
			this.#run.record({ fact: "status", status: "pausing" });
			this.#request = "pause";
		}
		const isDone =
			!isLeft && state.resting === 0 && state.wantsItems.size === 0 && [...state.staged.values()].every((one) => one.isBlocked);
		if (isDone) await finish(this.#run);
		else this.#isPaused = true;
	}

	async #toStep(): Promise<Step> {
		const run = this.#run;
		const { facts, lines, state } = run;
		const entry: JournalEntry = { at: run.now, facts, ...(this.#earlier !== undefined && { earlier: this.#earlier }) };
		const cancel = this.#cancelsAll ? this.unsettled() : [...this.#cancel];
		const pause = this.#pausesAll ? this.unsettled().filter((key) => this.#isActive(key)) : [];
		const step: Step = {
			entry: facts.length === 0 ? undefined : (entry as unknown as JsonObject),
			start: this.#requests.splice(0),
			cancel,
			pause,
			resume: this.#resume,
			request: this.#request,
			tasks: [...state.changed].map((task) => task.toState()),
			lines,
			end: (await toEnd(run)) ?? (this.#isPaused ? { status: "paused", result: { output: null } } : undefined),
		};
		this.#forget();
		return step;
	}

	#isActive(key: string): boolean {
		const open = this.#run.state.children.get(key);
		const status = open?.run.childOf(open.item)?.status;
		return status !== undefined && !isResting(status);
	}

	#forget(): void {
		this.#run.facts = [];
		this.#run.lines = [];
		this.#run.state.changed.clear();
		this.#earlier = undefined;
		this.#cancel.clear();
		this.#cancelsAll = false;
		this.#pausesAll = false;
		this.#resume = [];
		this.#request = undefined;
	}
}
