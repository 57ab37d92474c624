import { stringifyJson, type TaskStatus } from "../../../core/contract/index.ts";
import type { FollowedEdge, JournalRecord, RunStatus } from "./facts.ts";
import { JoinRun } from "./joins.ts";
import type { JournalValue } from "./journal-values.ts";
import { type EarlierTask, hasChildEnded, type StagedTask, type TaskRun } from "./task-run.ts";
import { Variables } from "./variables.ts";
import { WakeQueue } from "./wake-queue.ts";

/** Child that has not been reported as ended. */
export interface OpenChild {
	readonly run: TaskRun;
	readonly item: number | undefined;
}

/** End of a branch: a task or command without successors. The output sees its variables. */
interface BranchEnd {
	readonly order: number;
	readonly variables: Variables;
	readonly run: TaskRun;
}

/** Maximum number of errors that are stored; further ones are only counted. */
const maxErrors = 500;

/** State of a run. Only facts change it: `applyFact` calls its mutating methods. */
export class RunState {
	definition: string | null = null;
	status: RunStatus = "new";
	/** True if a pause was requested. False if the run pauses only because a child waits. */
	isPauseAsked = false;
	system: JournalRecord = {};
	finished: { readonly status: "succeeded" | "failed" | "canceled" | "timeout"; readonly output: JournalValue } | undefined;
	/** Time at which the run times out, in microseconds. */
	deadline: number | null = null;
	/** Timeout of the run in microseconds. */
	duration: number | null = null;
	/** Number of tasks that were started by earlier executions of a partial re-run. */
	earlierTasks = 0;
	/** All started tasks, in the order of their start. */
	readonly tasks: TaskRun[] = [];
	/** Tasks that have not ended. */
	readonly openTasks = new Set<TaskRun>();
	readonly stagedTasks = new Map<number, StagedTask>();
	readonly joins = new Map<string, JoinRun>();
	/** Children that have not ended, by their keys. */
	readonly children = new Map<string, OpenChild>();
	/** Number of open children that are active, and of those that are paused or wait for an answer. */
	active = 0;
	resting = 0;
	/** Tasks whose children have all ended, and which are due to be completed. */
	readonly settledTasks = new Set<TaskRun>();
	/** Tasks without an action whose delay is not over. */
	readonly delayedTasks = new Set<TaskRun>();
	readonly tasksWantingItems = new Set<TaskRun>();
	readonly wakes = new WakeQueue<TaskRun>();
	/** Tasks whose status has changed since the caller last cleared this set. */
	readonly changedTasks = new Set<TaskRun>();
	/** All published variables, in the order in which they were published. */
	publishedVariables = Variables.empty;
	/** Variables at the start of the run. */
	initialVariables = Variables.empty;
	/** True if the earlier executions of a partial re-run have failures that do not run again. */
	hasEarlierFailures = false;
	errors: JournalRecord[] = [];
	droppedErrors = 0;
	terminals: BranchEnd[] = [];
	/** Task that was started last, by `<route> <name>`. */
	readonly #latestTasks = new Map<string, TaskRun>();
	/** Routes by number: the preceding route, and the edge that leads from it to the route. */
	readonly #routes: { readonly before: number; readonly edge: string }[] = [{ before: -1, edge: "" }];
	readonly #errorTexts = new Set<string>();
	#stagedCount = 0;
	#orderCount = 0;
	#writeCount = 0;

	/** True if the run starts nothing more and only waits for active children. */
	get isEnding(): boolean {
		return this.status === "canceling" || this.status === "timeout";
	}

	/**
	 * Returns the task of this name that was started last on this route; if there is none, the last one on the nearest preceding route that
	 * has one.
	 */
	findTask(name: string, route: number): TaskRun | undefined {
		for (let at = route; at >= 0; at = this.#routes[at]?.before ?? -1) {
			const latest = this.#latestTasks.get(`${at} ${name}`);
			if (latest !== undefined) return latest;
		}
		return undefined;
	}

	/** Returns the task of this name that was started last on the latest route that has one. */
	findTaskOnAnyRoute(name: string): TaskRun | undefined {
		for (let route = this.#routes.length - 1; route >= 0; route--) {
			const latest = this.#latestTasks.get(`${route} ${name}`);
			if (latest !== undefined) return latest;
		}
		return undefined;
	}

	/** Returns true if an edge is part of a route. */
	hasEdge(route: number, edge: string): boolean {
		for (let at = route; at > 0; at = this.#routes[at]?.before ?? -1) if (this.#routes[at]?.edge === edge) return true;
		return false;
	}

	nextOrder(): number {
		return this.#orderCount++;
	}

	nextWrite(): number {
		return this.#writeCount++;
	}

	addTask(run: TaskRun): void {
		this.tasks.push(run);
		this.openTasks.add(run);
		this.#latestTasks.set(`${run.route} ${run.name}`, run);
	}

	stage(
		task: Pick<StagedTask, "name" | "route" | "variables" | "sources"> & { runsOnFail?: boolean; retries?: TaskRun; keeps?: EarlierTask },
	): void {
		const number = this.#stagedCount++;
		this.stagedTasks.set(number, { runsOnFail: false, ...task, number, isBlocked: false });
	}

	addError(entry: JournalRecord): void {
		const text = stringifyJson(entry);
		if (this.#errorTexts.has(text)) return;
		if (this.errors.length >= maxErrors) {
			this.droppedErrors++;
			return;
		}
		this.#errorTexts.add(text);
		this.errors.push(entry);
	}

	/** Removes errors that no longer apply in a partial re-run. */
	filterErrors(isKept: (entry: JournalRecord) => boolean): void {
		const remainingErrors = this.errors.filter(isKept);
		this.errors = [];
		this.droppedErrors = 0;
		this.#errorTexts.clear();
		for (const entry of remainingErrors) this.addError(entry);
	}

	setStatus(run: TaskRun, status: TaskStatus): void {
		if (run.status === status) return;
		run.status = status;
		this.changedTasks.add(run);
	}

	/** Updates the sets of tasks that can be completed or can start items, after a task has changed. */
	updateTaskSets(run: TaskRun): void {
		const isOver = this.isEnding ? isIdle(run) : run.isSettled;
		if (isOver) this.settledTasks.add(run);
		else this.settledTasks.delete(run);
		if (!isOver && run.wantsItems) this.tasksWantingItems.add(run);
		else this.tasksWantingItems.delete(run);
	}

	/** Ends a task and stages its successors. */
	endTask(
		run: TaskRun,
		{ status, next, at }: { readonly status: TaskStatus; readonly next: readonly FollowedEdge[]; readonly at: number },
	): void {
		this.setStatus(run, status);
		this.changedTasks.add(run);
		run.endedAt = at;
		run.next = next.map(({ to, transition }) => ({ to, transition }));
		for (const set of [this.openTasks, this.settledTasks, this.delayedTasks, this.tasksWantingItems]) set.delete(run);
		if (next.length === 0) this.terminals.push({ order: run.order, variables: run.variables, run });
		this.#follow(run, next);
	}

	/** Follows the edges of a task that has ended. Several edges from one task to the same target start the target once. */
	#follow(run: TaskRun, next: readonly FollowedEdge[]): void {
		const runsOnFail = next.some(({ to, isCommand }) => isCommand && to === "fail");
		const targets = new Map<string, { readonly edge: FollowedEdge; readonly route: number; variables: Variables }>();
		for (const edge of next) {
			const variables = this.#publish(run, edge);
			const route = edge.route === "new" ? this.#addRoute(run.route, edge.id) : run.route;
			if (edge.isCommand) {
				this.terminals.push({ order: this.nextOrder(), variables, run });
				continue;
			}
			const target = targets.get(`${route} ${edge.to}`);
			if (target === undefined) targets.set(`${route} ${edge.to}`, { edge, route, variables });
			else target.variables = target.variables.join(variables);
		}
		for (const { edge, route, variables } of targets.values()) {
			if (edge.needs === undefined) this.stage({ name: edge.to, route, variables, sources: [run.number], runsOnFail });
			else this.#arrive(run, { name: edge.to, route, variables, needs: edge.needs, runsOnFail });
		}
	}

	#publish(run: TaskRun, { published }: FollowedEdge): Variables {
		if (published === undefined) return run.variables;
		const write = this.nextWrite();
		this.publishedVariables = this.publishedVariables.publish(write, published);
		return run.variables.publish(write, published);
	}

	#addRoute(before: number, edge: string): number {
		return this.#routes.push({ before, edge }) - 1;
	}

	#arrive(run: TaskRun, to: Pick<StagedTask, "name" | "route" | "variables" | "runsOnFail"> & { readonly needs: number }): void {
		const key = `${to.route} ${to.name}`;
		const join = this.joins.get(key) ?? new JoinRun(to.name, to.route);
		this.joins.set(key, join);
		const start = join.arrive({ source: run.name, task: run.number, variables: to.variables }, to.needs);
		if (start === undefined) return;
		const isSameTask = ({ name, route, retries }: StagedTask) => name === to.name && route === to.route && retries === undefined;
		const staged = start.isLate ? [...this.stagedTasks.values()].find(isSameTask) : undefined;
		if (staged !== undefined) {
			// The join has not started yet, so the late arrival still takes part in this start.
			staged.variables = start.variables;
			staged.sources.splice(0, staged.sources.length, ...start.tasks);
			return;
		}
		this.stage({ name: to.name, route: to.route, variables: start.variables, sources: [...start.tasks], runsOnFail: to.runsOnFail });
	}
}

/** Returns true if the task has not ended and none of its children is open. */
export function isIdle(run: TaskRun): boolean {
	if (run.hasEnded) return false;
	if (run.items !== null) return run.items.active + run.items.resting === 0;
	return run.child === null || hasChildEnded(run.child);
}
