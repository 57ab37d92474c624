import type { TaskState } from "../../contract/index.ts";
import type { ExecutionClient, ExecutionRecord } from "./client.ts";

/** A line of what a workflow is made of, and what is below it. */
export interface TaskNode {
	/** Of the task; of one of several executions of it their number, as in `#2`. */
	readonly name: string;
	readonly status: string;
	readonly elapsed_seconds?: number;
	readonly action?: string;
	/** Id of the execution, the last one of several; undefined for a step without work. */
	readonly id?: string;
	readonly tasks: readonly TaskNode[];
}

/** How much of a workflow is read. */
export interface TaskTreeOptions {
	/** Levels of workflows inside of workflows. Default: all, as far as `mostWorkflows` goes. */
	readonly depth?: number | undefined;
	readonly signal?: AbortSignal | undefined;
}

type Tasks = Pick<ExecutionClient["executions"], "tasks" | "get">;

/** Workflows inside of one that are looked into: each takes requests of its own. */
const mostWorkflows = 100;
/** What of an execution is asked for. */
const attributes = "id,status,elapsed_seconds,action.ref,liveaction";

/** The tasks of a workflow with those inside of them. */
export async function readTaskTree(client: Tasks, id: string, { depth, signal }: TaskTreeOptions = {}): Promise<readonly TaskNode[]> {
	return new TaskTree(client, signal).read(id, depth ?? Number.POSITIVE_INFINITY);
}

/** All tasks of a workflow, however many pages of them there are. */
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

	/** Of attempts and items those are worth a line that did not just succeed. */
	async #severalOf(ids: readonly string[], depth: number): Promise<readonly TaskNode[]> {
		const nodes: TaskNode[] = [];
		for (const [index, id] of ids.entries()) {
			if (this.#workflows >= mostWorkflows) break;
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
		if (depth <= 0 || this.#workflows >= mostWorkflows) return [];
		return (await this.#get(id)).liveaction.action_is_workflow ? this.read(id, depth) : [];
	}

	#get(id: string): Promise<ExecutionRecord> {
		return this.#client.get(id, { query: { include_attributes: attributes }, signal: this.#signal });
	}
}

/** Nodes in the order of their lines, with what draws the tree in front of their names. */
export function toTaskLines(nodes: readonly TaskNode[], indent = ""): readonly (readonly [lead: string, node: TaskNode])[] {
	return nodes.flatMap((node, index) => {
		const isLast = index === nodes.length - 1;
		const below = `${indent}${isLast ? "   " : "│  "}`;
		return [[`${indent}${isLast ? "└─ " : "├─ "}`, node] as const, ...toTaskLines(node.tasks, below)];
	});
}

/** A line of the tree as text: name, status, time and action. */
export function toTaskText([lead, { name, status, elapsed_seconds, action }]: readonly [string, TaskNode]): string {
	const seconds = elapsed_seconds === undefined ? "" : ` ${elapsed_seconds.toFixed(2)} s`;
	return `${lead}${name} ${status}${seconds}${action === undefined ? "" : ` ${action}`}`;
}
