import type { ExecutionRecord, RunGraphRecord, StreamEventRecord } from "../../features/clients.ts";
import { type Resource, useResource } from "../kit/resource.ts";
import { client } from "../kit/service.ts";

/** A task of the definition, with its runs. */
export type RunNode = RunGraphRecord["nodes"][number];

/** The definition that a run has, with how far it has come, as it goes on. */
export function useRunGraph(run: ExecutionRecord): Resource<RunGraphRecord> {
	return useResource((signal) => client.executions.graph(run.id, { signal }), [run.id], {
		isTouched: (event) => tellsOfTasks(event, run.id),
	});
}

/** Whether an event tells that a task of a run may have changed. */
export function tellsOfTasks({ name, data }: StreamEventRecord, id: string): boolean {
	if (typeof data !== "object" || data === null) return false;
	if (name === "svc.task__update") return "execution_id" in data && data["execution_id"] === id;
	return name.startsWith("svc.execution__") && "id" in data && data["id"] === id;
}
