import type { ExecutionStatus } from "../../../core/contract/index.ts";
import type { AttemptFacts, Fact, RunStatus } from "./facts.ts";
import { applyPartialRerun } from "./partial-rerun.ts";
import type { RunState } from "./run-state.ts";
import { type ChildRun, type EarlierTask, isEndStatus, isRestingStatus, type StagedTask, TaskRun, toItemsRun } from "./task-run.ts";

type FactOf<F extends Fact["fact"]> = Extract<Fact, { readonly fact: F }>;
type FactAppliers = { readonly [F in Fact["fact"]]: (state: RunState, fact: FactOf<F>, at: number) => void };

/** Applies a fact to the state. `at` is the time of its step, in microseconds. */
export function applyFact(state: RunState, fact: Fact, at: number): void {
	const apply = appliers[fact.fact] as (state: RunState, fact: Fact, at: number) => void;
	apply(state, fact, at);
}

const appliers: FactAppliers = {
	begin,
	system: (state, { system, deadline }) => {
		state.system = system;
		state.deadline = deadline ?? null;
	},
	start,
	again: (state, fact, at) => {
		const staged = removeStaged(state, fact.staged);
		const run = staged?.retries;
		if (run === undefined) return;
		run.attempt++;
		run.hasExpired = false;
		beginAttempt(state, run, { facts: fact, action: fact.action, at });
	},
	ask: (state, { task, to }) => changeTask(state, task, (run) => ask(state, run, to)),
	child: (state, { task, item, id, status }) =>
		changeTask(state, task, (run) => {
			const child = run.childOf(item);
			if (child === undefined) return;
			if (child.id !== id) run.executionIds.push(id);
			child.id = id;
			changeChild(state, { run, item, child }, status);
		}),
	refused: (state, { task, item, message }) =>
		changeTask(state, task, (run) => {
			const child = run.childOf(item);
			if (child === undefined) return;
			child.message = message;
			changeChild(state, { run, item, child }, "failed");
		}),
	due: (state, { task }) =>
		changeTask(state, task, (run) => {
			run.due = null;
			state.delayedTasks.delete(run);
			state.updateTaskSets(run);
		}),
	expire: (state, { task }) =>
		changeTask(state, task, (run) => {
			run.hasExpired = true;
			state.delayedTasks.delete(run);
			state.updateTaskSets(run);
		}),
	break: (state, { task }) =>
		changeTask(state, task, (run) => {
			run.isBroken = true;
			state.updateTaskSets(run);
		}),
	retry: (state, { task }) =>
		changeTask(state, task, (run) => {
			run.deadline = null;
			state.setStatus(run, "retrying");
			state.updateTaskSets(run);
			state.stage({ name: run.name, route: run.route, variables: run.variables, sources: [...run.sources], retries: run });
		}),
	end: (state, { task, status, next }, at) => changeTask(state, task, (run) => state.endTask(run, { status, next, at })),
	error: (state, { entry }) => state.addError(entry),
	status: (state, { status, isAsked = false }) => {
		changeStatus(state, status);
		state.isPauseAsked = isAsked;
	},
	resume: (state, { children }) => {
		changeStatus(state, "running");
		if (!children) return;
		for (const { run, item } of [...state.children.values()]) {
			const child = run.childOf(item);
			if (child?.status === "paused") changeChild(state, { run, item, child }, "resuming");
		}
	},
	block: (state, { staged }) => {
		for (const number of staged) {
			const stagedTask = state.stagedTasks.get(number);
			if (stagedTask !== undefined) stagedTask.isBlocked = true;
		}
	},
	finish: (state, { status, output }) => {
		state.finished = { status, output };
	},
	takeUp: applyPartialRerun,
};

function begin(state: RunState, { definition, system, variables, starts, deadline }: FactOf<"begin">, at: number): void {
	state.definition = definition;
	state.system = system;
	state.status = "running";
	state.deadline = deadline ?? null;
	state.duration = deadline === undefined ? null : deadline - at;
	state.initialVariables = state.initialVariables.publish(state.nextWrite(), variables);
	state.publishedVariables = state.initialVariables;
	for (const name of starts) state.stage({ name, route: 0, variables: state.initialVariables, sources: [] });
}

function start(state: RunState, fact: FactOf<"start">, at: number): void {
	const staged = removeStaged(state, fact.staged);
	if (staged === undefined) return;
	const { id, action } = fact;
	const keptItems = staged.keeps?.reset === false ? staged.keeps.task.items : null;
	const items = fact.items ?? null;
	const retry = fact.retry ?? null;
	const run = new TaskRun({
		number: state.tasks.length,
		id,
		staged,
		action,
		at,
		order: state.nextOrder(),
		retry,
		items: keptItems ?? items,
	});
	if (keptItems !== null) copySucceededItems(run, keptItems.children, staged.keeps);
	state.addTask(run);
	state.changedTasks.add(run);
	beginAttempt(state, run, { facts: fact, action, at });
}

/** Copies the items that succeeded in an earlier execution, so that they do not run again. */
function copySucceededItems(run: TaskRun, children: readonly (ChildRun | undefined)[], keeps: EarlierTask | undefined): void {
	const { items } = run;
	if (items === null || keeps === undefined) return;
	for (const [at, child] of children.entries()) {
		if (child?.status !== "succeeded") continue;
		items.children[at] = { ...child };
		items.succeeded++;
		if (child.id !== null) run.executionIds.push(child.id);
	}
	skipCopiedItems(run);
}

function beginAttempt(
	state: RunState,
	run: TaskRun,
	{ facts, action, at }: { readonly facts: AttemptFacts; readonly action: string | null; readonly at: number },
): void {
	run.delay = facts.delay ?? 0;
	run.due = facts.due ?? null;
	run.deadline = facts.deadline ?? null;
	if (run.attempt > 1 && run.items !== null) run.items = toItemsRun(run.items);
	if (action !== null && run.items === null) {
		run.child = { id: null, status: "asked" };
		state.children.set(run.keyOf(undefined), { run, item: undefined });
		state.active++;
	}
	state.setStatus(run, run.delay > 0 || (run.due !== null && run.due > at) ? "delayed" : "running");
	if (run.deadline !== null) state.wakes.add(run.deadline, run);
	if (run.due !== null) {
		state.wakes.add(run.due, run);
		state.delayedTasks.add(run);
	}
	state.updateTaskSets(run);
}

function ask(state: RunState, run: TaskRun, to: number): void {
	const { items } = run;
	if (items === null) return;
	for (let item = items.next; item < to; item++) {
		if (items.children[item] !== undefined) continue;
		items.children[item] = { id: null, status: "asked" };
		items.active++;
		state.active++;
		state.children.set(run.keyOf(item), { run, item });
	}
	items.next = to;
	skipCopiedItems(run);
	state.updateTaskSets(run);
}

function skipCopiedItems({ items }: TaskRun): void {
	while (items !== null && items.next < items.total && items.children[items.next] !== undefined) items.next++;
}

function changeChild(
	state: RunState,
	{ run, item, child }: { readonly run: TaskRun; readonly item: number | undefined; readonly child: ChildRun },
	status: ExecutionStatus,
): void {
	const counts = [state, ...(run.items === null ? [] : [run.items])];
	for (const count of counts) {
		if (isRestingStatus(child.status)) count.resting--;
		else count.active--;
		if (isRestingStatus(status)) count.resting++;
		else if (!isEndStatus(status)) count.active++;
	}
	child.status = status;
	if (isEndStatus(status)) {
		state.children.delete(run.keyOf(item));
		if (run.items !== null) run.items[status === "succeeded" ? "succeeded" : status === "canceled" ? "canceled" : "failed"]++;
	}
	const areItemsResting = run.items !== null && run.items.active === 0 && run.items.resting > 0;
	if (!isEndStatus(status) || areItemsResting) state.setStatus(run, toTaskStatus(run, status));
	state.updateTaskSets(run);
}

/** Returns the status of a task whose child has the status `status`, which is not an end. */
function toTaskStatus(run: TaskRun, status: ExecutionStatus): TaskRun["status"] {
	if (run.items !== null) return run.items.active > 0 ? "running" : "paused";
	if (status === "pending" || status === "paused" || status === "pausing") return status;
	return status === "delayed" ? "delayed" : "running";
}

function changeStatus(state: RunState, status: RunStatus): void {
	state.status = status;
	if (status === "running" || status === "pausing") return;
	for (const [number, { retries }] of state.stagedTasks) {
		if (retries === undefined) continue;
		state.stagedTasks.delete(number);
		state.setStatus(retries, "running");
		state.updateTaskSets(retries);
	}
	for (const run of state.openTasks) state.updateTaskSets(run);
}

function removeStaged(state: RunState, number: number): StagedTask | undefined {
	const staged = state.stagedTasks.get(number);
	state.stagedTasks.delete(number);
	return staged;
}

function changeTask(state: RunState, number: number, change: (run: TaskRun) => void): void {
	const run = state.tasks[number];
	if (run !== undefined && !run.hasEnded) change(run);
}
