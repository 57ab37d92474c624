import type { ExecutionRecord, RunGraphRecord, StreamEventRecord } from "../../../_shipped/client.ts";
import { type Resource, useResource } from "../kit/resource.ts";
import { client } from "../kit/service.ts";

/** A task of the workflow definition with its runs. */
export type TaskNode = RunGraphRecord["nodes"][number];

/** Returns the workflow graph of a run with the state of its tasks, as a resource that is read again when a task changes. */
export function useExecutionGraph(run: ExecutionRecord): Resource<RunGraphRecord> {
	return useResource((signal) => client.executions.graph(run.id, { signal }), [run.id], {
		isTouched: (event) => tellsOfTasks(event, run.id),
	});
}

/** Returns true if an event indicates that a task of the run may have changed. */
export function tellsOfTasks({ name, data }: StreamEventRecord, id: string): boolean {
	if (typeof data !== "object" || data === null) return false;
	if (name === "svc.task__update") return "execution_id" in data && data["execution_id"] === id;
	return name.startsWith("svc.execution__") && "id" in data && data["id"] === id;
}
