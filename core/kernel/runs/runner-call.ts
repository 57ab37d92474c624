import {
	type EmitOutput,
	type ExecutionEntity,
	type JsonObject,
	type OutputType,
	type RunContext,
	type RunResult,
	type Storage,
	SvcError,
	type WriteOperation,
} from "../../contract/index.ts";
import { assertAnswerable } from "../../language/inquiry-schema.ts";
import type { KnownSecrets } from "../../secrets/redactor.ts";
import { type EngineClock, toTimestamp } from "../basics/clock.ts";
import { createId } from "../basics/ids.ts";
import { assertRecordable, toRunResult } from "../basics/plugin-results.ts";

import { type Catalog, findSignature } from "../executions/action-catalog.ts";

import { isCompleted } from "../executions/status.ts";
import type { Floods } from "../output/bulk-output.ts";
import { Recorder } from "../output/output-writer.ts";
import { readStoredChunks } from "../output/stored-chunks.ts";
import type { EngineDependencies } from "../plugins/engine-dependencies.ts";
import type { TelemetryHub } from "../telemetry/telemetry-hub.ts";
import { type HeldRuns, secondsSinceStart, startTimeout } from "./active-runs.ts";

import { RunCalls, type RunRequestParts, requestChange } from "./host-calls.ts";
import { isCanceled, type Outcome, toOutcome } from "./outcome.ts";
import type { Performance } from "./prepare-run.ts";
import { hideInLog, toSealed } from "./run-secrets.ts";
import type { RunRecords } from "./run-writes.ts";
import { type HostedRunContext, type LaterMembers, type RunToolParts, RunTools, withLaterMembers } from "./runner-context.ts";

import { createRunEvents, type RunEventParts, type RunEvents } from "./runner-events.ts";

/** What the runner is asked to do. */
export type Work = (context: RunContext) => Promise<RunResult | undefined>;

export interface RunPerformerParts extends RunEventParts, RunRequestParts, Omit<RunToolParts, "options"> {
	readonly storage: Storage;
	readonly clock: EngineClock;
	readonly runs: HeldRuns;
	readonly records: RunRecords;
	readonly catalog: Pick<Catalog, "resolve">;
	readonly logger: EngineDependencies["logger"];
	readonly hub: Pick<TelemetryHub, "tracing">;
	readonly floods: Floods;
	/** What becomes of an execution whose run has failed of itself. */
	readonly fail: (execution: ExecutionEntity, error: unknown) => Promise<Outcome>;
}

/** What a context is made with. */
interface Means {
	readonly calls: RunCalls;
	readonly tools: RunTools;
	readonly traceparent: string | undefined;
}

const notFound: Outcome = {
	status: "abandoned",
	result: { failed: true, succeeded: false, error: "the node that ran the action went away, and the run was not found again" },
};

/** Has runners do their work, and gives them what they may use meanwhile. */
export class RunPerformer {
	readonly #parts: RunPerformerParts;
	readonly #events: RunEvents;

	constructor(parts: RunPerformerParts) {
		this.#parts = parts;
		this.#events = createRunEvents(parts);
	}

	/** What came of the work, whatever that was; rejects only when the storage does. */
	async perform(performance: Performance, work: Work): Promise<Outcome> {
		const { execution, run, prepared } = performance;
		const { clock, storage } = this.#parts;
		run.secrets = prepared.secrets;
		const recorder = this.#createRecorder(performance);
		run.recorder = recorder;
		const forgets: (() => void)[] = [];
		const learn = async (known: KnownSecrets) => void forgets.push(await this.#learn(performance, known));
		const calls = new RunCalls(performance, this.#parts.logger);
		const tools = new RunTools(this.#parts, performance, { calls, learn, seal: () => this.#sealFound(performance) });
		run.tools = tools;
		if (run.saved) for await (const chunk of readStoredChunks(storage, execution.id)) recorder.restore(chunk);
		const timer = startTimeout(run, { seconds: prepared.timeout, passed: secondsSinceStart(execution, clock.now()) });
		try {
			const traceparent = await this.#parts.hub.tracing?.traceparentOf(execution);
			const result = await work(this.#toContext(performance, recorder, { calls, tools, traceparent }));
			if (result !== undefined) assertRecordable(toRunResult(result, execution.runner_name).result, "the result of the action");
			const outcome = result === undefined ? notFound : toOutcome(result, run.controller.signal, execution);
			if (outcome.status === "pending") assertAnswerable(outcome.result);
			if (outcome.status === "paused" || outcome.status === "resuming") this.#assertPausable(performance);
			if (result?.decided !== undefined && isCompleted(outcome.status)) run.decided = await tools.journal.toLast(result.decided);
			return outcome;
		} catch (error) {
			const { signal } = run.controller;
			// Work that was ended by somebody says so by failing, each runner in its own words.
			return signal.aborted ? toOutcome({ succeeded: false, result: {} }, signal, execution) : await this.#parts.fail(execution, error);
		} finally {
			clearTimeout(timer);
			calls.close();
			tools.close();
			for (const forget of forgets) forget();
		}
	}

	#assertPausable({ execution, run }: Performance): void {
		if (!this.#parts.isWorkflow(execution.runner_name)) {
			throw new SvcError("SVC_RUNNER", "the runner has resolved with the status paused, and has not the capability workflow");
		}
		// A cancel that came before the pause was asked for ends what is below first, when the run goes on.
		if (!run.pausing.signal.aborted && !isCanceled(run.controller.signal.reason)) {
			throw new SvcError("SVC_RUNNER", "the runner has resolved with the status paused, and nobody has asked it to pause");
		}
		if (run.saved) return;
		throw new SvcError("SVC_RUNNER", "the runner has resolved with the status paused, and has kept nothing that recover could go on with");
	}

	#createRecorder({ execution, run, prepared }: Performance): Recorder {
		const { clock, eventBus, floods, options, records } = this.#parts;
		return new Recorder({
			store: (chunks) => records.storeOutput(execution, run, chunks),
			eventBus,
			floods,
			executionId: execution.id,
			actionRef: execution.action_ref,
			runnerRef: execution.runner_name,
			createId: () => createId(clock),
			timestamp: () => toTimestamp(clock.now()),
			maxResultOutput: options.actionrunner.max_result_output,
			streamOutput: options.actionrunner.stream_output,
			secrets: prepared.secrets,
			secretOutput: prepared.secretOutput,
		});
	}

	#toContext(performance: Performance, recorder: Recorder, { calls, tools, traceparent }: Means): HostedRunContext {
		const { execution, run, prepared } = performance;
		const { dialects } = this.#parts;
		const given = prepared.context;
		// Each by its name: an object that so many members are spread into becomes a map, and is slow to read.
		const context = {
			signal: run.controller.signal,
			findAction: (ref) => calls.outlast(() => findSignature(this.#parts.catalog, ref)),
			request: (change) => requestChange(this.#parts, performance, { calls, change }),
			emit: toEmit(recorder),
			captured: (type) => recorder.captured(type),
			setRunnerInfo: (info) => {
				assertRecordable(info, "what setRunnerInfo was given");
				void this.#parts.records.storeRunnerInfo(execution, run, run.secrets.withoutToken(info as JsonObject));
			},
			noteRunnerInfo: (info) => void this.#parts.records.noteRunnerInfo(run, run.secrets.withoutToken(info)),
			announce: (route, payload, { about } = {}) => {
				assertRecordable(payload, "what announce was given");
				this.#events.announce(execution, run.secrets, { route, payload, about });
			},
			dispatch: (trigger, payload, options = {}) => this.#events.dispatch(execution, run.secrets, { trigger, payload, ...options }),
			saveState: (state) => this.#saveState(performance, run.secrets.withoutToken(state)),
			saveStateWith: (state, operations) => this.#saveState(performance, state, operations),
			execution_id: given.execution_id,
			liveaction_id: given.liveaction_id,
			action_ref: given.action_ref,
			pack: given.pack,
			user: given.user,
			entryPoint: given.entryPoint,
			packDirectory: given.packDirectory,
			packConfig: given.packConfig,
			runnerParameters: given.runnerParameters,
			actionParameters: given.actionParameters,
			actionSchema: given.actionSchema,
			logger: given.logger,
			context: given.context,
			notify: given.notify,
			takenUp: given.takenUp,
			environment: withTraceparent(dialects.environment(given.environment), traceparent),
		} satisfies Omit<HostedRunContext, keyof LaterMembers>;
		return withLaterMembers(context, { run, tools });
	}

	/** The token is kept until the run has ended: whoever goes on with it must know what not to show. */
	async #saveState(performance: Performance, state: JsonObject, operations: readonly WriteOperation[] = []): Promise<void> {
		const { execution, run } = performance;
		const { runs, records } = this.#parts;
		const sealed = run.saved ? undefined : this.#sealFound(performance);
		const kept = { state, sealed };
		const isStored =
			operations.length === 0
				? await records.storeState(execution, run, kept)
				: await records.storeStateWith(execution, run, kept, operations);
		if (!isStored) {
			throw new SvcError("SVC_CONFLICT", `execution "${execution.id}" is no longer this run's`);
		}
		runs.saved(run);
	}

	#sealFound(performance: Performance): string | null {
		return toSealed(performance, this.#parts.sealedSecrets, { isFound: true });
	}

	/** What the result of a child shows to be secret is so in this run too, in the log and for whoever goes on with it. */
	async #learn(performance: Performance, known: KnownSecrets): Promise<() => void> {
		const { execution, run } = performance;
		const { records, sealedSecrets, logger } = this.#parts;
		const before = run.secrets;
		run.secrets = before.and(known);
		if (run.secrets === before) return () => {};
		run.learnt = run.learnt.and(known);
		run.recorder?.learn(run.secrets);
		const sealed = toSealed(performance, sealedSecrets, { isFound: run.saved });
		if (!(await records.storeKnown(execution, run, sealed))) {
			throw new SvcError("SVC_CONFLICT", `execution "${execution.id}" is no longer this run's`);
		}
		return hideInLog(logger, known);
	}
}

function toEmit(recorder: Recorder): EmitOutput {
	const emit = (type: OutputType, data: string) => recorder.emit(type, data);
	return Object.assign(emit, { bytes: (type: OutputType, bytes: Uint8Array) => recorder.emitBytes(type, bytes) });
}

/** By the name that programs look for it; an action that sets it itself says where it stands. */
function withTraceparent(environment: RunContext["environment"], traceparent: string | undefined): RunContext["environment"] {
	return traceparent === undefined ? environment : { TRACEPARENT: traceparent, ...environment };
}
