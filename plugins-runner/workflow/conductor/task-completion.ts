import type { JsonObject, JsonValue, TaskStatus } from "../../../core/contract/index.ts";
import type { Edge, TransitionDefinition } from "../definition/definition.ts";
import { engineCommands } from "../definition/definition.ts";
import type { ConductorRun } from "./conductor-run.ts";
import type { ExpressionView } from "./evaluation.ts";
import type { FollowedEdge } from "./facts.ts";
import type { JournalValue } from "./journal-values.ts";
import { mergeDeep } from "./merge-deep.ts";
import { RenderingError } from "./renderer.ts";
import { createFunctions } from "./scope.ts";
import type { ChildRun, TaskRun } from "./task-run.ts";

/** Edge whose condition holds, with the variables that it publishes. */
interface HoldingEdge {
	readonly edge: Edge;
	readonly published: Map<string, JsonValue>;
}

/** Maximum number of items of one task for which an error is recorded. */
const maxItemErrors = 100;
const failureMessages: Readonly<Record<string, string>> = {
	failed: "Execution failed. See result for details.",
	timeout: "Execution timed out. See result for details.",
	abandoned: "Execution was abandoned. See result for details.",
};

/** Completes tasks whose children have ended: decides on retries, transitions and errors. */
export class TaskCompletion {
	readonly #run: ConductorRun;

	constructor(run: ConductorRun) {
		this.#run = run;
	}

	/** Completes a task. Records nothing before everything is evaluated, so that a call that failed can be repeated. */
	async complete(task: TaskRun): Promise<void> {
		const outcome = toOutcome(task);
		const { state } = this.#run;
		if (state.isEnding) {
			if (state.status === "timeout") this.#recordFailures(task, outcome);
			this.#end(task, isIncomplete(task) ? "canceled" : outcome, []);
			return;
		}
		if (outcome === "canceled") {
			this.#end(task, "canceled", []);
			if (state.status !== "failed") this.#run.record({ fact: "status", status: "canceling" });
			return;
		}
		const errors: JsonObject[] = [];
		if (await this.#shouldRetry(task, outcome, errors)) {
			this.#recordFailures(task, outcome);
			this.#run.record({ fact: "retry", task: task.number });
			return;
		}
		const followed = await this.#findHoldingEdges(task, outcome, errors);
		this.#recordFailures(task, outcome);
		this.#endAndStageNext(task, { outcome, followed, errors });
	}

	#end(task: TaskRun, status: TaskStatus, next: readonly FollowedEdge[]): void {
		this.#run.record({ fact: "end", task: task.number, status, next });
	}

	async #shouldRetry(task: TaskRun, outcome: TaskStatus, errors: JsonObject[]): Promise<boolean> {
		const { definition, renderer, state } = this.#run;
		const retry = definition.tasks.get(task.name)?.retry ?? null;
		if (retry === null || task.retry === null || task.attempt > task.retry.count || state.status === "failed") return false;
		if (retry.when === null) return isFailure(outcome);
		try {
			return await renderer.evaluateCondition(retry.when, this.#toView(task, outcome), {
				spec_path: `${retry.spec_path}.when`,
				line: retry.line,
			});
		} catch (error) {
			errors.push(toErrorEntry(error, { task_id: task.name, route: task.route }));
			return false;
		}
	}

	/** Returns the edges whose condition holds. The condition of a transition is evaluated once, its published variables for each target. */
	async #findHoldingEdges(task: TaskRun, outcome: TaskStatus, errors: JsonObject[]): Promise<readonly HoldingEdge[]> {
		const view = this.#toView(task, outcome);
		const conditions = new Map<number, boolean | unknown>();
		const followed: HoldingEdge[] = [];
		for (const edge of this.#run.definition.graph.from.get(task.name) ?? []) {
			const names = { task_id: task.name, route: task.route, task_transition_id: edge.id };
			try {
				if (!conditions.has(edge.transition.index)) conditions.set(edge.transition.index, await this.#holds(edge.transition, view));
				const holds = conditions.get(edge.transition.index);
				if (holds === true) followed.push({ edge, published: await this.#publish(edge.transition, view) });
				else if (holds !== false) errors.push(toErrorEntry(holds, names));
			} catch (error) {
				errors.push(toErrorEntry(error, names));
			}
		}
		return followed;
	}

	/** Evaluates the condition. Returns an error instead of throwing it, because it is recorded for each target. */
	async #holds(transition: TransitionDefinition, view: ExpressionView): Promise<boolean | unknown> {
		if (transition.when === null) return true;
		try {
			return await this.#run.renderer.evaluateCondition(transition.when, view, {
				...transition,
				spec_path: `${transition.spec_path}.when`,
			});
		} catch (error) {
			return error;
		}
	}

	/** Evaluates published variables in order; later ones see earlier ones. */
	async #publish({ publish }: TransitionDefinition, view: ExpressionView): Promise<Map<string, JsonValue>> {
		const published = new Map<string, JsonValue>();
		const overlay = new Map<string, JsonValue>();
		for (const assignment of publish) {
			const publishView = { ...view, overlay };
			const value = await this.#run.renderer.render(assignment.value, publishView, assignment);
			const [[, before] = []] = await this.#run.evaluation.readVariables([assignment.name], publishView);
			const earlier = published.get(assignment.name);
			published.set(assignment.name, earlier === undefined ? value : mergeDeep(earlier, value));
			overlay.set(assignment.name, before === undefined ? value : mergeDeep(before, value));
		}
		return published;
	}

	#endAndStageNext(
		task: TaskRun,
		{
			outcome,
			followed,
			errors,
		}: { readonly outcome: TaskStatus; readonly followed: readonly HoldingEdge[]; readonly errors: readonly JsonObject[] },
	): void {
		const next = followed.map((one) => this.#toFollowed(task, one));
		this.#end(task, outcome, next);
		for (const error of errors) this.#run.recordError(error);
		const hasCommand = next.some(({ to, isCommand }) => isCommand && to === "fail");
		if (hasCommand) this.#run.recordError({ message: failureMessages["failed"] ?? "", task_id: "fail" });
		const isHandled = next.some(({ to, isCommand }) => !isCommand || to !== "continue");
		if (hasCommand || errors.length > 0 || (isFailure(outcome) && !isHandled)) this.#run.fail();
	}

	#toFollowed(task: TaskRun, { edge, published }: HoldingEdge): FollowedEdge {
		const { definition, state } = this.#run;
		const isCommand = engineCommands.some((command) => command === edge.target);
		const join = definition.tasks.get(edge.target)?.join ?? null;
		const sources = definition.graph.sources.get(edge.target)?.length ?? 1;
		const route = toRouteEdge(edge);
		const isNew = definition.graph.splits.has(edge.target) && !state.hasEdge(task.route, route);
		return {
			id: route,
			to: edge.target,
			transition: edge.transition.index,
			...(published.size > 0 && { published: this.#run.encode(Object.fromEntries(published)) }),
			...(isNew && { route: "new" as const }),
			...(join !== null && { needs: join === "all" ? sources : join }),
			...(isCommand && { isCommand: true as const }),
		};
	}

	#recordFailures(task: TaskRun, outcome: TaskStatus): void {
		if (task.hasExpired) {
			this.#run.recordError({ message: "TimeoutError: The task exceeded its timeout.", task_id: task.name, route: task.route });
			return;
		}
		if (!isFailure(outcome)) return;
		let errorCount = 0;
		const children = task.items === null ? [task.child] : task.items.children;
		for (const [at, child] of children.entries()) {
			if (child == null || failureMessages[child.status] === undefined) continue;
			if (++errorCount > maxItemErrors) return;
			this.#recordFailure(task, child, task.items === null ? undefined : at);
		}
	}

	/** Records an error that refers to the result of the child, without reading it. */
	#recordFailure(task: TaskRun, child: ChildRun, item: number | undefined): void {
		if (child.message !== undefined) {
			this.#run.recordError({ message: child.message, task_id: task.name, route: task.route });
			return;
		}
		const result: JournalValue = child.id === null ? null : { $: [child.id] };
		const entry = { type: "error", message: failureMessages[child.status] ?? "", task_id: task.name };
		this.#run.record({ fact: "error", entry: { ...entry, result, ...(item !== undefined && { item_id: item }) } });
	}

	#toView(task: TaskRun, outcome: TaskStatus): ExpressionView {
		const { state, tools } = this.#run;
		const functions = createFunctions({ state, workflowExecutionId: tools.workflowExecutionId, run: task, outcome });
		return { variables: task.variables, functions };
	}
}

/** Returns an id for an edge that is unique within the graph: edges from several tasks may have the same id. */
function toRouteEdge({ source, id }: Edge): string {
	return `${source}__${id}`;
}

function toOutcome(task: TaskRun): TaskStatus {
	if (task.hasExpired) return "timeout";
	if (task.isBroken) return "failed";
	if (task.items !== null) return task.items.canceled > 0 ? "canceled" : task.items.failed > 0 ? "failed" : "succeeded";
	const status = task.child?.status ?? "succeeded";
	if (status === "succeeded" || status === "timeout" || status === "canceled") return status;
	return "failed";
}

/** Returns true if the task was not finished: it had further items to start, or a delay that was not over. */
function isIncomplete(task: TaskRun): boolean {
	return task.wantsItems || (task.child === null && task.items === null && task.due !== null && !task.hasExpired);
}

function isFailure(outcome: TaskStatus): boolean {
	return outcome === "failed" || outcome === "timeout";
}

function toErrorEntry(error: unknown, names: JsonObject): JsonObject {
	if (!(error instanceof RenderingError)) throw error;
	return { message: error.message, ...names, data: error.data };
}
