import { isJsonObject, type JsonObject, type RunProgress } from "../../../core/contract/index.ts";
import { replay } from "./conductor-run.ts";
import { JournalValues } from "./journal-values.ts";
import { mergeDeep } from "./merge-deep.ts";
import { selectRerunTasks } from "./partial-rerun.ts";
import { RunState } from "./run-state.ts";
import type { TaskRun } from "./task-run.ts";
import { toMergedWrites } from "./variables.ts";

/**
 * Returns the progress of a run, from its journal. Results of executions, and parts of them, appear as references: `{"$result": [id,
 * …path]}`.
 */
export async function readProgress(entries: readonly JsonObject[]): Promise<RunProgress> {
	const run = { state: new RunState(), held: new JournalValues() };
	await replay(run, entries);
	return toProgress(run.state, run.held);
}

/** Returns true if a paused run with this journal has work: a task or item that can start, or a delay that is not over. */
export async function hasHeldWork(entries: readonly JsonObject[]): Promise<boolean> {
	const run = { state: new RunState(), held: new JournalValues() };
	await replay(run, entries);
	const { stagedTasks, tasksWantingItems, settledTasks, delayedTasks } = run.state;
	const isFree = ({ items }: TaskRun) => items !== null && items.active + items.resting < items.concurrency;
	return (
		settledTasks.size + delayedTasks.size > 0 ||
		[...stagedTasks.values()].some(({ isBlocked }) => !isBlocked) ||
		[...tasksWantingItems].some(isFree)
	);
}

/** Rejects with `SVC_INVALID` if these tasks of a run with this journal cannot run again. */
export async function assertCanRerun(entries: readonly JsonObject[], tasks: readonly string[], reset: readonly string[]): Promise<void> {
	const run = { state: new RunState(), held: new JournalValues() };
	await replay(run, entries);
	selectRerunTasks(run.state, tasks, reset);
}

export function toProgress(state: RunState, held: JournalValues): RunProgress {
	const variables = state.publishedVariables.names().map((name) => {
		const write = state.publishedVariables.get(name);
		const values = write === undefined ? [] : toMergedWrites(write, () => false).map((one) => held.decodeForDisplay(one.held));
		return [name, values.length === 0 ? null : values.reduce(mergeDeep)] as const;
	});
	const errors = state.errors.map((entry) => held.decodeForDisplay(entry)).filter(isJsonObject);
	return {
		definition: state.definition,
		tasks: state.tasks.filter(({ isSuperseded }) => !isSuperseded).map((task) => task.toState()),
		variables: Object.fromEntries(variables),
		errors,
	};
}
