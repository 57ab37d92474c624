import { type ExecutionEntity, type JsonObject, type Logger, SvcError, toErrorMessage } from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Executions, OutputAccess, OutputChunk } from "../../kernel/executions/executions-api.ts";
import { isCompleted } from "../../kernel/executions/status.ts";
import { type AbortListeners, createAbortListeners } from "../../lib/abort-listeners.ts";
import { settledWithin } from "../../lib/wait.ts";
import type { Run, RunOptions } from "./runs-exports.ts";

interface RunsDependencies extends Uses<"logger"> {
	readonly executions: Pick<Executions, "submit" | "get" | "cancel">;
	readonly output: Pick<OutputAccess, "follow">;
	/** Name of the user who runs actions if the options contain no principal. */
	readonly systemUser: string;
}

/** Milliseconds that a stop waits for followers of ended executions to read the remaining output, before the storage is closed. */
const readGrace = 1_000;
/** No chunk has a higher sequence. A follower that starts after it waits for the end and reads nothing. */
const behindAll = Number.MAX_SAFE_INTEGER;

/** Run that follows its execution to the end only once `ended` is read. */
class LazyRun implements Run {
	readonly created: Run["created"];
	readonly output: Run["output"];
	readonly cancel: Run["cancel"];
	readonly #end: () => Promise<ExecutionEntity>;
	#ended: Promise<ExecutionEntity> | undefined;

	constructor({ created, output, cancel }: Omit<Run, "ended">, end: () => Promise<ExecutionEntity>) {
		this.created = created;
		this.output = output;
		this.cancel = cancel;
		this.#end = end;
	}

	get ended(): Promise<ExecutionEntity> {
		this.#ended ??= this.#end();
		return this.#ended;
	}
}

/** Actions run by the embedding program. */
export class HostProgramRuns {
	readonly #parts: RunsDependencies;
	readonly #closing = new AbortController();
	readonly #watch = createAbortListeners();
	readonly #active = new Set<Promise<unknown>>();
	#isStarted = false;

	constructor(parts: RunsDependencies) {
		this.#parts = parts;
	}

	/** Allows runs. A run requested before this call rejects with `SVC_UNAVAILABLE`. */
	start(): void {
		this.#isStarted = true;
	}

	/** Rejects runs with `SVC_UNAVAILABLE` if their execution has not ended. Resolves when all runs have settled, at most one second later. */
	async stop(): Promise<void> {
		this.#closing.abort();
		await settledWithin(Promise.allSettled(this.#active), readGrace);
	}

	run(action: string, parameters: JsonObject = {}, options: RunOptions = {}): Run {
		const { systemUser, logger } = this.#parts;
		const principal = options.principal ?? { username: systemUser, isAdmin: true, authentication: { method: "none" } };
		const created = this.#track(this.#create(action, parameters, options, principal));
		const run = this.#toRun(created, principal);
		if (options.signal !== undefined) cancelOnAbort(run, options.signal, { watch: this.#watch, logger });
		return run;
	}

	async #create(action: string, parameters: JsonObject, options: RunOptions, principal: Principal): Promise<ExecutionEntity> {
		options.signal?.throwIfAborted();
		if (this.#closing.signal.aborted || !this.#isStarted) {
			throw new SvcError("SVC_UNAVAILABLE", this.#isStarted ? "the engine has been stopped" : "the engine has not been started");
		}
		const { user, delay, trace } = options;
		const context = trace && { trace_context: "id" in trace ? { id_: trace.id } : { trace_tag: trace.tag } };
		const input = { action, parameters, ...(user && { user }), ...(delay !== undefined && { delay }), ...(context && { context }) };
		return (await this.#parts.executions.submit(input, principal)).entity;
	}

	/** Creates a run whose functions do not depend on `this`, so that the program may destructure it. */
	#toRun(created: Promise<ExecutionEntity>, principal: Principal): Run {
		const follow = (id: string) => this.#follow(id, 0);
		const output = {
			async *[Symbol.asyncIterator]() {
				yield* follow((await created).id);
			},
		};
		const cancel = async () => void (await this.#parts.executions.cancel((await created).id, principal));
		return new LazyRun({ created, output, cancel }, () => this.#track(created.then(({ id }) => this.#end(id))));
	}

	async #end(id: string): Promise<ExecutionEntity> {
		for await (const _ of this.#follow(id, behindAll));
		return (await this.#parts.executions.get(id)).entity;
	}

	/** Yields the chunks after `after` until the execution has ended. Throws `SVC_UNAVAILABLE` if the engine is stopped before that. */
	async *#follow(id: string, after: number): AsyncGenerator<OutputChunk> {
		let done = () => {};
		void this.#track(
			new Promise<void>((resolve) => {
				done = resolve;
			}),
		);
		const over = new AbortController();
		const letGo = () => void this.#assertEnded(id).catch((error: unknown) => over.abort(error));
		const forget = this.#watch.add(this.#closing.signal, letGo);
		try {
			yield* this.#parts.output.follow(id, { after, signal: over.signal });
			over.signal.throwIfAborted();
		} finally {
			forget();
			done();
		}
	}

	async #assertEnded(id: string): Promise<void> {
		const { entity } = await this.#parts.executions.get(id, { fields: ["status"] });
		if (isCompleted(entity.status)) return;
		throw new SvcError("SVC_UNAVAILABLE", `the engine was stopped before execution "${id}" had ended`);
	}

	/** Registers a promise that `stop` must wait for. Prevents an unhandled rejection if the program does not use the promise. */
	#track<T>(promise: Promise<T>): Promise<T> {
		const forget = () => void this.#active.delete(settled);
		// Store the derived promise, which holds no result: discarded hash tables of a set still refer to their former elements.
		const settled = promise.then(forget, forget);
		this.#active.add(settled);
		return promise;
	}
}

/** Cancels the execution when the signal aborts. The listener is removed when the execution ends. */
function cancelOnAbort(
	{ created, ended, cancel }: Run,
	signal: AbortSignal,
	{ watch, logger }: { readonly watch: AbortListeners; readonly logger: Logger },
): void {
	const onAbort = () => {
		cancel().catch((error: unknown) => logger.warn("an execution could not be canceled", { problem: toErrorMessage(error) }));
	};
	const listen = () => {
		const forget = watch.add(signal, onAbort);
		ended.then(forget, forget);
	};
	created.then(listen, () => {});
}
