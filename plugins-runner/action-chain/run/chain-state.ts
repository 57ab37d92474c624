import {
	type ExecutionStatus,
	isJsonObject,
	type JsonObject,
	type JsonValue,
	type TaskState,
	type TaskStatus,
} from "../../../core/contract/index.ts";
import { type Chain, type ChainNode, findNode } from "../definition/chain.ts";
import type { ChainEntry } from "./chain-entries.ts";
import { readFromResult } from "./result-paths.ts";
import { TaskResults } from "./task-results.ts";

/** One run of one node. */
export interface NodeRun {
	/** Number of the lap in the run, counted from 1. */
	readonly number: number;
	readonly name: string;
	readonly id: string;
	/** Id of the execution; null if the task could not be started. */
	readonly executionId: string | null;
	/** Id of the live action; null until the task has ended. */
	readonly liveactionId: string | null;
	readonly status: ExecutionStatus;
	readonly createdAt: string;
	readonly updatedAt: string;
	readonly hasEnded: boolean;
}

/** Progress of a run, computed from the entries of its journal. */
export class ChainState {
	readonly chain: Chain;
	readonly laps: NodeRun[] = [];
	readonly results = new TaskResults();
	/** Error messages of tasks that could not be started, by task id. */
	readonly refusals = new Map<string, string>();
	/** Variables of the chain, and published values. */
	#variables: JsonObject = {};
	#published: JsonObject = {};
	#isPaused = false;
	#failure: string | undefined;

	constructor(chain: Chain) {
		this.chain = chain;
	}

	get variables(): JsonObject {
		return this.#variables;
	}

	get published(): JsonObject {
		return this.#published;
	}

	/** True if the last entry has paused the run. */
	get isPaused(): boolean {
		return this.#isPaused;
	}

	/** Error that ends the chain even if the task has a successor. */
	get failure(): string | undefined {
		return this.#failure;
	}

	get last(): NodeRun | undefined {
		return this.laps.at(-1);
	}

	/** Current task, whose execution has not ended. */
	get open(): NodeRun | undefined {
		return this.last?.hasEnded === false ? this.last : undefined;
	}

	/** Name of the next node if no task is running; null at the end of the chain. */
	get next(): string | null {
		return this.last === undefined ? this.chain.start : nextOf(findNode(this.chain, this.last.name), this.last.status);
	}

	/**
	 * Applies an entry of the journal.
	 * @param result Result of the task that has ended, for an entry of type `end`.
	 */
	apply(entry: ChainEntry, result: JsonObject = {}): void {
		this.#isPaused = entry.type === "paused";
		if (entry.type === "begin") this.#variables = entry.vars;
		else if (entry.type === "start") this.#begin(entry);
		else if (entry.type === "end") this.#end(entry, result);
		else if (entry.type === "refused") this.#refuse(entry);
	}

	#begin({ name, id, at, execution_id }: Extract<ChainEntry, { type: "start" }>): void {
		const times = { createdAt: at, updatedAt: at };
		this.laps.push({
			number: this.laps.length + 1,
			name,
			id,
			executionId: execution_id,
			liveactionId: null,
			status: "running",
			hasEnded: false,
			...times,
		});
	}

	#end(entry: Extract<ChainEntry, { type: "end" }>, result: JsonObject): void {
		const { open } = this;
		if (open === undefined) return;
		const { status, liveaction_id, execution_id = open.executionId, at, published, copied = {}, failure } = entry;
		const now = { liveactionId: liveaction_id, executionId: execution_id, status, updatedAt: at };
		this.laps[open.number - 1] = { ...open, ...now, hasEnded: true };
		this.results.add(open.number, open.name, result);
		const taken = Object.entries(copied).map(([name, path]): [string, JsonValue] => [name, readFromResult(path, result)]);
		const news = Object.fromEntries([...Object.entries(published), ...taken]);
		this.#variables = { ...this.#variables, ...news };
		this.#published = { ...this.#published, ...news };
		this.#failure = failure;
	}

	#refuse({ name, id, at, message }: Extract<ChainEntry, { type: "refused" }>): void {
		const number = this.laps.length + 1;
		this.laps.push({
			number,
			name,
			id,
			executionId: null,
			liveactionId: null,
			status: "failed",
			createdAt: at,
			updatedAt: at,
			hasEnded: true,
		});
		this.results.add(number, name, toRefusal(message));
		this.refusals.set(id, message);
	}
}

/** Returns the result of a task that could not be started. */
function toRefusal(message: string): JsonObject {
	return { error: message, traceback: message };
}

function nextOf(node: ChainNode | undefined, status: ExecutionStatus): string | null {
	if (status === "canceled") return null;
	return (status === "succeeded" ? node?.onSuccess : node?.onFailure) ?? null;
}

/** Converts a lap to the task state that the event stream and the progress of the run show. */
export function toTaskState(lap: NodeRun, { chain }: Pick<ChainState, "chain">): TaskState {
	const node = findNode(chain, lap.name);
	const next = lap.hasEnded ? nextOf(node, lap.status) : null;
	return {
		id: lap.id,
		name: lap.name,
		route: 0,
		status: toTaskStatus(lap.status),
		action: node?.ref ?? null,
		attempts: 1,
		start_timestamp: lap.createdAt,
		end_timestamp: lap.hasEnded ? lap.updatedAt : null,
		execution_ids: lap.executionId === null ? [] : [lap.executionId],
		items: null,
		next: next === null ? [] : [{ to: next, transition: lap.status === "succeeded" ? 0 : 1 }],
	};
}

function toTaskStatus(status: ExecutionStatus): TaskStatus {
	if (status === "abandoned") return "failed";
	if (status === "scheduled") return "requested";
	return status === "resuming" || status === "canceling" ? "running" : status;
}

/**
 * Adds to the result of an inquiry a member `result` with the same content: existing chains read the answer with or without this member.
 */
export function withAnswer(result: JsonValue): JsonValue {
	if (!isJsonObject(result) || Object.hasOwn(result, "result")) return result;
	return ["schema", "ttl", "response"].every((name) => Object.hasOwn(result, name)) ? { ...result, result } : result;
}
