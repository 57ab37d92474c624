import { type ExecutionEntity, type Runner, type Storage, SvcError } from "../../contract/index.ts";
import { readJournal } from "../executions/journal-entries.ts";
import { isCompleted } from "../executions/status.ts";

/** An execution that has ended, of which chosen tasks are to run again. */
export interface TakeUp {
	readonly earlier: Pick<ExecutionEntity, "id" | "context">;
	readonly tasks: readonly string[];
	readonly reset: readonly string[];
}

export interface TakeUpParts {
	readonly storage: Pick<Storage, "find">;
	readonly runners: ReadonlyMap<string, Runner>;
}

/** Look whether chosen tasks of an execution can run again. `SVC_INVALID` says why not. */
export async function checkTakeUp(
	{ storage, runners }: TakeUpParts,
	earlier: Pick<ExecutionEntity, "id" | "context" | "status" | "runner_name">,
	{ tasks, reset }: Pick<TakeUp, "tasks" | "reset">,
): Promise<TakeUp> {
	const { id, runner_name, status } = earlier;
	const definitions = runners.get(runner_name)?.definitions;
	if (definitions?.assertTakenUp === undefined) {
		throw new SvcError("SVC_INVALID", `tasks: runner type "${runner_name}" has no tasks to run again`);
	}
	const unknown = reset.filter((task) => !tasks.includes(task));
	if (unknown.length > 0) throw new SvcError("SVC_INVALID", `reset: must be among tasks; these are not: ${unknown.join(", ")}`);
	if (!isCompleted(status)) {
		throw new SvcError("SVC_INVALID", `tasks: execution "${id}" has not ended, it is "${status}"; its tasks cannot run again before`);
	}
	await definitions.assertTakenUp(await readJournal(storage, id), tasks, reset);
	return { earlier, tasks: [...new Set(tasks)], reset: [...new Set(reset)] };
}
