import { stringifyJson, type TaskStatus } from "../../../core/contract/index.ts";
import type { FollowedEdge, JournalRecord, RunStatus } from "./facts.ts";
import { JoinRun } from "./joins.ts";
import type { JournalValue } from "./journal-values.ts";
import { type EarlierTask, hasChildEnded, type StagedTask, type TaskRun } from "./task-run.ts";
import { Variables } from "./variables.ts";
import { WakeQueue } from "./wake-queue.ts";

/** A child that has not ended, as far as is known. */
export interface OpenChild {
	readonly run: TaskRun;
	readonly item: number | undefined;
}

/** Nothing came behind it: what it has seen is part of what the output sees. */
interface Terminal {
	readonly order: number;
	readonly variables: Variables;
	readonly run: TaskRun;
}

/** Errors that are kept; the others are counted. */
const mostErrors = 500;

/** What has become of a run so far. Changed by facts alone (`applyFact`), which use the methods that change it. */
export class RunState {
	definition: string | null = null;
	status: RunStatus = "new";
	/** Whether it pauses for more than a child that waits. */
	isPauseAsked = false;
	system: JournalRecord = {};
	finished: { readonly status: "succeeded" | "failed" | "canceled" | "timeout"; readonly output: JournalValue } | undefined;
	/** When its time is over, in microseconds. */
	deadline: number | null = null;
	/** How much it has, in microseconds. */
	duration: number | null = null;
	/** Tasks that an earlier run has started. */
	earlierTasks = 0;
	/** In the order of their start. */
	readonly tasks: TaskRun[] = [];
	/** Those that have not ended. */
	readonly openTasks = new Set<TaskRun>();
	readonly stagedTasks = new Map<number, StagedTask>();
	readonly joins = new Map<string, JoinRun>();
	/** By their keys. */
	readonly children = new Map<string, OpenChild>();
	/** Children that work, and that wait for somebody. */
	active = 0;
	resting = 0;
	/** Tasks of which all that was started has ended. */
	readonly settledTasks = new Set<TaskRun>();
	/** Without action, before they are due. */
	readonly delayedTasks = new Set<TaskRun>();
	readonly tasksWantingItems = new Set<TaskRun>();
	readonly wakes = new WakeQueue<TaskRun>();
	/** Those whose status has changed since somebody has emptied it. */
	readonly changedTasks = new Set<TaskRun>();
	/** All that has been published, in the order of time. */
	publishedVariables = Variables.empty;
	/** What a run begins with. */
	initialVariables = Variables.empty;
	/** Failures that were there when it was taken up, and that nobody wants to run again. */
	hasEarlierFailures = false;
	errors: JournalRecord[] = [];
	droppedErrors = 0;
	terminals: Terminal[] = [];
	/** By `<route> <name>`, the one that was started last. */
	readonly #latest = new Map<string, TaskRun>();
	/** By their number: the route before it, and the edge that leads to it. */
	readonly #routes: { readonly before: number; readonly edge: string }[] = [{ before: -1, edge: "" }];
	readonly #seenErrors = new Set<string>();
	#staged = 0;
	#order = 0;
	#writes = 0;

	/** Whether what is active is only waited for. */
	get isEnding(): boolean {
		return this.status === "canceling" || this.status === "timeout";
	}

	/** The task of this name that was started last, on this route or those that have led to it. */
	findTask(name: string, route: number): TaskRun | undefined {
		for (let at = route; at >= 0; at = this.#routes[at]?.before ?? -1) {
			const found = this.#latest.get(`${at} ${name}`);
			if (found !== undefined) return found;
		}
		return undefined;
	}

	/** As `find`, on any route. */
	findTaskOnAnyRoute(name: string): TaskRun | undefined {
		for (let route = this.#routes.length - 1; route >= 0; route--) {
			const found = this.#latest.get(`${route} ${name}`);
			if (found !== undefined) return found;
		}
		return undefined;
	}

	/** Whether an edge is part of a route. */
	hasEdge(route: number, edge: string): boolean {
		for (let at = route; at > 0; at = this.#routes[at]?.before ?? -1) if (this.#routes[at]?.edge === edge) return true;
		return false;
	}

	nextOrder(): number {
		return this.#order++;
	}

	nextWrite(): number {
		return this.#writes++;
	}

	addTask(run: TaskRun): void {
		this.tasks.push(run);
		this.openTasks.add(run);
		this.#latest.set(`${run.route} ${run.name}`, run);
	}

	stage(
		what: Pick<StagedTask, "name" | "route" | "variables" | "sources"> & { runsOnFail?: boolean; retries?: TaskRun; keeps?: EarlierTask },
	): void {
		const number = this.#staged++;
		this.stagedTasks.set(number, { runsOnFail: false, ...what, number, isBlocked: false });
	}

	addError(entry: JournalRecord): void {
		const text = stringifyJson(entry);
		if (this.#seenErrors.has(text)) return;
		if (this.errors.length >= mostErrors) {
			this.droppedErrors++;
			return;
		}
		this.#seenErrors.add(text);
		this.errors.push(entry);
	}

	/** Errors that still count when a run is taken up again. */
	filterErrors(isKept: (entry: JournalRecord) => boolean): void {
		const kept = this.errors.filter(isKept);
		this.errors = [];
		this.droppedErrors = 0;
		this.#seenErrors.clear();
		for (const entry of kept) this.addError(entry);
	}

	setStatus(run: TaskRun, status: TaskStatus): void {
		if (run.status === status) return;
		run.status = status;
		this.changedTasks.add(run);
	}

	/** Notes what may be done with a task after something about it has changed. */
	updateTaskSets(run: TaskRun): void {
		const isOver = this.isEnding ? isIdle(run) : run.isSettled;
		if (isOver) this.settledTasks.add(run);
		else this.settledTasks.delete(run);
		if (!isOver && run.wantsItems) this.tasksWantingItems.add(run);
		else this.tasksWantingItems.delete(run);
	}

	/** A task is over, and leads on. */
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

	/** Edges that lead to the same task, from the same one, start it once. */
	#follow(run: TaskRun, next: readonly FollowedEdge[]): void {
		const runsOnFail = next.some(({ to, isCommand }) => isCommand && to === "fail");
		const ways = new Map<string, { readonly edge: FollowedEdge; readonly route: number; variables: Variables }>();
		for (const edge of next) {
			const variables = this.#publish(run, edge);
			const route = edge.route === "new" ? this.#addRoute(run.route, edge.id) : run.route;
			if (edge.isCommand) {
				this.terminals.push({ order: this.nextOrder(), variables, run });
				continue;
			}
			const way = ways.get(`${route} ${edge.to}`);
			if (way === undefined) ways.set(`${route} ${edge.to}`, { edge, route, variables });
			else way.variables = way.variables.join(variables);
		}
		for (const { edge, route, variables } of ways.values()) {
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
		const isOfSame = ({ name, route, retries }: StagedTask) => name === to.name && route === to.route && retries === undefined;
		const staged = start.isLate ? [...this.stagedTasks.values()].find(isOfSame) : undefined;
		if (staged !== undefined) {
			// It has not begun yet, so that what comes late is in time.
			staged.variables = start.variables;
			staged.sources.splice(0, staged.sources.length, ...start.tasks);
			return;
		}
		this.stage({ name: to.name, route: to.route, variables: start.variables, sources: [...start.tasks], runsOnFail: to.runsOnFail });
	}
}

/** Whether none of its children is on its way. */
export function isIdle(run: TaskRun): boolean {
	if (run.hasEnded) return false;
	if (run.items !== null) return run.items.active + run.items.resting === 0;
	return run.child === null || hasChildEnded(run.child);
}
