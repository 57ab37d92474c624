import { isJsonObject, type JsonObject, type RunProgress } from "../../../core/contract/index.ts";
import { HeldValues } from "./held-values.ts";
import { mergeDeep } from "./merge-deep.ts";
import { replay } from "./run.ts";
import { RunState } from "./run-state.ts";
import { selectTaken } from "./take-up.ts";
import type { TaskRun } from "./task-run.ts";
import { toMergedWrites } from "./variables.ts";

/** What the journal of a run tells of it. Of results of executions, and of parts of them, it tells where they are: `{"$result": [id, …path]}`. */
export async function progressOf(entries: readonly JsonObject[]): Promise<RunProgress> {
	const run = { state: new RunState(), held: new HeldValues() };
	await replay(run, entries);
	return toProgress(run.state, run.held);
}

/** True if a paused run with this journal can start a task or an item at once, or waits for the delay of a task without action. */
export async function hasHeldWork(entries: readonly JsonObject[]): Promise<boolean> {
	const run = { state: new RunState(), held: new HeldValues() };
	await replay(run, entries);
	const { staged, wantsItems, settled, waiting } = run.state;
	const isFree = ({ items }: TaskRun) => items !== null && items.active + items.resting < items.concurrency;
	return settled.size + waiting.size > 0 || [...staged.values()].some(({ isBlocked }) => !isBlocked) || [...wantsItems].some(isFree);
}

/** Rejects with `SVC_INVALID` when a run with this journal cannot be taken up again with these tasks. */
export async function assertTakenUp(entries: readonly JsonObject[], tasks: readonly string[], reset: readonly string[]): Promise<void> {
	const run = { state: new RunState(), held: new HeldValues() };
	await replay(run, entries);
	selectTaken(run.state, tasks, reset);
}

export function toProgress(state: RunState, held: HeldValues): RunProgress {
	const variables = state.published.names().map((name) => {
		const write = state.published.get(name);
		const values = write === undefined ? [] : toMergedWrites(write, () => false).map((one) => held.show(one.held));
		return [name, values.length === 0 ? null : values.reduce(mergeDeep)] as const;
	});
	const errors = state.errors.map((entry) => held.show(entry)).filter(isJsonObject);
	return {
		definition: state.definition,
		tasks: state.tasks.filter(({ isSuperseded }) => !isSuperseded).map((task) => task.toState()),
		variables: Object.fromEntries(variables),
		errors,
	};
}
