import type { ChildRequest, JsonValue } from "../../../core/contract/index.ts";
import type { TaskDefinition } from "../definition/definition.ts";
import { ByteCache } from "./byte-cache.ts";
import { renderChild, toChildRequest } from "./child-request.ts";
import type { ConductorRun } from "./conductor-run.ts";
import type { ExpressionView } from "./evaluation.ts";
import { estimateBytes, isArray } from "./find-large-parts.ts";
import { RenderingError } from "./renderer.ts";
import { createFunctions } from "./scope.ts";
import type { TaskRun } from "./task-run.ts";

/**
 * Maximum number of items of a workflow that are active at once, even if its tasks allow a higher concurrency. Further items start as
 * active ones end. With an execution stored for each of 100,000 items, other executions would be delayed, and each listing of open children
 * would read them all.
 */
const maxActiveItems = 1_000;
/** Maximum bytes of item lists that are cached between items. */
const maxCacheBytes = 16 * 1024 * 1024;

/** Starts items of running tasks. */
export class ItemStarter {
	readonly #run: ConductorRun;
	readonly #requests: ChildRequest[];
	readonly #lists = new ByteCache<TaskRun, readonly JsonValue[]>(maxCacheBytes);

	constructor(run: ConductorRun, requests: ChildRequest[]) {
		this.#run = run;
		this.#requests = requests;
	}

	/**
	 * Starts at most `maxCount` items and returns how many. If an item cannot be rendered, the workflow fails, and this counts as one more
	 * item.
	 */
	async start(maxCount: number): Promise<number> {
		const { status, tasksWantingItems } = this.#run.state;
		if (status !== "running" && status !== "failed") return 0;
		const maxStarts = Math.min(maxCount, maxActiveItems - this.#run.state.active);
		let started = 0;
		for (const run of [...tasksWantingItems]) {
			if (started >= maxStarts) break;
			started += await this.#startItemsOf(run, maxStarts - started);
		}
		return started;
	}

	async #startItemsOf(run: TaskRun, maxCount: number): Promise<number> {
		const { items } = run;
		const task = this.#run.definition.tasks.get(run.name);
		if (items === null || task === undefined) return 0;
		const freeSlots = Math.min(maxCount, items.concurrency - items.active - items.resting);
		const requests: ChildRequest[] = [];
		let to = items.next;
		for (; to < items.total && requests.length < freeSlots; to++) {
			if (items.children[to] !== undefined) continue;
			try {
				const child = await renderChild(this.#run, task, await this.#toView(run, task, to));
				requests.push(toChildRequest(this.#run, { run, item: to, ...child }));
			} catch (error) {
				if (!(error instanceof RenderingError)) throw error;
				return this.#break(run, error);
			}
		}
		if (requests.length > 0) this.#run.record({ fact: "ask", task: run.number, to });
		this.#requests.push(...requests);
		return requests.length;
	}

	async #toView(run: TaskRun, task: TaskDefinition, at: number): Promise<ExpressionView> {
		const list = await this.#readList(run);
		const { state, tools } = this.#run;
		const item = toItem(list[at] ?? null, task.items?.names ?? []);
		const functions = createFunctions({ state, workflowExecutionId: tools.workflowExecutionId, route: run.route, item });
		return { variables: run.variables, functions };
	}

	async #readList(run: TaskRun): Promise<readonly JsonValue[]> {
		const cached = this.#lists.get(run);
		if (cached !== undefined) return cached;
		const decoded = await this.#run.evaluation.decode(run.items?.list ?? []);
		const list = isArray(decoded) ? decoded : [];
		this.#lists.set(run, list, estimateBytes(list));
		return list;
	}

	/** Starts no more items of a task, because one cannot be rendered. Active items are awaited. */
	#break(run: TaskRun, error: RenderingError): number {
		this.#run.record({ fact: "break", task: run.number });
		this.#run.recordError({ message: error.message, task_id: run.name, route: run.route, data: error.data });
		this.#run.fail();
		return 1;
	}
}

/** Returns the value of `item()`. If the definition names the parts of an item, it is an object with these names. */
function toItem(item: JsonValue, names: readonly string[]): JsonValue {
	if (names.length === 0) return item;
	const values = isArray(item) ? item : [item];
	return Object.fromEntries(names.slice(0, values.length).map((name, at) => [name, values[at] ?? null]));
}
