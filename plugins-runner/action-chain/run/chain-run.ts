import { createHash } from "node:crypto";
import {
	type Child,
	type ChildRequest,
	type Clock,
	isSvcError,
	type JsonObject,
	type JsonValue,
	type PreparedChild,
	RunAborted,
	type RunContext,
	type RunResult,
	SvcError,
	toErrorMessage,
} from "../../../core/contract/index.ts";
import { type ChainNode, findNode } from "../definition/chain.ts";
import type { ChainParameters } from "../parameters.ts";
import { type ChainEntry, toEntry } from "./chain-entries.ts";
import { type OpenTask, toChainResult, toRunEnd } from "./chain-result.ts";
import { type ChainState, type NodeRun, toTaskState } from "./chain-state.ts";
import { ChildWatch } from "./child-watch.ts";
import { renderEach } from "./render.ts";
import { findInResult } from "./result-paths.ts";
import { variablesForParameters, variablesForPublish } from "./template-variables.ts";

/** Maximum number of tasks in one run. The limit stops chains that loop. */
const maxLaps = 100_000;

/** Runs the nodes of a chain one at a time. */
export class ChainRun {
	readonly #context: RunContext<ChainParameters>;
	readonly #state: ChainState;
	readonly #clock: Clock;
	readonly #watch: ChildWatch;

	constructor(context: RunContext<ChainParameters>, state: ChainState, clock: Clock) {
		this.#context = context;
		this.#state = state;
		this.#clock = clock;
		this.#watch = new ChildWatch(context);
	}

	/** Runs the chain from its current state until it ends, pauses, or the service stops. */
	async perform(): Promise<RunResult> {
		try {
			await this.#resumeChild();
			this.#watch.start();
			for (;;) {
				const end = await this.#advance();
				if (end !== undefined) return end;
			}
		} catch (error) {
			const stopped = isSvcError(error, "SVC_CONFLICT") ? undefined : this.#stopped();
			// An error caused by an abort of the run is not a failure of the chain.
			if (stopped === undefined || !this.#context.signal.aborted) throw error;
			return stopped;
		} finally {
			this.#watch.stop();
		}
	}

	/** Resumes the paused child of a paused chain. If the process crashes before the entry is recorded, the next recovery repeats this. */
	async #resumeChild(): Promise<void> {
		const { children, pausing, signal } = this.#context;
		const { open, isPaused } = this.#state;
		if (!isPaused || open === undefined || pausing.aborted || signal.aborted) return;
		const child = await children.find(toKey(open.name, open.number));
		if (child?.status === "paused") await isAccepted(children.resume(child.id));
		await this.#record({ type: "resumed" });
	}

	/** Starts or ends one task. Returns the result if the run ends or pauses. */
	async #advance(): Promise<RunResult | undefined> {
		const { open, next, last, failure } = this.#state;
		if (open !== undefined) return this.#goOn(open);
		if (failure !== undefined) return this.#fail(new SvcError("SVC_INVALID", failure));
		if (last !== undefined && next === null) return toRunEnd(last, this.#toResult());
		return this.#stopped() ?? this.#begin(next ?? "");
	}

	async #begin(name: string): Promise<RunResult | undefined> {
		const node = findNode(this.#state.chain, name);
		if (node === undefined) return this.#fail(new SvcError("SVC_INVALID", `Unable to find node with name "${name}".`));
		if (this.#state.laps.length >= maxLaps) {
			return this.#fail(new SvcError("SVC_RUNNER", `the chain ran ${maxLaps} tasks, the maximum; does it contain a loop?`));
		}
		const request = await attempt(toRequest(this.#context, this.#state, node));
		if ("value" in request) return this.#start(node, request.value);
		if (this.#context.signal.aborted) throw request.error;
		return this.#fail(toFailure(`Failed to run task "${name}". Parameter rendering failed.. `, request.error));
	}

	async #start(node: ChainNode, request: ChildRequest): Promise<RunResult | undefined> {
		const { name } = node;
		const prepared = await attempt(this.#context.children.prepare(request));
		const task = { name, id: toTaskId(this.#context.execution_id, request.key), at: this.#now() };
		if ("value" in prepared) return this.#record({ type: "start", ...task, execution_id: prepared.value.id }, { start: [prepared.value] });
		const { error } = prepared;
		if (isSvcError(error, "SVC_NOT_FOUND")) {
			return this.#fail(toFailure(`Failed to run task "${name}". Action with reference "${node.ref}" doesn't exist.. `, error));
		}
		if (!isRefusal(error)) throw error;
		return this.#record({ type: "refused", ...task, message: `Failed running task "${name}". ${toErrorMessage(error)}` });
	}

	/** Follows the current task until it has ended or is paused. */
	async #goOn(open: NodeRun): Promise<RunResult | undefined> {
		const child = await this.#settle(open);
		if (child === "left") return this.#stopped();
		const result = await this.#context.children.result(child.id);
		const now = { status: child.status, liveactionId: child.liveaction_id, result };
		if (!child.hasEnded) {
			await this.#record({ type: "paused" });
			return this.#stopped(now);
		}
		this.#watch.forget(child.id);
		return this.#context.signal.aborted ? this.#stopped(now) : this.#end(open, child, result ?? {});
	}

	/**
	 * Resolves with the child when it has ended, or when it is paused or pending while the run pauses. Resolves with `left` if the service
	 * stops: a recovery follows the child later.
	 */
	async #settle({ executionId, name, number }: NodeRun): Promise<Child | "left"> {
		const { children, signal, pausing } = this.#context;
		const id = executionId ?? "";
		let isCanceled = false;
		for (;;) {
			const child = this.#watch.find(id);
			if (child?.hasEnded) return child;
			if (signal.aborted) {
				if (isShutdown(signal)) return "left";
				if (!isCanceled) isCanceled = await isAccepted(children.cancel(id));
			} else if (child !== undefined && isResting(child)) {
				if (!pausing.aborted) await isAccepted(this.#context.request("pause"));
				// A user may have resumed the child, or answered its inquiry, before the run was paused.
				const now = await children.find(toKey(name, number));
				if (now !== undefined && (now.hasEnded || isResting(now)) && pausing.aborted) return now;
			} else if (child?.status === "running" && pausing.aborted) {
				await isAccepted(children.pause(id));
			}
			await this.#watch.news();
		}
	}

	async #end({ name }: NodeRun, { id, execution_id, status, liveaction_id }: Child, result: JsonObject): Promise<RunResult | undefined> {
		const { publish = {} } = findNode(this.#state.chain, name) ?? {};
		const names = variablesForPublish(this.#context, this.#state, { name, result });
		const rendered = await attempt(renderEach(this.#context, publish, names, { what: "publish parameter", task: name }));
		if ("error" in rendered && this.#context.signal.aborted) throw rendered.error;
		const published =
			"value" in rendered ? toPublished(rendered.value, result) : { published: {}, failure: toErrorMessage(rendered.error) };
		const ran = { liveaction_id, ...(execution_id !== id && { execution_id }) };
		return this.#record({ type: "end", status, ...ran, at: this.#now(), ...published }, { result });
	}

	/**
	 * Appends an entry to the journal, together with the child that it starts, before the entry has any effect outside this run. Otherwise a
	 * recovery could not repeat the decision.
	 */
	async #record(
		entry: ChainEntry,
		{ start, result }: { readonly start?: readonly PreparedChild[]; readonly result?: JsonObject } = {},
	): Promise<undefined> {
		const { journal, emit } = this.#context;
		const before = this.#state.laps.length;
		this.#state.apply(entry, result);
		const { last } = this.#state;
		const isTold = last !== undefined && (entry.type === "end" || last.number > before);
		await journal.append(toEntry(entry), { ...(start && { start }), ...(isTold && { tasks: [toTaskState(last, this.#state)] }) });
		if (isTold) await emit("other", `task ${last.name} ${last.hasEnded ? last.status : "started"}\n`);
	}

	/** Returns the result if the run is aborted or must pause, so that no new task starts. Otherwise returns undefined. */
	#stopped(open?: OpenTask): RunResult | undefined {
		const { signal, pausing } = this.#context;
		if (!signal.aborted && !pausing.aborted) return undefined;
		const result = this.#toResult({ open });
		if (!signal.aborted) return { succeeded: false, status: "paused", result };
		return { succeeded: false, result, ...(isShutdown(signal) && { status: "running" }) };
	}

	#fail(error: SvcError): RunResult {
		return { succeeded: false, result: this.#toResult({ error }) };
	}

	#toResult(more: { readonly error?: unknown; readonly open?: OpenTask | undefined } = {}): JsonObject {
		return toChainResult(this.#state, { published: this.#context.runnerParameters.display_published, ...more });
	}

	#now(): string {
		return toTimestamp(this.#clock.now());
	}
}

type Attempt<T> = { readonly value: T } | { readonly error: unknown };

async function attempt<T>(promise: Promise<T>): Promise<Attempt<T>> {
	try {
		return { value: await promise };
	} catch (error) {
		return { error };
	}
}

/** Returns true for errors that refuse to start, pause or resume a child. Other errors are not caused by the chain. */
function isRefusal(error: unknown): boolean {
	return isSvcError(error, "SVC_INVALID") || isSvcError(error, "SVC_FORBIDDEN");
}

/** Returns true if the request was accepted. Rethrows errors that are not refusals. */
async function isAccepted(asked: Promise<void>): Promise<boolean> {
	const outcome = await attempt(asked);
	if ("error" in outcome && !isRefusal(outcome.error)) throw outcome.error;
	return "value" in outcome;
}

/** Returns true if the child waits for a user and will not continue by itself. */
function isResting({ status }: Child): boolean {
	return status === "paused" || status === "pending";
}

function isShutdown({ reason }: AbortSignal): boolean {
	return reason instanceof RunAborted && reason.kind === "shutdown";
}

function toFailure(words: string, cause: unknown): SvcError {
	return new SvcError("SVC_INVALID", `${words}${toErrorMessage(cause)}`, { cause });
}

/**
 * Separates published values from large strings that are copies of strings in the task's result. Of such strings, the journal records only
 * the path.
 */
function toPublished(
	values: JsonObject,
	result: JsonObject,
): { readonly published: JsonObject; readonly copied?: Record<string, readonly string[]> } {
	const published: [string, JsonValue][] = [];
	const copied: [string, readonly string[]][] = [];
	for (const [name, value] of Object.entries(values)) {
		const path = findInResult(value, result);
		if (path === undefined) published.push([name, value]);
		else copied.push([name, path]);
	}
	return { published: Object.fromEntries(published), ...(copied.length > 0 && { copied: Object.fromEntries(copied) }) };
}

/** Returns the key of the execution of a lap. */
function toKey(name: string, lap: number): string {
	return `${name}.${lap}`;
}

/** Returns the id of the task of a lap. */
function toTaskId(executionId: string, key: string): string {
	return createHash("sha256").update(`${executionId}\0${key}`).digest("hex").slice(0, 24);
}

/** Returns the request that starts the next lap, for this node. Rejects like `renderEach`. */
async function toRequest(context: RunContext<ChainParameters>, state: ChainState, node: ChainNode): Promise<ChildRequest> {
	const names = variablesForParameters(context, state);
	const parameters = await renderEach(context, node.parameters, names, { what: "action parameter", task: node.name });
	const isSkipped = (context.runnerParameters.skip_notify as readonly JsonValue[]).includes(node.name);
	const notify = isSkipped ? {} : (node.notify ?? context.notify);
	return {
		key: toKey(node.name, state.laps.length + 1),
		action: node.ref,
		parameters,
		context: { chain: node.parsed },
		...(notify !== null && { notify }),
	};
}

/** Formats microseconds since 1970 as `YYYY-MM-DDTHH:MM:SS.ffffffZ`. */
function toTimestamp(microseconds: number): string {
	const whole = Math.floor(microseconds);
	const second = Math.floor(whole / 1_000_000);
	return `${new Date(second * 1_000).toISOString().slice(0, -4)}${String(whole - second * 1_000_000).padStart(6, "0")}Z`;
}
