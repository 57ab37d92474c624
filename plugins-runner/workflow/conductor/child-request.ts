import { type ChildRequest, isJsonObject, type JsonObject, type JsonValue } from "../../../core/contract/index.ts";
import type { TaskDefinition } from "../definition/definition.ts";
import type { ConductorRun } from "./conductor-run.ts";
import type { ExpressionView } from "./evaluation.ts";
import type { TaskRun } from "./task-run.ts";

/** Action and parameters of a child, evaluated. */
export async function renderChild(
	run: ConductorRun,
	task: TaskDefinition,
	view: ExpressionView,
): Promise<{ action: string; parameters: JsonObject }> {
	const { renderer } = run;
	const place = (member: string) => ({ spec_path: `${task.spec_path}.${member}`, line: task.line });
	const action = await renderer.render(task.action, view, place("action"));
	if (typeof action !== "string" || !action.includes(".")) {
		throw await renderer.createError("ValueError: The action is no reference such as pack.action.", task.action, view, place("action"));
	}
	const parameters = await renderer.render(task.input, view, place("input"));
	if (!isJsonObject(parameters)) throw await renderer.createError("TypeError: The input is no object.", task.input, view, place("input"));
	return { action, parameters };
}

/** What asks for a child. */
export function toChildRequest(
	{ tools }: ConductorRun,
	child: { readonly run: TaskRun; readonly item: number | undefined; readonly action: string; readonly parameters: JsonObject },
): ChildRequest {
	const { run, item, action, parameters } = child;
	const isFirst = item === undefined || run.items === null || item < run.items.concurrency;
	const takesUp = toTakenUp(run, item);
	const workflow: Record<string, JsonValue> = {
		workflow_execution_id: tools.workflowExecutionId,
		task_execution_id: run.id,
		task_name: run.name,
		task_id: run.name,
		task_route: run.route,
		...(item !== undefined && { item_id: item }),
	};
	return {
		key: run.keyOf(item),
		action,
		parameters,
		context: { workflow },
		...(run.delay > 0 && isFirst && { delay: run.delay }),
		...(takesUp !== undefined && { takesUp }),
	};
}

/** The child of an earlier run whose own tasks are to run again. */
function toTakenUp({ keeps, attempt }: TaskRun, item: number | undefined): ChildRequest["takesUp"] {
	if (keeps === undefined || keeps.inner.length === 0 || attempt > 1) return undefined;
	const executionId = keeps.task.childOf(item)?.id;
	if (executionId == null) return undefined;
	return { execution_id: executionId, tasks: keeps.inner, reset: keeps.innerReset };
}
