import {
	type EmitOutput,
	type ExecutionEntity,
	type JsonObject,
	type OutputType,
	RunAborted,
	type RunContext,
	type RunResult,
	SvcError,
} from "../../contract/index.ts";
import { assertAnswerable } from "../../language/inquiry-schema.ts";
import { maxTimerMs } from "../../lib/wait.ts";
import { fromTimestamp, toTimestamp } from "../basics/clock.ts";
import { assertRecordable, toRunResult } from "../basics/plugin-results.ts";
import { findActionSignature } from "../executions/action-catalog.ts";
import { isCompleted, toStatusPatch } from "../executions/status.ts";
import { cancelExecution } from "../executions/status-requests.ts";
import { applyTransition } from "../executions/transition.ts";
import { OutputWriter } from "../output/output-writer.ts";
import { readStoredChunks } from "../output/stored-chunk-queries.ts";
import type { ActiveRun } from "./active-runs.ts";
import { isCancelReason, type RunOutcome, toFailure, toOutcome } from "./outcome.ts";
import { type KernelRunContext, type LazyMembers, type RunServiceDependencies, RunServices, withLazyMembers } from "./run-services.ts";

const notRecoveredOutcome: RunOutcome = {
	status: "abandoned",
	result: { failed: true, succeeded: false, error: "the run could not be recovered after its node stopped" },
};

/**
 * Calls the runner with a context through which it uses the service, and returns the outcome of the run. If the runner throws, the outcome
 * is a failure. Rejects only if the storage fails. After the runner has resolved, its calls to the host are refused.
 */
export async function callRunner(parts: RunServiceDependencies, run: ActiveRun): Promise<RunOutcome> {
	const { execution } = run;
	const { clock, storage } = parts;
	const outputWriter = createOutputWriter(parts, run);
	run.outputWriter = outputWriter;
	const services = new RunServices(parts, run);
	run.services = services;
	if (run.state === "preparing") run.state = "running";
	if (run.isResumable) for await (const chunk of readStoredChunks(storage, execution.id)) outputWriter.restore(chunk);
	const timer = startTimeout(run, clock.now());
	try {
		const traceparent = await parts.hub.tracing?.traceparentOf(execution);
		const result = await runOrRecover(run, toContext(parts, run, { outputWriter, services, traceparent }));
		if (result !== undefined) assertRecordable(toRunResult(result, execution.runner_name).result, "the result of the action");
		const outcome = result === undefined ? notRecoveredOutcome : toOutcome(result, run.controller.signal, execution);
		if (outcome.status === "pending") assertAnswerable(outcome.result);
		if (outcome.status === "paused" || outcome.status === "resuming") assertMayPause(parts, run);
		if (result?.decided !== undefined && isCompleted(outcome.status)) run.lastEntry = await services.journal.toLast(result.decided);
		return outcome;
	} catch (error) {
		const { signal } = run.controller;
		// A runner whose signal was aborted may fail with any error, so the reason of the abort determines the outcome.
		return signal.aborted ? toOutcome({ succeeded: false, result: {} }, signal, execution) : await toFailure(parts, execution, error);
	} finally {
		clearTimeout(timer);
		if (run.state === "running") run.state = "completing";
		services.close();
	}
}

/** Throws `SVC_RUNNER` unless the run may end with the status `paused` or `resuming`. */
function assertMayPause({ isWorkflow }: RunServiceDependencies, run: ActiveRun): void {
	const refuse = (reason: string) => new SvcError("SVC_RUNNER", `the runner resolved with the status paused, but ${reason}`);
	if (!isWorkflow(run.execution.runner_name)) throw refuse("it does not have the capability workflow");
	// A canceled run may pause without a request, because it ends its children when it is resumed.
	const isCanceled = isCancelReason(run.controller.signal.reason);
	if (!run.pauseController.signal.aborted && !isCanceled) throw refuse("no pause was requested");
	if (!run.isResumable) throw refuse("it has saved no state from which recover could continue");
}

function createOutputWriter({ clock, eventBus, bulkOutput, options, runWrites }: RunServiceDependencies, run: ActiveRun): OutputWriter {
	const { execution, prepared } = run;
	return new OutputWriter({
		store: (chunks) => runWrites.storeOutput(run, chunks),
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

interface ContextSources {
	readonly outputWriter: OutputWriter;
	readonly services: RunServices;
	/** Trace context of the run, as a `traceparent` header; undefined if the run is not traced. */
	readonly traceparent: string | undefined;
}

function toContext(parts: RunServiceDependencies, run: ActiveRun, sources: ContextSources): KernelRunContext {
	const { outputWriter, services, traceparent } = sources;
	const { dialects, runWrites } = parts;
	const base = run.prepared.context;
	// Name each member: if so many members were spread into the object, V8 would turn it into a dictionary, which is slow to read.
	const context = {
		signal: run.controller.signal,
		findAction: (ref) => run.callHost(() => findActionSignature(parts.catalog, ref)),
		request: (change) => requestChange(parts, run, change),
		emit: toEmit(outputWriter),
		captured: (type) => outputWriter.captured(type),
		setRunnerInfo: (info) => {
			assertRecordable(info, "the argument of setRunnerInfo");
			void runWrites.storeRunnerInfo(run, run.secrets.withoutToken(info as JsonObject));
		},
		noteRunnerInfo: (info) => void runWrites.noteRunnerInfo(run, run.secrets.withoutToken(info)),
		announce: (route, payload, { about } = {}) => {
			assertRecordable(payload, "the argument of announce");
			services.announce({ route, payload, about });
		},
		dispatch: (trigger, payload, options = {}) => services.dispatch({ trigger, payload, ...options }),
		saveState: (state) => services.saveState(run.secrets.withoutToken(state)),
		saveStateWith: (state, operations) => services.saveState(state, operations),
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
	} satisfies Omit<KernelRunContext, keyof LazyMembers>;
	return withLazyMembers(context, services);
}

/** Calls `run` for a new run, or `recover` to continue one. Resolves with undefined if the runner cannot find the run. */
async function runOrRecover(
	{ execution, prepared: { runner }, isResumable }: ActiveRun,
	context: RunContext,
): Promise<RunResult | undefined> {
	if (!isResumable) return toRunResult(await runner.run(context), execution.runner_name);
	const { state = {} } = (execution.run_state ?? {}) as { readonly state?: JsonObject };
	return runner.recover?.(context, state);
}

/**
 * Stores a pause or a cancellation that a run requests for its own execution, and aborts the signal of the run. If a cancellation is stored
 * already, the run is canceled even if it requests a pause. Throws `SVC_RUNNER` unless the runner has the capability `workflow`.
 */
async function requestChange(parts: RunServiceDependencies, run: ActiveRun, change: "pause" | "cancel"): Promise<void> {
	const { execution } = run;
	if (!parts.isWorkflow(execution.runner_name)) {
		throw new SvcError("SVC_RUNNER", `request: runner type "${execution.runner_name}" does not have the capability workflow`);
	}
	await run.callHost(async () => {
		for (;;) {
			const current = await parts.storage.get("execution", execution.id);
			if (current === undefined || current.fence !== run.fence || isCompleted(current.status)) throw run.toLostError();
			if (current.status === "canceling") return run.controller.abort(new RunAborted("cancel", "canceled by user"));
			if (change === "cancel") await cancelExecution(parts, current, { username: execution.user, isAdmin: false });
			else if (current.status === "pausing") return run.pauseController.abort();
			else await pause(parts, current);
		}
	});
}

function pause(parts: RunServiceDependencies, current: ExecutionEntity): Promise<unknown> {
	const { status, fence } = current;
	// Remove `paused_by`: it names the user of an earlier pause, who has not requested this one.
	const { paused_by: _by, ...context } = current.context;
	const patch = { ...toStatusPatch(current, "pausing", toTimestamp(parts.clock.now())), context };
	return applyTransition(parts, current, patch, { status, fence });
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
 * Starts the time-out of a run, which counts from the moment at which the execution first became `running`. When it ends, aborts the run
 * with the kind `timeout`. Returns the timer; undefined without a time-out. `now` is in microseconds.
 */
function startTimeout({ controller, execution, prepared: { timeoutSeconds } }: ActiveRun, now: number): NodeJS.Timeout | undefined {
	if (timeoutSeconds === undefined) return undefined;
	const started = execution.log.find(({ status }) => status === "running");
	const elapsedSeconds = started === undefined ? 0 : Math.max(0, (now - fromTimestamp(started.timestamp)) / 1_000_000);
	const milliseconds = Math.min(Math.max(0, timeoutSeconds - elapsedSeconds) * 1_000, maxTimerMs);
	return setTimeout(
		() => controller.abort(new RunAborted("timeout", `Action failed to complete in ${timeoutSeconds} seconds`)),
		milliseconds,
	);
}
