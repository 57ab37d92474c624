import { type ExecutionEntity, type JsonObject, type Logger, SvcError, toErrorMessage } from "../../contract/index.ts";
import { type AbortWatch, createAbortWatch } from "../../kernel/basics/abort-watch.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import { settledWithin } from "../../kernel/basics/wait.ts";
import type { Executions, Output, OutputChunk } from "../../kernel/executions/executions-api.ts";
import { isCompleted } from "../../kernel/executions/status.ts";
import type { Run, RunAction, RunOptions } from "./runs-api.ts";

interface Parts {
	readonly executions: Pick<Executions, "submit" | "get" | "cancel">;
	readonly output: Pick<Output, "follow">;
	readonly logger: Logger;
	/** Whoever asks when nobody is named. */
	readonly systemUser: string;
}

/** Actions run by the embedding program. */
export interface Runs {
	readonly run: RunAction;
	/** Nothing is run before. */
	start(): void;
	/** Let those go that wait for something which will not happen any more. Resolves when they have gone. */
	stop(): Promise<void>;
}

/** Followers of executions that have ended get so long to read what is left before the storage is closed. */
const readGrace = 1_000;
/** No chunk has a higher sequence: whoever follows behind it waits for the end and reads nothing. */
const behindAll = Number.MAX_SAFE_INTEGER;

export function createRuns({ executions, output, logger, systemUser }: Parts): Runs {
	const closing = new AbortController();
	const watch = createAbortWatch();
	const active = new Set<Promise<unknown>>();
	let isStarted = false;

	/** Have a stop wait for it. That nobody else may look at it is fine. */
	function track<T>(promise: Promise<T>): Promise<T> {
		const forget = () => active.delete(promise);
		active.add(promise);
		promise.then(forget, forget);
		return promise;
	}

	/** Chunks behind `after` until the execution has ended. Throws when the engine is stopped before that. */
	async function* follow(id: string, after: number): AsyncGenerator<OutputChunk> {
		let done = () => {};
		void track(
			new Promise<void>((resolve) => {
				done = resolve;
			}),
		);
		const over = new AbortController();
		const letGo = () => void assertEnded(id).catch((error: unknown) => over.abort(error));
		const forget = watch.add(closing.signal, letGo);
		try {
			yield* output.follow(id, { after, signal: over.signal });
			over.signal.throwIfAborted();
		} finally {
			forget();
			done();
		}
	}

	async function assertEnded(id: string): Promise<void> {
		const { entity } = await executions.get(id, { fields: ["status"] });
		if (isCompleted(entity.status)) return;
		throw new SvcError("SVC_UNAVAILABLE", `the engine was stopped before execution "${id}" had ended`);
	}

	async function end(id: string): Promise<ExecutionEntity> {
		for await (const _ of follow(id, behindAll));
		return (await executions.get(id)).entity;
	}

	async function create(action: string, parameters: JsonObject, options: RunOptions, principal: Principal): Promise<ExecutionEntity> {
		options.signal?.throwIfAborted();
		if (closing.signal.aborted || !isStarted) {
			throw new SvcError("SVC_UNAVAILABLE", isStarted ? "the engine has been stopped" : "the engine has not been started");
		}
		const { user, delay, trace } = options;
		const context = trace && { trace_context: "id" in trace ? { id_: trace.id } : { trace_tag: trace.tag } };
		const input = { action, parameters, ...(user && { user }), ...(delay !== undefined && { delay }), ...(context && { context }) };
		return (await executions.submit(input, principal)).entity;
	}

	function run(action: string, parameters: JsonObject = {}, options: RunOptions = {}): Run {
		const principal = options.principal ?? { username: systemUser, isAdmin: true, authentication: { method: "none" } };
		const created = track(create(action, parameters, options, principal));
		let ended: Promise<ExecutionEntity> | undefined;
		const cancel = async () => void (await executions.cancel((await created).id, principal));
		const whole: Run = {
			created,
			get ended() {
				ended ??= track(created.then(({ id }) => end(id)));
				return ended;
			},
			output: {
				async *[Symbol.asyncIterator]() {
					yield* follow((await created).id, 0);
				},
			},
			cancel,
		};
		if (options.signal !== undefined) cancelOnAbort(whole, options.signal, { watch, logger });
		return whole;
	}

	return {
		run,
		start() {
			isStarted = true;
		},
		async stop() {
			closing.abort();
			await settledWithin(Promise.allSettled(active), readGrace);
		},
	};
}

/** The signal is listened to for as long as the execution lasts, and no longer. */
function cancelOnAbort(
	{ created, ended, cancel }: Run,
	signal: AbortSignal,
	{ watch, logger }: { readonly watch: AbortWatch; readonly logger: Logger },
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
