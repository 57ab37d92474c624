import type { TaskState } from "../../contract/index.ts";
import type { ExecutionClient, ExecutionRecord } from "./client.ts";

/** A line of the task tree of a workflow, with the lines below it. */
export interface TaskNode {
	/** Name of the task. For one of several executions of a task, its number, such as `#2`. */
	readonly name: string;
	readonly status: string;
	readonly elapsed_seconds?: number;
	readonly action?: string;
	/** Id of the last execution of the task; undefined if the task started none. */
	readonly id?: string;
	readonly tasks: readonly TaskNode[];
}

/** Limits for reading a task tree. */
export interface TaskTreeOptions {
	/** Maximum number of levels of nested workflows. Default: all, within `maxWorkflows`. */
	readonly depth?: number | undefined;
	readonly signal?: AbortSignal | undefined;
}

type Tasks = Pick<ExecutionClient["executions"], "tasks" | "get">;

/** Maximum number of workflows read for one tree. Each of them needs requests of its own. */
const maxWorkflows = 100;
const attributes = "id,status,elapsed_seconds,action.ref,liveaction";

export async function readTaskTree(client: Tasks, id: string, { depth, signal }: TaskTreeOptions = {}): Promise<readonly TaskNode[]> {
	return new TaskTree(client, signal).read(id, depth ?? Number.POSITIVE_INFINITY);
}

/** Returns all tasks of a workflow. Reads all pages. */
export async function readTasks(client: Pick<Tasks, "tasks">, id: string, signal?: AbortSignal): Promise<readonly TaskState[]> {
	const all: TaskState[] = [];
	for (;;) {
		const { items, total = 0 } = await client.tasks(id, { offset: all.length }, { signal });
		all.push(...items);
		if (items.length === 0 || all.length >= total) return all;
	}
}

class TaskTree {
	readonly #client: Tasks;
	readonly #signal: AbortSignal | undefined;
	#workflows = 0;

	constructor(client: Tasks, signal: AbortSignal | undefined) {
		this.#client = client;
		this.#signal = signal;
	}

	async read(id: string, depth: number): Promise<readonly TaskNode[]> {
		if (depth <= 0) return [];
		this.#workflows += 1;
		const nodes: TaskNode[] = [];
		for (const task of await readTasks(this.#client, id, this.#signal)) nodes.push(await this.#toNode(task, depth - 1));
		return nodes;
	}

	async #toNode(task: TaskState, depth: number): Promise<TaskNode> {
		const { name, status, items, action, execution_ids: ids, start_timestamp: start, end_timestamp: end } = task;
		const id = ids.at(-1);
		return {
			name,
			status: items === null ? status : `${status} (${items.succeeded} of ${items.total})`,
			...(end !== null && { elapsed_seconds: (Date.parse(end) - Date.parse(start)) / 1_000 }),
			...(action !== null && { action }),
			...(id !== undefined && { id }),
			tasks: ids.length === 1 ? await this.#inside(ids[0] as string, depth) : await this.#severalOf(ids, depth),
		};
	}

	/** Returns the lines for several executions of a task. Omits executions that succeeded and are not workflows. */
	async #severalOf(ids: readonly string[], depth: number): Promise<readonly TaskNode[]> {
		const nodes: TaskNode[] = [];
		for (const [index, id] of ids.entries()) {
			if (this.#workflows >= maxWorkflows) break;
			const { status, elapsed_seconds, action, liveaction } = await this.#get(id);
			const isWorkflow = liveaction.action_is_workflow;
			if (status === "succeeded" && !isWorkflow) continue;
			const tasks = isWorkflow ? await this.read(id, depth) : [];
			nodes.push({
				name: `#${index + 1}`,
				status,
				...(elapsed_seconds !== undefined && { elapsed_seconds }),
				action: action.ref,
				id,
				tasks,
			});
		}
		return nodes;
	}

	async #inside(id: string, depth: number): Promise<readonly TaskNode[]> {
		if (depth <= 0 || this.#workflows >= maxWorkflows) return [];
		return (await this.#get(id)).liveaction.action_is_workflow ? this.read(id, depth) : [];
	}

	#get(id: string): Promise<ExecutionRecord> {
		return this.#client.get(id, { query: { include_attributes: attributes }, signal: this.#signal });
	}
}

/** Returns the nodes in the order of their lines, each with the characters that draw the tree before its name. */
export function toTaskLines(nodes: readonly TaskNode[], indent = ""): readonly (readonly [lead: string, node: TaskNode])[] {
	return nodes.flatMap((node, index) => {
		const isLast = index === nodes.length - 1;
		const below = `${indent}${isLast ? "   " : "│  "}`;
		return [[`${indent}${isLast ? "└─ " : "├─ "}`, node] as const, ...toTaskLines(node.tasks, below)];
	});
}

/** Returns a line of the tree as text: name, status, time and action. */
export function toTaskText([lead, { name, status, elapsed_seconds, action }]: readonly [string, TaskNode]): string {
	const seconds = elapsed_seconds === undefined ? "" : ` ${elapsed_seconds.toFixed(2)} s`;
	return `${lead}${name} ${status}${seconds}${action === undefined ? "" : ` ${action}`}`;
}
