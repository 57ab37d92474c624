import { setTimeout as delay } from "node:timers/promises";
import type { OutputType } from "../../contract/index.ts";
import type { ExecutionClient } from "./client.ts";
import type { OutputChunkRecord } from "./output-client.ts";
import { overOutages } from "./retry-requests.ts";
import { readTasks } from "./task-tree.ts";

/** A piece of the output of one of a workflow's tasks. */
export interface TaskChunk {
	/** The task, and those that it is inside of: `build.compile`; `#2` of the second execution of one. */
	readonly label: string;
	readonly chunk: OutputChunkRecord;
}

export interface TailOptions {
	readonly type?: OutputType | undefined;
	readonly signal: AbortSignal;
	/** Whether the workflow has ended: nothing new comes then. */
	readonly hasEnded: () => Promise<boolean>;
	/** Milliseconds between looks for what has begun. Default 500. */
	readonly interval?: number;
	readonly onReconnect: (error: Error) => void;
	/** Told each piece; those of one task come in their order, and wait for this. */
	readonly onChunk: (piece: TaskChunk) => Promise<void>;
}

/** Streams that are open at once: users may hold so many only, and output is kept for those that wait. */
const mostStreams = 8;
const attributes = "id,status,liveaction";
const finalStates: ReadonlySet<string> = new Set(["succeeded", "failed", "timeout", "canceled", "abandoned"]);

/** Follow the output of all that a workflow starts, also by workflows inside of it, until all of it has ended. */
export async function tailTasks(client: ExecutionClient, id: string, options: TailOptions): Promise<void> {
	await new TaskTail(client, options).follow(id);
}

interface Workflow {
	readonly id: string;
	/** In front of the names of its tasks. */
	readonly path: string;
}

class TaskTail {
	readonly #client: ExecutionClient;
	readonly #options: TailOptions;
	readonly #seen = new Set<string>();
	readonly #waiting: (readonly [label: string, id: string])[] = [];
	readonly #open = new Set<Promise<void>>();
	#workflows: Workflow[] = [];

	constructor(client: ExecutionClient, options: TailOptions) {
		this.#client = client;
		this.#options = options;
	}

	async follow(id: string): Promise<void> {
		const { signal, interval = 500 } = this.#options;
		this.#workflows = [{ id, path: "" }];
		for (;;) {
			signal.throwIfAborted();
			const isOver = await overOutages(() => this.#lookAtAll(id), this.#options);
			this.#fill();
			if (isOver) break;
			await delay(interval, undefined, { signal }).catch(() => signal.throwIfAborted());
		}
		while (this.#open.size > 0) await Promise.race(this.#open);
	}

	/** Whether nothing new will come. What was looked at before a failure is known and not begun again. */
	async #lookAtAll(root: string): Promise<boolean> {
		// Asked first: what was started before the end is found after it.
		const isOver = await this.#options.hasEnded();
		for (const workflow of [...this.#workflows]) await this.#look(workflow, root);
		return isOver;
	}

	async #look(workflow: Workflow, root: string): Promise<void> {
		const { signal } = this.#options;
		const isEnded = workflow.id !== root && finalStates.has((await this.#get(workflow.id)).status);
		for (const { name, execution_ids: ids } of await readTasks(this.#client.executions, workflow.id, signal)) {
			for (const [index, id] of ids.entries()) {
				if (this.#seen.has(id)) continue;
				const label = `${workflow.path}${name}${index === 0 ? "" : `#${index + 1}`}`;
				const inner = (await this.#get(id)).liveaction.action_is_workflow ? { id, path: `${label}.` } : undefined;
				this.#seen.add(id);
				if (inner === undefined) this.#waiting.push([label, id]);
				else {
					this.#workflows.push(inner);
					await this.#look(inner, root);
				}
			}
		}
		if (isEnded) this.#workflows = this.#workflows.filter((one) => one.id !== workflow.id);
	}

	/** Begin with as many as there is room for. */
	#fill(): void {
		while (this.#open.size < mostStreams) {
			const next = this.#waiting.shift();
			if (next === undefined) return;
			const following = this.#followOne(...next).then(() => {
				this.#open.delete(following);
				this.#fill();
			});
			this.#open.add(following);
			// Told to whoever waits for it at the end.
			following.catch(() => undefined);
		}
	}

	async #followOne(label: string, id: string): Promise<void> {
		const { type, signal, onReconnect, onChunk } = this.#options;
		const chunks = this.#client.followOutput(id, { signal, onReconnect, ...(type !== undefined && { type }) });
		for await (const chunk of chunks) await onChunk({ label, chunk });
	}

	#get(id: string) {
		return this.#client.executions.get(id, { query: { include_attributes: attributes }, signal: this.#options.signal });
	}
}
