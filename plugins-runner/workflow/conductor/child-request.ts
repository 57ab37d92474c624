import { type ChildRequest, isJsonObject, type JsonObject, type JsonValue } from "../../../core/contract/index.ts";
import type { TaskDefinition } from "../definition/definition.ts";
import type { ConductorRun } from "./conductor-run.ts";
import type { ExpressionView } from "./evaluation.ts";
import type { TaskRun } from "./task-run.ts";

/** Evaluates the action and the parameters of a child. Rejects with a `RenderingError`. */
export async function renderChild(
	run: ConductorRun,
	task: TaskDefinition,
	view: ExpressionView,
): Promise<{ action: string; parameters: JsonObject }> {
	const { renderer } = run;
	const locate = (member: string) => ({ spec_path: `${task.spec_path}.${member}`, line: task.line });
	const action = await renderer.render(task.action, view, locate("action"));
	if (typeof action !== "string" || !action.includes(".")) {
		throw await renderer.createError("ValueError: The action is not a reference such as pack.action.", task.action, view, locate("action"));
	}
	const parameters = await renderer.render(task.input, view, locate("input"));
	if (!isJsonObject(parameters))
		throw await renderer.createError("TypeError: The input is not an object.", task.input, view, locate("input"));
	return { action, parameters };
}

/** Returns the request to start a child. */
export function toChildRequest(
	{ tools }: ConductorRun,
	child: { readonly run: TaskRun; readonly item: number | undefined; readonly action: string; readonly parameters: JsonObject },
): ChildRequest {
	const { run, item, action, parameters } = child;
	const isFirst = item === undefined || run.items === null || item < run.items.concurrency;
	const partialRerun = toPartialRerun(run, item);
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
		...(partialRerun !== undefined && { takesUp: partialRerun }),
	};
}

/** Returns the child execution of the earlier run, some tasks of which run again; undefined if the child runs from the beginning. */
function toPartialRerun({ keeps, attempt }: TaskRun, item: number | undefined): ChildRequest["takesUp"] {
	if (keeps === undefined || keeps.inner.length === 0 || attempt > 1) return undefined;
	const executionId = keeps.task.childOf(item)?.id;
	if (executionId == null) return undefined;
	return { execution_id: executionId, tasks: keeps.inner, reset: keeps.innerReset };
}
