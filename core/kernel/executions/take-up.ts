import { type ExecutionEntity, type JsonObject, type Runner, type Storage, SvcError } from "../../contract/index.ts";
import { Breath } from "../basics/breath.ts";
import { isCompleted } from "./status.ts";

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

/** Entries of a journal that are read at a time. */
const pageSize = 500;

/** Everything that the runs of an execution have decided, the oldest first. Read page by page, so that a long journal does not hold up others. */
export async function readJournal(storage: Pick<Storage, "find">, executionId: string): Promise<readonly JsonObject[]> {
	const entries: JsonObject[] = [];
	const breath = new Breath();
	for (let after = 0; ; await breath.take()) {
		const rows = await storage.find("journal_entry", {
			where: { execution_id: executionId, sequence: { gt: after } },
			orderBy: [["sequence", "asc"]],
			limit: pageSize,
			fields: ["sequence", "entry"],
		});
		for (const { sequence, entry } of rows) {
			entries.push(entry);
			after = sequence;
		}
		if (rows.length < pageSize) return entries;
	}
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
