import { setTimeout as delay } from "node:timers/promises";
import type { OutputType } from "../../contract/index.ts";
import type { ExecutionClient, ExecutionRecord } from "./client.ts";
import type { OutputChunkRecord } from "./output-client.ts";
import { retryRequest } from "./retry-requests.ts";
import { readTasks } from "./task-tree.ts";

/** Output chunk of one task of a workflow. */
export interface TaskChunk {
	/** Path of the task with its enclosing tasks, such as `build.compile`. The second execution of a task ends in `#2`. */
	readonly label: string;
	readonly chunk: OutputChunkRecord;
}

export interface TailOptions {
	readonly type?: OutputType | undefined;
	readonly signal: AbortSignal;
	/** Returns true if the workflow has ended. It starts no further tasks after that. */
	readonly hasEnded: () => Promise<boolean>;
	/** Milliseconds between polls for new tasks. Default 500. */
	readonly interval?: number;
	readonly onReconnect: (error: Error) => void;
	/** Called for each chunk, in order for each task. The next call for the task waits until this one has resolved. */
	readonly onChunk: (piece: TaskChunk) => Promise<void>;
}

/** Maximum number of open streams. The service limits the streams of a user; output is stored, so waiting tasks lose none. */
const maxStreams = 8;
const attributes = "id,status,liveaction";
const finalStates: ReadonlySet<string> = new Set(["succeeded", "failed", "timeout", "canceled", "abandoned"]);

/** Returns true if the status of the execution is final. */
export function hasEnded({ status }: Pick<ExecutionRecord, "status">): boolean {
	return finalStates.has(status);
}

/** Follows the output of all executions that a workflow and its nested workflows start, until all of them have ended. */
export async function tailTasks(client: ExecutionClient, id: string, options: TailOptions): Promise<void> {
	await new TaskTail(client, options).follow(id);
}

interface Workflow {
	readonly id: string;
	/** Prefix of the labels of its tasks. */
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
			const isOver = await retryRequest(() => this.#lookAtAll(id), this.#options);
			this.#fill();
			if (isOver) break;
			await delay(interval, undefined, { signal }).catch(() => signal.throwIfAborted());
		}
		while (this.#open.size > 0) await Promise.race(this.#open);
	}

	/** Polls all workflows for new tasks. Returns true if the root has ended. A call after a failure does not add known tasks again. */
	async #lookAtAll(root: string): Promise<boolean> {
		// Check first: the polls after it then find every task that was started before the end.
		const isOver = await this.#options.hasEnded();
		for (const workflow of [...this.#workflows]) await this.#look(workflow, root);
		return isOver;
	}

	async #look(workflow: Workflow, root: string): Promise<void> {
		const { signal } = this.#options;
		const isEnded = workflow.id !== root && hasEnded(await this.#get(workflow.id));
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

	/** Starts to follow waiting tasks while fewer than `maxStreams` streams are open. */
	#fill(): void {
		while (this.#open.size < maxStreams) {
			const next = this.#waiting.shift();
			if (next === undefined) return;
			const following = this.#followOne(...next).then(() => {
				this.#open.delete(following);
				this.#fill();
			});
			this.#open.add(following);
			// Avoids an unhandled rejection: `follow` awaits the promise and reports the error at the end.
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
