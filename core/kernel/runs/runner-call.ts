import {
	type EmitOutput,
	type ExecutionEntity,
	type JsonObject,
	type OutputType,
	RunAborted,
	type RunContext,
	type RunResult,
	SvcError,
	type WriteOperation,
} from "../../contract/index.ts";
import { assertAnswerable } from "../../language/inquiry-schema.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import { fromTimestamp } from "../basics/clock.ts";
import type { Uses } from "../basics/engine-parts.ts";
import { assertRecordable, toRunResult } from "../basics/plugin-results.ts";
import { type ActionCatalog, findActionSignature } from "../executions/action-catalog.ts";
import { isCompleted } from "../executions/status.ts";
import type { BulkOutput } from "../output/bulk-output.ts";
import { OutputWriter } from "../output/output-writer.ts";
import { readStoredChunks } from "../output/stored-chunks.ts";
import type { EngineDependencies } from "../plugins/engine-dependencies.ts";
import type { TelemetryHub } from "../telemetry/telemetry-hub.ts";
import type { ActiveRuns, RunState } from "./active-runs.ts";
import { HostCalls, type RequestChangeOptions, requestChange } from "./host-calls.ts";
import { isCancelReason, type RunOutcome, toOutcome } from "./outcome.ts";
import type { ActiveRun } from "./prepare-run.ts";
import { createRunEventSender, type RunEventOptions, type RunEventSender } from "./run-event-sender.ts";
import { encryptRunSecrets, hideInLog } from "./run-secrets.ts";
import type { RunWrites } from "./run-writes.ts";
import { type HostedRunContext, type LazyMembers, type RunServiceOptions, RunServices, withLazyMembers } from "./runner-context.ts";

/** Calls the runner: `run` for a new run, `recover` to continue one. Resolves with undefined if the runner cannot find the run. */
export type RunnerInvocation = (context: RunContext) => Promise<RunResult | undefined>;

export interface RunnerCallerOptions
	extends RunEventOptions,
		RequestChangeOptions,
		Omit<RunServiceOptions, "options">,
		Uses<"storage" | "clock"> {
	readonly runs: ActiveRuns;
	readonly runWrites: RunWrites;
	readonly catalog: Pick<ActionCatalog, "resolve">;
	readonly logger: EngineDependencies["logger"];
	readonly hub: Pick<TelemetryHub, "tracing">;
	readonly bulkOutput: BulkOutput;
	/** Returns the outcome of an execution whose runner has thrown an error. */
	readonly fail: (execution: ExecutionEntity, error: unknown) => Promise<RunOutcome>;
}

/** Objects of one run that its context uses. */
interface ContextResources {
	readonly calls: HostCalls;
	readonly services: RunServices;
	readonly traceparent: string | undefined;
}

const notRecoveredOutcome: RunOutcome = {
	status: "abandoned",
	result: { failed: true, succeeded: false, error: "the node that ran the action went away, and the run was not found again" },
};

/** Calls runners, with a context through which they use the service during the run. */
export class RunnerCaller {
	readonly #parts: RunnerCallerOptions;
	readonly #events: RunEventSender;

	constructor(parts: RunnerCallerOptions) {
		this.#parts = parts;
		this.#events = createRunEventSender(parts);
	}

	/**
	 * Calls the runner and returns how the run ended. An error of the runner is an outcome as well. Rejects only if the storage fails.
	 * Afterwards the calls of the runner to the host are refused.
	 */
	async call(activeRun: ActiveRun, invokeRunner: RunnerInvocation): Promise<RunOutcome> {
		const { execution, run, prepared } = activeRun;
		const { clock, storage } = this.#parts;
		run.secrets = prepared.secrets;
		const outputWriter = this.#createOutputWriter(activeRun);
		run.outputWriter = outputWriter;
		const forgetSecrets: (() => void)[] = [];
		const addSecrets = async (added: Redactor) => void forgetSecrets.push(await this.#addSecrets(activeRun, added));
		const calls = new HostCalls(activeRun, this.#parts.logger);
		const encryptSecrets = () => this.#encryptWithToken(activeRun);
		const services = new RunServices(this.#parts, activeRun, { calls, addSecrets, encryptSecrets });
		run.services = services;
		if (run.isResumable) for await (const chunk of readStoredChunks(storage, execution.id)) outputWriter.restore(chunk);
		const timer = startTimeout(run, { seconds: prepared.timeoutSeconds, elapsedSeconds: secondsSinceStart(execution, clock.now()) });
		try {
			const traceparent = await this.#parts.hub.tracing?.traceparentOf(execution);
			const result = await invokeRunner(this.#toContext(activeRun, outputWriter, { calls, services, traceparent }));
			if (result !== undefined) assertRecordable(toRunResult(result, execution.runner_name).result, "the result of the action");
			const outcome = result === undefined ? notRecoveredOutcome : toOutcome(result, run.controller.signal, execution);
			if (outcome.status === "pending") assertAnswerable(outcome.result);
			if (outcome.status === "paused" || outcome.status === "resuming") this.#assertMayPause(activeRun);
			if (result?.decided !== undefined && isCompleted(outcome.status)) run.lastEntry = await services.journal.toLast(result.decided);
			return outcome;
		} catch (error) {
			const { signal } = run.controller;
			// A runner whose signal was aborted may fail with any error. The reason of the abort decides, not that error.
			return signal.aborted ? toOutcome({ succeeded: false, result: {} }, signal, execution) : await this.#parts.fail(execution, error);
		} finally {
			clearTimeout(timer);
			calls.close();
			services.close();
			for (const forget of forgetSecrets) forget();
		}
	}

	/** Throws `SVC_RUNNER` unless the run may end with the status `paused` or `resuming`. */
	#assertMayPause({ execution, run }: ActiveRun): void {
		if (!this.#parts.isWorkflow(execution.runner_name)) {
			throw new SvcError("SVC_RUNNER", "the runner has resolved with the status paused, and has not the capability workflow");
		}
		// A canceled run may pause without a request: when it is resumed, it ends its children first.
		if (!run.pauseController.signal.aborted && !isCancelReason(run.controller.signal.reason)) {
			throw new SvcError("SVC_RUNNER", "the runner has resolved with the status paused, and nobody has asked it to pause");
		}
		if (run.isResumable) return;
		throw new SvcError("SVC_RUNNER", "the runner has resolved with the status paused, and has kept nothing that recover could go on with");
	}

	#createOutputWriter({ execution, run, prepared }: ActiveRun): OutputWriter {
		const { clock, eventBus, bulkOutput, options, runWrites } = this.#parts;
		return new OutputWriter({
			store: (chunks) => runWrites.storeOutput(execution, run, chunks),
			eventBus,
			bulkOutput,
			executionId: execution.id,
			actionRef: execution.action_ref,
			runnerRef: execution.runner_name,
			clock,
			maxResultOutput: options.actionrunner.max_result_output,
			streamOutput: options.actionrunner.stream_output,
			secrets: prepared.secrets,
			secretOutput: prepared.secretOutput,
		});
	}

	#toContext(activeRun: ActiveRun, outputWriter: OutputWriter, { calls, services, traceparent }: ContextResources): HostedRunContext {
		const { execution, run, prepared } = activeRun;
		const { dialects } = this.#parts;
		const base = prepared.context;
		// Each member is named: V8 makes a dictionary of an object that so many members are spread into, and reading it is slow.
		const context = {
			signal: run.controller.signal,
			findAction: (ref) => calls.retryWhileUnavailable(() => findActionSignature(this.#parts.catalog, ref)),
			request: (change) => requestChange(this.#parts, activeRun, { calls, change }),
			emit: toEmit(outputWriter),
			captured: (type) => outputWriter.captured(type),
			setRunnerInfo: (info) => {
				assertRecordable(info, "what setRunnerInfo was given");
				void this.#parts.runWrites.storeRunnerInfo(execution, run, run.secrets.withoutToken(info as JsonObject));
			},
			noteRunnerInfo: (info) => void this.#parts.runWrites.noteRunnerInfo(run, run.secrets.withoutToken(info)),
			announce: (route, payload, { about } = {}) => {
				assertRecordable(payload, "what announce was given");
				this.#events.announce(execution, run.secrets, { route, payload, about });
			},
			dispatch: (trigger, payload, options = {}) => this.#events.dispatch(execution, run.secrets, { trigger, payload, ...options }),
			saveState: (state) => this.#saveState(activeRun, run.secrets.withoutToken(state)),
			saveStateWith: (state, operations) => this.#saveState(activeRun, state, operations),
			execution_id: base.execution_id,
			liveaction_id: base.liveaction_id,
			action_ref: base.action_ref,
			pack: base.pack,
			user: base.user,
			entryPoint: base.entryPoint,
			packDirectory: base.packDirectory,
			packConfig: base.packConfig,
			runnerParameters: base.runnerParameters,
			actionParameters: base.actionParameters,
			actionSchema: base.actionSchema,
			logger: base.logger,
			context: base.context,
			notify: base.notify,
			takenUp: base.takenUp,
			environment: withTraceparent(dialects.environment(base.environment), traceparent),
		} satisfies Omit<HostedRunContext, keyof LazyMembers>;
		return withLazyMembers(context, { run, services });
	}

	/**
	 * Stores the state from which `recover` can continue the run. The first call also stores the token, because the process that continues
	 * the run must mask it. Throws `SVC_CONFLICT` if this run does not hold the execution any more.
	 */
	async #saveState(activeRun: ActiveRun, state: JsonObject, operations: readonly WriteOperation[] = []): Promise<void> {
		const { execution, run } = activeRun;
		const { runs, runWrites } = this.#parts;
		const encryptedSecrets = run.isResumable ? undefined : this.#encryptWithToken(activeRun);
		const resumable = { state, encryptedSecrets };
		const isStored =
			operations.length === 0
				? await runWrites.storeState(execution, run, resumable)
				: await runWrites.storeStateWith(execution, run, resumable, operations);
		if (!isStored) {
			throw new SvcError("SVC_CONFLICT", `execution "${execution.id}" is no longer this run's`);
		}
		runs.markResumable(run);
	}

	/** Encrypts the secrets of a run that another process may continue. */
	#encryptWithToken(activeRun: ActiveRun): string | null {
		return encryptRunSecrets(activeRun, this.#parts.sealedSecrets, { isResumable: true });
	}

	/**
	 * Adds secrets that the run has read, for example in the result of a child. They are masked in its output, its result and the log, and
	 * are stored for the process that continues the run. Returns a function that ends the masking in the log. Throws `SVC_CONFLICT` if this
	 * run does not hold the execution any more.
	 */
	async #addSecrets(activeRun: ActiveRun, added: Redactor): Promise<() => void> {
		const { execution, run } = activeRun;
		const { runWrites, sealedSecrets, logger } = this.#parts;
		const before = run.secrets;
		run.secrets = before.union(added);
		if (run.secrets === before) return () => {};
		run.learnedSecrets = run.learnedSecrets.union(added);
		run.outputWriter?.setSecrets(run.secrets);
		const encryptedSecrets = encryptRunSecrets(activeRun, sealedSecrets, { isResumable: run.isResumable });
		if (!(await runWrites.storeSecrets(execution, run, encryptedSecrets))) {
			throw new SvcError("SVC_CONFLICT", `execution "${execution.id}" is no longer this run's`);
		}
		return hideInLog(logger, added);
	}
}

function toEmit(outputWriter: OutputWriter): EmitOutput {
	const emit = (type: OutputType, data: string) => outputWriter.emit(type, data);
	return Object.assign(emit, { bytes: (type: OutputType, bytes: Uint8Array) => outputWriter.emitBytes(type, bytes) });
}

/** Adds the trace context under the name that programs expect, `TRACEPARENT`. A variable that the action sets itself takes precedence. */
function withTraceparent(environment: RunContext["environment"], traceparent: string | undefined): RunContext["environment"] {
	return traceparent === undefined ? environment : { TRACEPARENT: traceparent, ...environment };
}

/**
 * Starts the time-out of a run; `elapsedSeconds` of `seconds` have passed before. Aborts the run with the kind `timeout`.
 * Returns the timer; undefined if `seconds` is undefined, which means no time-out.
 */
function startTimeout(
	{ controller }: RunState,
	{ seconds, elapsedSeconds }: { readonly seconds: number | undefined; readonly elapsedSeconds: number },
): NodeJS.Timeout | undefined {
	if (seconds === undefined) return undefined;
	// Timers overflow beyond 2^31 milliseconds and would fire at once.
	const milliseconds = Math.min(Math.max(0, seconds - elapsedSeconds) * 1_000, 2_147_483_647);
	return setTimeout(() => controller.abort(new RunAborted("timeout", `Action failed to complete in ${seconds} seconds`)), milliseconds);
}

/** Returns the seconds since the execution first became `running`; 0 if it has not. `now` is in microseconds. */
function secondsSinceStart({ log }: ExecutionEntity, now: number): number {
	const started = log.find(({ status }) => status === "running");
	return started === undefined ? 0 : Math.max(0, (now - fromTimestamp(started.timestamp)) / 1_000_000);
}
