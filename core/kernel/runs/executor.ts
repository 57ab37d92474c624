import {
	type EventBus,
	type ExecutionEntity,
	isSvcError,
	type JsonObject,
	type Options,
	RunAborted,
	type Runner,
	type Storage,
} from "../../contract/index.ts";
import type { Dialects } from "../../language/dialects.ts";
import type { Authority } from "../basics/authority.ts";
import type { EngineClock } from "../basics/clock.ts";
import type { Dispatcher } from "../events/dispatcher.ts";
import type { OwnTriggerTypes } from "../events/own-trigger-types.ts";
import type { Catalog } from "../executions/catalog.ts";
import type { Endings } from "../executions/endings.ts";
import type { TemplateSources } from "../executions/template-sources.ts";
import type { EngineDependencies } from "../plugins/dependencies.ts";
import { toRunResult } from "../plugins/plugin-answers.ts";
import type { SealedSecrets } from "../secrets/sealed-secrets.ts";
import type { TelemetryHub } from "../telemetry/telemetry-hub.ts";
import type { LateWrites } from "../work/late-writes.ts";
import type { Leasing } from "../work/leasing.ts";
import { outlastOutage } from "../work/outage.ts";
import type { ChildStartParts } from "./children/child-starts.ts";
import { Children } from "./children/children.ts";
import { mayEndAtOnce } from "./end-at-once.ts";
import type { Floods } from "./floods.ts";
import type { Granting } from "./granting.ts";
import { HeldRuns } from "./held-runs.ts";
import { type Outcome, toFailure } from "./outcome.ts";
import { RunPerformer, type Work } from "./perform-run.ts";
import type { Performance } from "./performance.ts";
import { type PreparedRun, prepareRun } from "./prepare-run.ts";
import { ReadyRuns } from "./ready-runs.ts";
import type { Run } from "./run.ts";
import { RunEnds } from "./run-ends.ts";
import { dropGrant, withGrant, withGrantAgain } from "./run-grant.ts";
import { type RunBegin, RunRecords } from "./run-records.ts";
import { hideInLog, toKept, toKeptPause } from "./run-secrets.ts";

export interface ExecutorParts {
	readonly storage: Storage;
	readonly eventBus: EventBus;
	readonly clock: EngineClock;
	readonly leasing: Leasing;
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
	readonly dialects: Dialects;
	readonly hub: Pick<TelemetryHub, "tracing">;
	readonly floods: Floods;
	readonly lateWrites: Pick<LateWrites, "refused">;
	readonly admitAll: ChildStartParts["admitAll"];
	readonly isWorkflow: (runnerName: string) => boolean;
	/** A run that waits for its children has given its place to others. */
	readonly onPlace: () => void;
}

/** Runs claimed executions to their end. */
export class Executor {
	/** What runs here at this moment. */
	readonly runs = new HeldRuns();
	readonly children: Children;
	readonly #parts: ExecutorParts;
	readonly #records: RunRecords;
	readonly #ends: RunEnds;
	readonly #performer: RunPerformer;
	readonly #ready: ReadyRuns;

	constructor(parts: ExecutorParts) {
		this.#parts = parts;
		this.#records = new RunRecords(parts);
		this.#ends = new RunEnds(parts);
		this.#ready = new ReadyRuns({
			...parts,
			records: this.#records,
			prepare: (execution) => this.#toPrepared(execution),
			grant: (claimed, prepared) => this.#grant(claimed, prepared),
		});
		this.children = new Children({ ...parts, records: this.#records });
		this.#performer = new RunPerformer({
			...parts,
			children: this.children,
			runs: this.runs,
			records: this.#records,
			fail: (execution, error) => this.#fail(execution, error),
		});
	}

	/** What becomes of a new execution with the write that stores it, state by state; see `ReadyRuns`. Never rejects. */
	ready(claimed: ExecutionEntity): Promise<readonly ExecutionEntity[]> {
		return this.#ready.statesOf(claimed);
	}

	/** Whether a new execution may come to its end with that write. */
	mayEnd(execution: ExecutionEntity): boolean {
		return mayEndAtOnce(execution, this.#parts.runners.get(execution.runner_name));
	}

	/**
	 * The whole life of a run, from claimed to final; one that another process has begun is gone on with. Never rejects: whatever happens
	 * is recorded in the execution, or logged when that is impossible.
	 */
	async run(claimed: ExecutionEntity): Promise<void> {
		const run = this.runs.add(claimed);
		try {
			const ready = this.#ready.take(claimed);
			if (ready !== undefined) return await this.#beginStored({ execution: claimed, run, prepared: ready });
			const prepared = await this.#prepare(claimed, run);
			if ("status" in prepared) await this.#ends.finish(claimed, run, prepared);
			else if (isUnbegun(claimed)) await this.#begin({ execution: claimed, run, prepared });
			else await this.#goOn({ execution: claimed, run, prepared: withGrantAgain(prepared, this.#parts.granting) });
		} catch (error) {
			if (run.lost) this.#parts.lateWrites.refused("end of a run", { execution_id: claimed.id });
			else this.#parts.logger.error("execution could not be recorded", { execution_id: claimed.id, error });
		} finally {
			this.runs.remove(claimed.id, run);
		}
	}

	/** Whether the runner may find the run of this execution, which another process has begun. */
	recovers({ run_state, runner_name }: ExecutionEntity): boolean {
		const runner = this.#parts.runners.get(runner_name);
		return run_state !== null && runner?.capabilities.recovery === true && runner.recover !== undefined;
	}

	/** Runner and final parameters, or the outcome when there can be no run. */
	async #prepare(execution: ExecutionEntity, run: Run): Promise<PreparedRun | Outcome> {
		const { logger } = this.#parts;
		let prepared: PreparedRun | undefined;
		const attempt = async () => {
			prepared = await this.#toPrepared(execution);
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
			return this.#fail(execution, error);
		}
	}

	async #toPrepared(execution: ExecutionEntity): Promise<PreparedRun> {
		return prepareRun(execution, await this.#parts.catalog.snapshot(execution.snapshot_id), this.#parts);
	}

	/** What a run has and knows with all that it may use of the service. */
	#grant(claimed: ExecutionEntity, prepared: PreparedRun): { readonly granted: PreparedRun; readonly begin: RunBegin } {
		const grant = this.#parts.granting.give(claimed);
		const granted = grant === undefined ? prepared : withGrant(prepared, grant);
		// What it decides and what it starts stand in its journal: if that is empty, it begins anew.
		const isFound = prepared.runner.capabilities.workflow === true;
		const sealed = isFound ? this.#parts.sealedSecrets.addToken(prepared.sealed, granted.secrets) : prepared.sealed;
		return { granted, begin: { sealed, isFound, token_hash: grant?.token_hash ?? null } };
	}

	/** Give the action what it may use of the service, and run it. */
	async #begin({ execution: claimed, run, prepared }: Performance): Promise<void> {
		const { granted, begin } = this.#grant(claimed, prepared);
		const execution = await this.#records.markRunning(claimed, run, begin);
		if (execution !== undefined) await this.#runFromBegin({ execution, run, prepared: granted });
	}

	/** Run what was stored as running by whoever made it. */
	async #beginStored(performance: Performance): Promise<void> {
		const { execution, run } = performance;
		if (await this.#records.isStillHeld(execution, run)) await this.#runFromBegin(performance);
		else this.#parts.lateWrites.refused("begin of a run", { execution_id: execution.id });
	}

	async #runFromBegin(performance: Performance): Promise<void> {
		const { execution, run, prepared } = performance;
		const work: Work = async (context) => toRunResult(await prepared.runner.run(context), execution.runner_name);
		try {
			await this.#runToEnd(performance, work);
		} finally {
			if (prepared.secrets.token !== undefined && !run.recorded && !run.saved) await dropGrant(execution, this.#parts);
		}
	}

	/** Find what another process has begun, or what was paused. Its token goes on working. */
	async #goOn({ execution: claimed, run, prepared }: Performance): Promise<void> {
		const execution = claimed.status === "resuming" ? await this.#records.markResumed(claimed, run) : claimed;
		if (execution === undefined) return;
		const { state } = (execution.run_state ?? {}) as { readonly state?: JsonObject };
		run.saved = true;
		this.#parts.logger.info("run is looked for", { execution_id: execution.id, runner: execution.runner_name });
		await this.#records.storeRunnerInfo(execution, run, {});
		// Whoever asked for it told the process that is gone.
		if (execution.status === "canceling") run.controller.abort(new RunAborted("cancel", "canceled by user"));
		if (execution.status === "pausing") run.pausing.abort();
		await this.#runToEnd({ execution, run, prepared }, async (context) => prepared.runner.recover?.(context, state ?? {}));
	}

	async #runToEnd(performance: Performance, work: Work): Promise<void> {
		const { execution, run, prepared } = performance;
		const { logger, lateWrites, sealedSecrets } = this.#parts;
		const forget = hideInLog(logger, prepared.secrets);
		try {
			const outcome = await this.#performer.perform(performance, work);
			if (run.lost) lateWrites.refused("end of a run", { execution_id: execution.id });
			else if (outcome.status === "running") await this.#ends.leave(execution, run);
			else if (outcome.status === "paused" || outcome.status === "resuming")
				await this.#ends.pause(execution, run, toKeptPause(outcome, performance, sealedSecrets));
			else await this.#ends.finish(execution, run, toKept(outcome, performance, sealedSecrets));
			if (run.recorded) await this.#callAfterRun(execution, prepared);
		} finally {
			forget();
		}
	}

	async #callAfterRun({ id, liveaction_id }: ExecutionEntity, { runner }: PreparedRun): Promise<void> {
		try {
			await runner.afterRun?.({ execution_id: id, liveaction_id });
		} catch (error) {
			this.#parts.logger.warn("runner did not clean up after a run", { execution_id: id, error });
		}
	}

	/** Paths in what is shown of the error are counted from the pack. */
	async #fail({ action_ref }: ExecutionEntity, error: unknown): Promise<Outcome> {
		const { catalog, dataDirectory } = this.#parts;
		const pack = await catalog.packDirectory(action_ref.split(".", 1)[0] ?? "").catch(() => undefined);
		return toFailure(error, [...(pack === undefined ? [] : [[pack, ""] as const]), [dataDirectory, ""]]);
	}
}

/**
 * Whether no process has begun it: one that is running, and of which nothing is kept to be found by, is not gone on with by anybody but the
 * node that has stored it so and has not heard since that it did.
 */
function isUnbegun({ status, run_state }: ExecutionEntity): boolean {
	return status === "scheduled" || (status === "running" && run_state === null);
}
