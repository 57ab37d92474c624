import type { ChildRequest, JsonObject, JsonValue } from "../../../core/contract/index.ts";
import type { ItemsDefinition, TaskDefinition, Timing } from "../definition/definition.ts";
import { renderChild, toChildRequest } from "./child-request.ts";
import type { ConductorRun } from "./conductor-run.ts";
import type { ExpressionView } from "./evaluation.ts";
import type { AttemptFacts, Fact, ItemsFacts } from "./facts.ts";
import { isArray } from "./find-large-parts.ts";
import { RenderingError } from "./renderer.ts";
import { createFunctions } from "./scope.ts";
import type { StagedTask } from "./task-run.ts";

/** Maximum number of task starts in a run; it ends endless loops. */
export const maxTasks = 100_000;
/** Maximum number of items of a task. */
export const maxItems = 100_000;

type RenderedItems = Omit<ItemsFacts, "list"> & { readonly list: readonly JsonValue[] };

/** Staged task whose expressions have been evaluated. */
interface RenderedTask {
	readonly staged: StagedTask;
	readonly attempt: AttemptFacts;
	/** Action and parameters of the child. Null for a task without an action or with items. */
	readonly child: { readonly action: string; readonly parameters: JsonObject } | null;
	/** Facts of the first attempt; null for a retry. */
	readonly start: {
		readonly action: string | null;
		readonly retry?: { count: number; delay: number };
		readonly items?: RenderedItems;
	} | null;
}

/** Starts staged tasks. */
export class TaskStarter {
	readonly #run: ConductorRun;
	readonly #requests: ChildRequest[];

	constructor(run: ConductorRun, requests: ChildRequest[]) {
		this.#run = run;
		this.#requests = requests;
	}

	/**
	 * Starts at most `maxCount` tasks. If one of them cannot be rendered, all of them are blocked, and the workflow fails. Returns how many
	 * were started or blocked.
	 */
	async startTasks(maxCount: number): Promise<number> {
		const ready = this.#findReady().slice(0, Math.max(0, maxCount));
		const rendered: RenderedTask[] = [];
		const errors: JsonObject[] = [];
		for (const staged of ready) {
			try {
				rendered.push(await this.#render(staged));
			} catch (error) {
				if (!(error instanceof RenderingError)) throw error;
				errors.push({ message: error.message, task_id: staged.name, route: staged.route, data: error.data });
			}
		}
		const { state } = this.#run;
		if (errors.length === 0 && state.tasks.length - state.earlierTasks + ready.length > maxTasks) {
			const [first] = ready;
			const message = `TaskLimitError: The workflow has started ${maxTasks} tasks, the maximum.`;
			errors.push({ message, task_id: first?.name ?? null, route: first?.route ?? 0 });
		}
		if (errors.length > 0) this.#block(ready, errors);
		else for (const one of rendered) this.#start(one);
		return ready.length;
	}

	/** Returns the staged tasks that may start now, sorted by name and route. */
	#findReady(): readonly StagedTask[] {
		const { status, stagedTasks } = this.#run.state;
		if (status !== "running" && status !== "failed") return [];
		return [...stagedTasks.values()]
			.filter(({ isBlocked, runsOnFail }) => !isBlocked && (status === "running" || runsOnFail))
			.sort((one, other) => compare(one.name, other.name) || one.route - other.route || one.number - other.number);
	}

	#block(ready: readonly StagedTask[], errors: readonly JsonObject[]): void {
		this.#run.record({ fact: "block", staged: ready.map(({ number }) => number) });
		for (const error of errors) this.#run.recordError(error);
		this.#run.fail();
	}

	async #render(staged: StagedTask): Promise<RenderedTask> {
		const { definition, state, tools } = this.#run;
		const task = definition.tasks.get(staged.name);
		if (task === undefined) throw new RenderingError(`The task "${staged.name}" is not defined.`, {});
		const { variables, route, retries } = staged;
		const view: ExpressionView = {
			variables,
			functions: createFunctions({ state, workflowExecutionId: tools.workflowExecutionId, route }),
		};
		const keptItems = staged.keeps?.reset === false ? staged.keeps.task.items : null;
		const items =
			task.items === null || keptItems !== null || retries !== undefined ? undefined : await this.#renderItems(task.items, view);
		const retry = retries === undefined ? await this.#renderRetry(task, view) : undefined;
		const attempt = await this.#renderAttempt(staged, task, view);
		const child = task.action === null || task.items !== null ? null : await renderChild(this.#run, task, view);
		const action = child?.action ?? task.action;
		const start = retries === undefined ? { action, ...(retry && { retry }), ...(items && { items }) } : null;
		return { staged, attempt, child, start };
	}

	async #renderItems(items: ItemsDefinition, view: ExpressionView): Promise<RenderedItems> {
		const { renderer } = this.#run;
		const list = await renderer.render(items.list, view, items);
		if (!isArray(list))
			throw await renderer.createError(`TypeError: The value of "${items.list}" is not type of list.`, items.list, view, items);
		if (list.length > maxItems) {
			throw await renderer.createError(
				`ItemsLimitError: There are ${list.length} items; at most ${maxItems} are allowed.`,
				items.list,
				view,
				items,
			);
		}
		const isUnlimited = items.concurrency === null || (await renderer.render(items.concurrency.value, view, items.concurrency)) === null;
		const concurrency =
			isUnlimited || items.concurrency === null ? null : Math.max(1, await renderer.renderCount(items.concurrency, "concurrency", view));
		return { list, total: list.length, concurrency, continues: items.continuesOnFailure };
	}

	async #renderRetry({ retry }: TaskDefinition, view: ExpressionView): Promise<{ count: number; delay: number } | undefined> {
		if (retry === null) return undefined;
		const { renderer } = this.#run;
		const count = await renderer.renderCount(retry.count, "retry count", view);
		return { count, delay: retry.delay === null ? 0 : await renderer.renderCount(retry.delay, "retry delay", view) };
	}

	async #renderAttempt({ number, retries }: StagedTask, task: TaskDefinition, view: ExpressionView): Promise<AttemptFacts> {
		const { renderer, now } = this.#run;
		const renderDelay = async (delay: Timing | null) => (delay === null ? 0 : renderer.renderCount(delay, "task delay", view));
		const delaySeconds = retries === undefined ? await renderDelay(task.delay) : (retries.retry?.delay ?? 0);
		const timeoutSeconds = task.timeout === null ? undefined : await renderer.renderSeconds(task.timeout, "task timeout", view);
		const due = now + delaySeconds * 1e6;
		return {
			staged: number,
			...(delaySeconds > 0 && (task.action === null ? { due } : { delay: delaySeconds * 1000 })),
			...(timeoutSeconds !== undefined && { deadline: Math.round(due + timeoutSeconds * 1e6) }),
		};
	}

	#start({ staged, attempt, child, start }: RenderedTask): void {
		const { state } = this.#run;
		const taskNumber = state.tasks.length;
		if (start !== null) {
			const id = this.#run.toTaskId(staged.name, staged.route, taskNumber);
			const items = start.items && { ...start.items, list: this.#run.held.encode(start.items.list) };
			this.#run.record({ fact: "start", ...attempt, ...start, id, ...(items && { items }) } as Extract<Fact, { readonly fact: "start" }>);
		} else this.#run.record({ fact: "again", ...attempt, action: child?.action ?? null });
		const run = staged.retries ?? state.tasks[taskNumber];
		if (run !== undefined && child !== null) this.#requests.push(toChildRequest(this.#run, { run, item: undefined, ...child }));
	}
}

function compare(one: string, other: string): number {
	if (one === other) return 0;
	return one < other ? -1 : 1;
}
