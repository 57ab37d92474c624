import type { EventBus, ExecutionEntity, JsonObject, Options, RunContext, Runner, RunResult, Storage } from "../../contract/index.ts";
import { isSvcError, RunAborted, SvcError } from "../../contract/index.ts";
import type { Authority } from "../basics/authority.ts";
import { type EngineClock, toTimestamp } from "../basics/clock.ts";
import { createId } from "../basics/ids.ts";
import type { Dispatcher } from "../events/dispatcher.ts";
import type { OwnTriggerTypes } from "../events/own-trigger-types.ts";
import type { Catalog } from "../executions/catalog.ts";
import type { Endings } from "../executions/endings.ts";
import type { TemplateSources } from "../executions/template-sources.ts";
import type { EngineDependencies } from "../plugins/dependencies.ts";
import { toRunResult } from "../plugins/plugin-answers.ts";
import type { KnownSecrets } from "../secrets/known-secrets.ts";
import type { SealedSecrets } from "../secrets/sealed-secrets.ts";
import type { LateWrites } from "../work/late-writes.ts";
import { outlastOutage } from "../work/outage.ts";
import type { Granting } from "./granting.ts";
import { type Outcome, toFailure, toOutcome } from "./outcome.ts";
import { type PreparedRun, prepareRun } from "./prepare-run.ts";
import { assertAnswerable } from "./question.ts";
import { assertRecordable } from "./recordable.ts";
import { createRecorder } from "./recorder.ts";
import { createRun, type Run, secondsSinceStart, startTimeout } from "./run.ts";
import { createRunEvents } from "./run-events.ts";
import { dropGrant, withGrant } from "./run-grant.ts";
import { createRunRecords } from "./run-records.ts";
import { hideInLog, toKept } from "./run-secrets.ts";
import { readStoredChunks } from "./stored-chunks.ts";

export interface ExecutorOptions {
	readonly storage: Storage;
	readonly eventBus: EventBus;
	readonly clock: EngineClock;
	readonly logger: EngineDependencies["logger"];
	readonly catalog: Catalog;
	readonly runners: ReadonlyMap<string, Runner>;
	readonly options: Options;
	readonly apiUrl: () => string;
	readonly dataDirectory: string;
	readonly granting: Granting;
	readonly endings: Endings;
	readonly dispatcher: Pick<Dispatcher, "dispatch">;
	readonly authority: Authority;
	readonly triggerTypes: OwnTriggerTypes;
	readonly templateSources: TemplateSources;
	readonly sealedSecrets: SealedSecrets;
	readonly lateWrites: Pick<LateWrites, "refused">;
}

/** Runs claimed executions to their end. */
export interface Executor {
	/** Never rejects: whatever happens is recorded in the execution, or logged when that is impossible. */
	run(execution: ExecutionEntity): Promise<void>;
	/** End a run of this node; false when it is not running here. */
	abort(executionId: string, reason: RunAborted): boolean;
	/** End every run. */
	abortAll(reason: RunAborted): void;
	/** Leave every run that can be found again, now or once it can be, to go on without this process. */
	leaveAll(reason: RunAborted): void;
	/** Whether the runner may find the run of this execution, which another process has begun. */
	recovers(execution: ExecutionEntity): boolean;
	/** Whether the execution runs here. */
	holds(executionId: string): boolean;
	/** What runs here, by id. */
	held(): ReadonlyMap<string, Pick<Run, "fence" | "leaseExpiresAt">>;
	/** The lease of a run has been renewed. */
	prolong(executionId: string, leaseExpiresAt: string): void;
	/** The execution is no longer this node's: end the run and write nothing more. */
	lose(executionId: string): void;
}

/** What the runner is asked to do. */
type Work = (context: RunContext) => Promise<RunResult | undefined>;

const notFound: Outcome = {
	status: "abandoned",
	result: { failed: true, succeeded: false, error: "the node that ran the action went away, and the run was not found again" },
};

export function createExecutor(parts: ExecutorOptions): Executor {
	const { eventBus, clock, logger } = parts;
	const runs = new Map<string, Run>();
	const records = createRunRecords(parts);
	const events = createRunEvents(parts);
	let leaving: RunAborted | undefined;

	/** The whole life of a run, from claimed to final; one that another process has begun is gone on with. */
	async function run(claimed: ExecutionEntity): Promise<void> {
		const run = createRun(claimed);
		runs.set(claimed.id, run);
		try {
			const prepared = await prepare(claimed, run);
			if ("status" in prepared) await records.finish(claimed, run, prepared);
			else if (claimed.status === "scheduled") await begin(claimed, run, prepared);
			else await resume(claimed, run, prepared);
		} catch (error) {
			if (run.lost) parts.lateWrites.refused("end of a run", { execution_id: claimed.id });
			else logger.error("execution could not be recorded", { execution_id: claimed.id, error });
		} finally {
			if (runs.get(claimed.id) === run) runs.delete(claimed.id);
		}
	}

	/** Give the action what it may use of the service, and run it. */
	async function begin(claimed: ExecutionEntity, run: Run, prepared: PreparedRun): Promise<void> {
		const grant = parts.granting.give(claimed);
		const running = await records.markRunning(claimed, run, { granted: grant?.operations ?? [], sealed: prepared.sealed });
		if (running === undefined) return;
		const { runner } = prepared;
		try {
			const work: Work = async (context) => toRunResult(await runner.run(context), claimed.runner_name);
			await runToEnd(running, run, grant === undefined ? prepared : withGrant(prepared, grant), work);
		} finally {
			if (grant !== undefined && !run.recorded && !run.saved) await dropGrant(claimed, parts);
		}
	}

	/** Find what another process has begun. Its token goes on working. */
	async function resume(claimed: ExecutionEntity, run: Run, prepared: PreparedRun): Promise<void> {
		const { runner } = prepared;
		const { state } = (claimed.run_state ?? {}) as { readonly state?: JsonObject };
		run.saved = true;
		logger.info("run is looked for", { execution_id: claimed.id, runner: claimed.runner_name });
		await records.storeRunnerInfo(claimed, run, {});
		if (claimed.status === "canceling") run.controller.abort(new RunAborted("cancel", "canceled by user"));
		await runToEnd(claimed, run, prepared, async (context) => runner.recover?.(context, state ?? {}));
	}

	async function runToEnd(execution: ExecutionEntity, run: Run, prepared: PreparedRun, work: Work): Promise<void> {
		const forget = hideInLog(logger, prepared.secrets);
		try {
			const outcome = await perform(execution, run, prepared, work);
			if (run.lost) parts.lateWrites.refused("end of a run", { execution_id: execution.id });
			else if (outcome.status === "running") await records.leave(execution, run);
			else await records.finish(execution, run, toKept(outcome, prepared, parts.sealedSecrets));
			if (run.recorded) await callAfterRun(execution, prepared);
		} finally {
			forget();
		}
	}

	async function callAfterRun({ id, liveaction_id }: ExecutionEntity, { runner }: PreparedRun): Promise<void> {
		try {
			await runner.afterRun?.({ execution_id: id, liveaction_id });
		} catch (error) {
			logger.warn("runner did not clean up after a run", { execution_id: id, error });
		}
	}

	/** Runner and final parameters, or the outcome when there can be no run. */
	async function prepare(execution: ExecutionEntity, run: Run): Promise<PreparedRun | Outcome> {
		let prepared: PreparedRun | undefined;
		const attempt = async () => {
			const snapshot = await parts.catalog.snapshot(execution.snapshot_id);
			prepared = await prepareRun(execution, snapshot, parts);
		};
		try {
			await outlastOutage(attempt, {
				isOver: () => run.controller.signal.aborted,
				signal: run.controller.signal,
				onOutage: (error) => logger.warn("storage is away, a run waits for it", { execution_id: execution.id, error }),
			});
			return prepared as PreparedRun;
		} catch (error) {
			// Nothing has begun: whoever has the storage finds it again once its lease has run out.
			if (isSvcError(error, "SVC_UNAVAILABLE")) throw error;
			return fail(execution, error);
		}
	}

	/** Paths in what is shown of the error are counted from the pack. */
	async function fail({ action_ref }: ExecutionEntity, error: unknown): Promise<Outcome> {
		const pack = await parts.catalog.packDirectory(action_ref.split(".", 1)[0] ?? "").catch(() => undefined);
		return toFailure(error, [...(pack === undefined ? [] : [[pack, ""] as const]), [parts.dataDirectory, ""]]);
	}

	async function perform(execution: ExecutionEntity, run: Run, prepared: PreparedRun, work: Work): Promise<Outcome> {
		const { secrets } = prepared;
		const recorder = createRecorder({
			store: (chunks) => records.storeOutput(execution, run, chunks),
			eventBus,
			executionId: execution.id,
			actionRef: execution.action_ref,
			runnerRef: execution.runner_name,
			createId: () => createId(clock),
			timestamp: () => toTimestamp(clock.now()),
			maxResultOutput: parts.options.actionrunner.max_result_output,
			streamOutput: parts.options.actionrunner.stream_output,
			secrets,
			secretOutput: prepared.secretOutput,
		});
		run.recorder = recorder;
		if (run.saved) for await (const chunk of readStoredChunks(parts.storage, execution.id)) recorder.restore(chunk);
		const timer = startTimeout(run, { seconds: prepared.timeout, passed: secondsSinceStart(execution, clock.now()) });
		try {
			const result = await work({
				...prepared.context,
				signal: run.controller.signal,
				emit: recorder.emit,
				captured: recorder.captured,
				setRunnerInfo(info) {
					assertRecordable(info, "what setRunnerInfo was given");
					void records.storeRunnerInfo(execution, run, secrets.withoutToken(info as JsonObject));
				},
				announce(route, payload) {
					assertRecordable(payload, "what announce was given");
					events.announce(execution, secrets, { route, payload });
				},
				dispatch: (trigger, payload, options = {}) => events.dispatch(execution, secrets, { trigger, payload, ...options }),
				saveState: (state) => saveState(execution, run, { state: secrets.withoutToken(state), secrets }),
			});
			if (result !== undefined) assertRecordable(toRunResult(result, execution.runner_name).result, "the result of the action");
			const outcome = result === undefined ? notFound : toOutcome(result, run.controller.signal, execution);
			if (outcome.status === "pending") assertAnswerable(outcome.result);
			return outcome;
		} catch (error) {
			const { signal } = run.controller;
			return signal.aborted ? toOutcome({ succeeded: false, result: {} }, signal, execution) : await fail(execution, error);
		} finally {
			clearTimeout(timer);
		}
	}

	/** The token is kept until the run has ended: whoever goes on with it must know what not to show. */
	async function saveState(
		execution: ExecutionEntity,
		run: Run,
		{ state, secrets }: { readonly state: JsonObject; readonly secrets: KnownSecrets },
	): Promise<void> {
		const sealed = run.saved ? undefined : parts.sealedSecrets.addToken(execution.known_secrets, secrets);
		if (!(await records.storeState(execution, run, { state, ...(sealed !== undefined && { sealed }) }))) {
			throw new SvcError("SVC_CONFLICT", `execution "${execution.id}" is no longer this run's`);
		}
		run.saved = true;
		if (leaving !== undefined) run.controller.abort(leaving);
	}

	function abort(executionId: string, reason: RunAborted): boolean {
		const run = runs.get(executionId);
		run?.controller.abort(reason);
		return run !== undefined;
	}

	return {
		run,
		abort,
		abortAll(reason) {
			for (const run of runs.values()) run.controller.abort(reason);
		},
		leaveAll(reason) {
			leaving = reason;
			for (const run of runs.values()) if (run.saved) run.controller.abort(reason);
		},
		recovers({ run_state, runner_name }) {
			const runner = parts.runners.get(runner_name);
			return run_state !== null && runner?.capabilities.recovery === true && runner.recover !== undefined;
		},
		holds: (executionId) => runs.has(executionId),
		held: () => new Map([...runs].filter(([, { lost }]) => !lost)),
		prolong(executionId, leaseExpiresAt) {
			const run = runs.get(executionId);
			if (run !== undefined) run.leaseExpiresAt = leaseExpiresAt;
		},
		lose(executionId) {
			const run = runs.get(executionId);
			if (run === undefined) return;
			run.lost = true;
			const reason = new RunAborted("cancel", "the execution is no longer this node's");
			run.recorder?.fail(reason);
			run.controller.abort(reason);
		},
	};
}
