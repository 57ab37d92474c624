import { type ExecutionEntity, type Storage, SvcError } from "../../contract/index.ts";
import type { Uses } from "../basics/engine-parts.ts";
import { readJournal } from "../executions/read-journal.ts";
import { isCompleted } from "../executions/status.ts";

/** A partial re-run: selected tasks of an execution that has ended run again in a new execution. */
export interface PartialRerun {
	readonly earlier: Pick<ExecutionEntity, "id" | "context">;
	/** Names of the tasks to run again. */
	readonly tasks: readonly string[];
	/** Names of the tasks among `tasks` that start from the beginning. */
	readonly reset: readonly string[];
}

export interface PartialRerunOptions extends Uses<"runners"> {
	readonly storage: Pick<Storage, "find">;
}

/** Checks that selected tasks of an execution can run again, and returns them without duplicates. Throws `SVC_INVALID` if they cannot. */
export async function checkPartialRerun(
	{ storage, runners }: PartialRerunOptions,
	earlier: Pick<ExecutionEntity, "id" | "context" | "status" | "runner_name">,
	{ tasks, reset }: Pick<PartialRerun, "tasks" | "reset">,
): Promise<PartialRerun> {
	const { id, runner_name, status } = earlier;
	const definitions = runners.get(runner_name)?.definitions;
	if (definitions?.assertTakenUp === undefined) {
		throw new SvcError("SVC_INVALID", `tasks: runner type "${runner_name}" has no tasks to run again`);
	}
	const unexpected = reset.filter((task) => !tasks.includes(task));
	if (unexpected.length > 0) throw new SvcError("SVC_INVALID", `reset: must be among tasks; these are not: ${unexpected.join(", ")}`);
	if (!isCompleted(status)) {
		throw new SvcError("SVC_INVALID", `tasks: execution "${id}" has not ended, it is "${status}"; its tasks cannot run again before`);
	}
	await definitions.assertTakenUp(await readJournal(storage, id), tasks, reset);
	return { earlier, tasks: [...new Set(tasks)], reset: [...new Set(reset)] };
}
