import type { ChildRequest, JsonValue } from "../../../core/contract/index.ts";
import type { TaskDefinition } from "../definition/definition.ts";
import { ByteCache } from "./byte-cache.ts";
import { renderChild, toChildRequest } from "./child-request.ts";
import type { ConductorRun } from "./conductor-run.ts";
import type { ExpressionView } from "./evaluation.ts";
import { RenderingError } from "./renderer.ts";
import { createFunctions } from "./scope.ts";
import type { TaskRun } from "./task-run.ts";
import { estimateBytes, isArray } from "./value-scan.ts";

/**
 * Items of a workflow that are on their way at once, whatever their tasks allow: the next ones start as these end. With one execution stored for each of
 * 100,000 items, all others would wait behind them, and each look at what is open would read them all.
 */
const maxActive = 1_000;
/** Lists that are kept from one item to the next. */
const cacheBytes = 16 * 1024 * 1024;

/** Starts items of tasks that run. */
export class ItemStarter {
	readonly #run: ConductorRun;
	readonly #requests: ChildRequest[];
	readonly #lists = new ByteCache<TaskRun, readonly JsonValue[]>(cacheBytes);

	constructor(run: ConductorRun, requests: ChildRequest[]) {
		this.#run = run;
		this.#requests = requests;
	}

	/** Starts at most as many as there is room for; how many. The workflow fails when one of them cannot be rendered. */
	async start(room: number): Promise<number> {
		const { status, tasksWantingItems } = this.#run.state;
		if (status !== "running" && status !== "failed") return 0;
		const most = Math.min(room, maxActive - this.#run.state.active);
		let started = 0;
		for (const run of [...tasksWantingItems]) {
			if (started >= most) break;
			started += await this.#startSome(run, most - started);
		}
		return started;
	}

	async #startSome(run: TaskRun, room: number): Promise<number> {
		const { items } = run;
		const task = this.#run.definition.tasks.get(run.name);
		if (items === null || task === undefined) return 0;
		const free = Math.min(room, items.concurrency - items.active - items.resting);
		const requests: ChildRequest[] = [];
		let to = items.next;
		for (; to < items.total && requests.length < free; to++) {
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
		const list = await this.#list(run);
		const { state, tools } = this.#run;
		const item = toItem(list[at] ?? null, task.items?.names ?? []);
		const functions = createFunctions({ state, workflowExecutionId: tools.workflowExecutionId, route: run.route, item });
		return { variables: run.variables, functions };
	}

	async #list(run: TaskRun): Promise<readonly JsonValue[]> {
		const known = this.#lists.get(run);
		if (known !== undefined) return known;
		const opened = await this.#run.evaluation.decode(run.items?.list ?? []);
		const list = isArray(opened) ? opened : [];
		this.#lists.set(run, list, estimateBytes(list));
		return list;
	}

	/** Those that have been started are waited for. */
	#break(run: TaskRun, error: RenderingError): number {
		this.#run.record({ fact: "break", task: run.number });
		this.#run.recordError({ message: error.message, task_id: run.name, route: run.route, data: error.data });
		this.#run.fail();
		return 1;
	}
}

/** What `item()` is: with names, an object of them. */
function toItem(item: JsonValue, names: readonly string[]): JsonValue {
	if (names.length === 0) return item;
	const values = isArray(item) ? item : [item];
	return Object.fromEntries(names.slice(0, values.length).map((name, at) => [name, values[at] ?? null]));
}
