import { type ExecutionEntity, type JsonObject, type Logger, SvcError, toErrorMessage } from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Executions, Output, OutputChunk } from "../../kernel/executions/executions-api.ts";
import { isCompleted } from "../../kernel/executions/status.ts";
import { type AbortListeners, createAbortListeners } from "../../lib/abort-listeners.ts";
import { settledWithin } from "../../lib/wait.ts";
import type { Run, RunOptions } from "./runs-api.ts";

interface RunsOptions extends Uses<"logger"> {
	readonly executions: Pick<Executions, "submit" | "get" | "cancel">;
	readonly output: Pick<Output, "follow">;
	/** Whoever asks when nobody is named. */
	readonly systemUser: string;
}

/** Followers of executions that have ended get so long to read what is left before the storage is closed. */
const readGrace = 1_000;
/** No chunk has a higher sequence: whoever follows behind it waits for the end and reads nothing. */
const behindAll = Number.MAX_SAFE_INTEGER;

/** It is followed to its end only where somebody asks for that. */
class AskedRun implements Run {
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
export class Runs {
	readonly #parts: RunsOptions;
	readonly #closing = new AbortController();
	readonly #watch = createAbortListeners();
	readonly #active = new Set<Promise<unknown>>();
	#isStarted = false;

	constructor(parts: RunsOptions) {
		this.#parts = parts;
	}

	/** Nothing is run before. */
	start(): void {
		this.#isStarted = true;
	}

	/** Let those go that wait for something which will not happen any more. Resolves when they have gone. */
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

	/** Functions of their own: the program may take any of them out of the run. */
	#toRun(created: Promise<ExecutionEntity>, principal: Principal): Run {
		const follow = (id: string) => this.#follow(id, 0);
		const output = {
			async *[Symbol.asyncIterator]() {
				yield* follow((await created).id);
			},
		};
		const cancel = async () => void (await this.#parts.executions.cancel((await created).id, principal));
		return new AskedRun({ created, output, cancel }, () => this.#track(created.then(({ id }) => this.#end(id))));
	}

	async #end(id: string): Promise<ExecutionEntity> {
		for await (const _ of this.#follow(id, behindAll));
		return (await this.#parts.executions.get(id)).entity;
	}

	/** Chunks behind `after` until the execution has ended. Throws when the engine is stopped before that. */
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

	/** Have a stop wait for it. That nobody else may look at it is fine. */
	#track<T>(promise: Promise<T>): Promise<T> {
		const forget = () => void this.#active.delete(settled);
		// One that leads to nothing: tables of the set that have been left behind refer to what was in them.
		const settled = promise.then(forget, forget);
		this.#active.add(settled);
		return promise;
	}
}

/** The signal is listened to for as long as the execution lasts, and no longer. */
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
