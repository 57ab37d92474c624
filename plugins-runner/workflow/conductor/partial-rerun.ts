import { SvcError } from "../../../core/contract/index.ts";
import type { Fact, RerunTask } from "./facts.ts";
import type { RunState } from "./run-state.ts";
import type { TaskRun } from "./task-run.ts";

/**
 * Returns the tasks that run again. `tasks` and `reset` are paths; without tasks, those that failed run again. For each name, the last run
 * on every route is chosen. Throws `SVC_INVALID` for a task that never ran, for a path in `reset` that is not in `tasks`, and if no task is
 * left.
 */
export function selectRerunTasks(state: RunState, tasks: readonly string[], reset: readonly string[]): readonly RerunTask[] {
	const unknownResets = reset.filter((path) => !tasks.includes(path));
	if (unknownResets.length > 0)
		throw new SvcError("SVC_INVALID", `"reset" names tasks that are not among the tasks to run again: ${quoteNames(unknownResets)}`);
	const latest = latestTasks(state);
	const names = new Set(tasks.map((path) => split(path).name));
	const missing = [...names].filter((name) => !latest.some((run) => run.name === name));
	if (missing.length > 0) throw new SvcError("SVC_INVALID", `these tasks have not run and cannot run again: ${quoteNames(missing)}`);
	const chosen = tasks.length === 0 ? latest.filter(hasFailed) : latest.filter(({ name }) => names.has(name));
	if (chosen.length === 0 && !latest.some(isInterrupted)) {
		throw new SvcError("SVC_INVALID", "no task has failed: name the tasks to run again");
	}
	return chosen.map((run) => toRerunTask(run, tasks, reset));
}

/** Continues an ended run. The chosen and the interrupted tasks are staged again, and everything that followed them is undone. */
export function applyPartialRerun(state: RunState, { tasks }: Extract<Fact, { readonly fact: "takeUp" }>): void {
	const chosen = new Map(tasks.map((taken) => [taken.task, taken] as const));
	const interrupted = latestTasks(state).filter(isInterrupted);
	const roots = new Set([...chosen.keys(), ...interrupted.map(({ number }) => number)]);
	const followers = findFollowers(state, roots);
	for (const number of [...roots, ...followers]) {
		const run = state.tasks[number];
		if (run !== undefined) run.isSuperseded = true;
	}
	clearOpenWork(state);
	undoSuperseded(state);
	for (const number of roots) {
		const run = state.tasks[number];
		// A task that follows another root is staged again when that one ends.
		if (run === undefined || followers.has(number)) continue;
		const { reset = false, inner = [], innerReset = [] } = chosen.get(number) ?? {};
		const { name, route, variables, sources } = run;
		state.stage({ name, route, variables, sources: [...sources], keeps: { task: run, reset, inner, innerReset } });
	}
	state.hasEarlierFailures = state.tasks.some(
		(run) => !run.isSuperseded && hasFailed(run) && !run.next.some(({ to }) => to !== "continue"),
	);
}

function clearOpenWork(state: RunState): void {
	state.status = "running";
	state.finished = undefined;
	state.earlierTasks = state.tasks.length;
	state.active = 0;
	state.resting = 0;
	for (const run of state.openTasks) {
		run.deadline = null;
		run.due = null;
	}
	for (const collection of [state.openTasks, state.children, state.settledTasks, state.delayedTasks, state.tasksWantingItems])
		collection.clear();
}

/** Restores branches, joins and errors to their state before the superseded tasks. */
function undoSuperseded(state: RunState): void {
	const isSuperseded = (number: number) => state.tasks[number]?.isSuperseded === true;
	for (const [number, staged] of state.stagedTasks) {
		if (staged.sources.some(isSuperseded)) state.stagedTasks.delete(number);
		else staged.isBlocked = false;
	}
	for (const join of state.joins.values()) join.reopen(isSuperseded);
	state.terminals = state.terminals.filter(({ run }) => !run.isSuperseded);
	const names = new Set(state.tasks.filter((run) => run.isSuperseded).map((run) => run.name));
	const joins = new Set([...state.joins.values()].map(({ name }) => name));
	state.filterErrors(({ task_id: task }) => typeof task === "string" && task !== "fail" && !names.has(task) && !joins.has(task));
}

/** Returns the numbers of all tasks that these tasks led to, directly or indirectly. */
function findFollowers(state: RunState, roots: ReadonlySet<number>): ReadonlySet<number> {
	const followers = new Set<number>();
	// A task that leads to another one was started before it.
	for (const run of state.tasks) {
		if (run.sources.some((source) => roots.has(source) || followers.has(source))) followers.add(run.number);
	}
	return followers;
}

function latestTasks(state: RunState): readonly TaskRun[] {
	const latest = new Map<string, TaskRun>();
	for (const run of state.tasks) if (!run.isSuperseded) latest.set(`${run.route} ${run.name}`, run);
	return [...latest.values()];
}

function hasFailed({ status }: TaskRun): boolean {
	return status === "failed" || status === "timeout";
}

/** Returns true if the task had not ended, or was canceled from outside. Such a task counts as not done. */
function isInterrupted(run: TaskRun): boolean {
	return !run.hasEnded || run.status === "canceled";
}

function toRerunTask(run: TaskRun, tasks: readonly string[], reset: readonly string[]): RerunTask {
	const paths = tasks.filter((path) => split(path).name === run.name);
	const inner = paths.includes(run.name) ? [] : paths.map((path) => split(path).rest);
	const innerReset = reset.filter((path) => split(path).name === run.name && path !== run.name).map((path) => split(path).rest);
	return { task: run.number, reset: reset.includes(run.name), inner, innerReset: inner.length === 0 ? [] : innerReset };
}

function split(path: string): { readonly name: string; readonly rest: string } {
	const dot = path.indexOf(".");
	return dot < 0 ? { name: path, rest: "" } : { name: path.slice(0, dot), rest: path.slice(dot + 1) };
}

function quoteNames(names: readonly string[]): string {
	return names
		.slice(0, 20)
		.map((name) => `"${name.slice(0, 100)}"`)
		.join(", ");
}
