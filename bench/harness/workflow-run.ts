import { setTimeout as pause } from "node:timers/promises";
import { measureService, type ProcessorTime } from "./process-figures.ts";
import type { Service } from "./service.ts";

/** How long a workflow took. */
export interface WorkflowFigures {
	readonly id: string;
	/** From its start to its end, as it is recorded. */
	readonly seconds: number;
	/** Processor time from the request to the end, in seconds. */
	readonly time: ProcessorTime;
}

interface ExecutionRecord {
	readonly id: string;
	readonly status: string;
	readonly start_timestamp: string;
	readonly end_timestamp: string;
}

/** Run a workflow that must succeed. */
export async function runWorkflow(service: Service, action: string, parameters: object = {}): Promise<WorkflowFigures> {
	const { value, time } = await measureService(service.pid, async () => {
		const { id } = JSON.parse(await service.api.post("/v1/executions", JSON.stringify({ action, parameters }))) as ExecutionRecord;
		for (;;) {
			await pause(25);
			// Not the whole record: it names all children, and is asked for again and again.
			const record = JSON.parse(
				await service.api.get(`/v1/executions/${id}?include_attributes=status,start_timestamp,end_timestamp`),
			) as ExecutionRecord;
			if (record.status === "succeeded") return record;
			if (["failed", "timeout", "canceled", "abandoned"].includes(record.status))
				throw new Error(`workflow ${id} ended as ${record.status}`);
		}
	});
	return { id: value.id, seconds: (Date.parse(value.end_timestamp) - Date.parse(value.start_timestamp)) / 1_000, time };
}

/** Milliseconds from the end of each task of a chain to the start of the next. */
export async function gapsBetweenTasks(service: Service, id: string): Promise<readonly number[]> {
	const children = JSON.parse(await service.api.get(`/v1/executions/${id}/children`)) as readonly ExecutionRecord[];
	return children.slice(1).map((child, index) => Date.parse(child.start_timestamp) - Date.parse(children[index]?.end_timestamp ?? ""));
}
