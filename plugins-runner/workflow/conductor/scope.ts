import type { ExpressionFunction, JsonValue } from "../../../core/contract/index.ts";
import { isJsonObject, SvcError } from "../../../core/contract/index.ts";
import type { RunState } from "./run-state.ts";
import { type ChildRun, isEndStatus, type TaskRun, toTimestamp } from "./task-run.ts";

type Lookup = (executionId: string) => JsonValue | undefined;

export interface ScopeFacts {
	readonly state: RunState;
	readonly workflowExecutionId: string;
	/** Task whose transitions or parameters are evaluated. */
	readonly run?: TaskRun;
	readonly route?: number;
	/** Status with which the task ends. */
	readonly outcome?: string;
	readonly item?: JsonValue;
}

/** Names of all functions that are available somewhere in a definition. */
export const scopeFunctionNames = ["task", "task_status", "item", "result", "succeeded", "failed", "timed_out", "completed"] as const;

type ScopeFunctions = Readonly<Partial<Record<(typeof scopeFunctionNames)[number], ExpressionFunction>>>;

/** Returns the functions that read tasks and results, as far as they are available for these facts. */
export function createFunctions(facts: ScopeFacts): (lookup: Lookup) => ScopeFunctions {
	return (lookup) => ({
		task: (positional, named) => toTaskRecord(facts, { positional, named }, lookup),
		task_status: (positional) => statusOf(findTask(facts, positional[0] ?? null, undefined), facts),
		...(facts.item === undefined ? {} : { item: toItemFunction(facts.item) }),
		...(facts.run === undefined || facts.outcome === undefined ? {} : outcomeFunctions(facts.run, facts.outcome, lookup)),
	});
}

/** Returns the result of a task: the result of its child, or the list of results of its items. */
export function toResult(run: TaskRun, lookup: Lookup): JsonValue {
	if (run.items !== null) return Array.from(run.items.children, (child) => toChildResult(child, lookup));
	return toChildResult(run.child ?? undefined, lookup);
}

function outcomeFunctions(run: TaskRun, outcome: string, lookup: Lookup): ScopeFunctions {
	return {
		result: () => toResult(run, lookup),
		succeeded: () => outcome === "succeeded",
		failed: () => outcome === "failed" || outcome === "timeout",
		timed_out: () => outcome === "timeout",
		completed: () => isEndStatus(outcome),
	};
}

function toItemFunction(item: JsonValue): ExpressionFunction {
	return (positional) => {
		const [name] = positional;
		if (name === undefined) return item;
		if (typeof name === "string" && isJsonObject(item) && Object.hasOwn(item, name)) return item[name] ?? null;
		throw new SvcError("SVC_INVALID", `item has no "${String(name).slice(0, 100)}"`);
	};
}

function toChildResult(child: ChildRun | undefined, lookup: Lookup): JsonValue {
	if (child?.message !== undefined) return { error: child.message };
	if (child?.id == null || child.status === "asked") return null;
	return isEndStatus(child.status) || child.status === "pending" ? (lookup(child.id) ?? null) : null;
}

function findTask({ state, run, route }: ScopeFacts, name: JsonValue, routeArgument: JsonValue | undefined): TaskRun | undefined {
	if (typeof name !== "string") return undefined;
	if (typeof routeArgument === "number") return state.findTask(name, routeArgument);
	const currentRoute = run?.route ?? route;
	return currentRoute === undefined ? (state.findTask(name, 0) ?? state.findTaskOnAnyRoute(name)) : state.findTask(name, currentRoute);
}

/** Returns the status of a task. A task whose transitions are evaluated already has its end status. */
function statusOf(task: TaskRun | undefined, { run, outcome }: ScopeFacts): string {
	return (task !== undefined && task === run ? outcome : undefined) ?? task?.status ?? "null";
}

function toTaskRecord(
	facts: ScopeFacts,
	{ positional, named }: { readonly positional: readonly JsonValue[]; readonly named: Readonly<Record<string, JsonValue>> },
	lookup: Lookup,
): JsonValue {
	const name = positional[0] ?? named["task_id"] ?? facts.run?.name ?? null;
	const isOwn = positional[0] === undefined && facts.run !== undefined;
	const task = isOwn ? facts.run : findTask(facts, name, positional[1] ?? named["route"]);
	if (task === undefined) throw new SvcError("SVC_INVALID", `Unable to find task execution for "${String(name).slice(0, 100)}".`);
	const record = {
		task_execution_id: task.id,
		workflow_execution_id: facts.workflowExecutionId,
		task_name: task.name,
		task_id: task.name,
		route: task.route,
		status: statusOf(task, facts),
		start_timestamp: toTimestamp(task.startedAt),
		end_timestamp: task.endedAt === null ? null : toTimestamp(task.endedAt),
	};
	// Read on access: most expressions do not use the result, and it may be large.
	Object.defineProperty(record, "result", { enumerable: true, configurable: true, get: () => toTaskResult(task, lookup) });
	return record;
}

function toTaskResult(run: TaskRun, lookup: Lookup): JsonValue {
	if (run.items === null) return toResult(run, lookup);
	return { items: Array.from(run.items.children, (child) => ({ status: child?.status ?? null, result: toChildResult(child, lookup) })) };
}
