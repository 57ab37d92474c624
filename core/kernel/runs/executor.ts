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
import { outlastOutage } from "../../lib/retry-while-unavailable.ts";
import type { SealedSecrets } from "../../secrets/encrypted-secrets.ts";
import type { EngineClock } from "../basics/clock.ts";
import { toRunResult } from "../basics/plugin-results.ts";
import type { Authority } from "../basics/principal.ts";
import type { Leasing } from "../coordination/lease-duration.ts";
import type { LateWrites } from "../coordination/stale-writes.ts";
import type { Dispatcher } from "../events/event-dispatcher-api.ts";
import type { OwnTriggerTypes } from "../events/trigger-type-registry.ts";
import type { Catalog } from "../executions/action-catalog.ts";
import type { Endings } from "../executions/completion-effects.ts";
import type { Floods } from "../output/bulk-output.ts";
import type { EngineDependencies } from "../plugins/engine-dependencies.ts";
import type { TemplateSources } from "../submission/parameter-rendering.ts";
import type { TelemetryHub } from "../telemetry/telemetry-hub.ts";
import { HeldRuns, type Run } from "./active-runs.ts";
import type { ChildStartParts } from "./children/child-starter.ts";
import { Children } from "./children/node-children.ts";
import { type Outcome, toFailure } from "./outcome.ts";
import { type Performance, type PreparedRun, prepareRun } from "./prepare-run.ts";
import { RunEnds } from "./run-completion.ts";
import { dropGrant, type Granting, withGrant, withGrantAgain } from "./run-credentials.ts";

import { hideInLog, toKept, toKeptPause } from "./run-secrets.ts";
import { type RunBegin, RunRecords } from "./run-writes.ts";
import { RunPerformer, type Work } from "./runner-call.ts";

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
	readonly records: RunRecords;
	readonly #parts: ExecutorParts;
	readonly #ends: RunEnds;
	readonly #performer: RunPerformer;

	constructor(parts: ExecutorParts) {
		this.#parts = parts;
		this.records = new RunRecords(parts);
		this.#ends = new RunEnds(parts);
		this.children = new Children({ ...parts, records: this.records });
		this.#performer = new RunPerformer({
			...parts,
			children: this.children,
			runs: this.runs,
			records: this.records,
			fail: (execution, error) => this.#fail(execution, error),
		});
	}

	/**
	 * Runs a claimed execution to its final state. A run that another process has started is continued. Never rejects: an error is recorded
	 * in the execution, or logged if that is impossible.
	 *
	 * @param ready the prepared run of an execution that was stored as running when it was inserted
	 */
	async run(claimed: ExecutionEntity, ready?: PreparedRun): Promise<void> {
		const run = this.runs.add(claimed);
		try {
			if (ready !== undefined) return await this.#beginStored({ execution: claimed, run, prepared: ready });
			const prepared = await this.#prepareOrFail(claimed, run);
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
	async #prepareOrFail(execution: ExecutionEntity, run: Run): Promise<PreparedRun | Outcome> {
		const { logger } = this.#parts;
		let prepared: PreparedRun | undefined;
		const attempt = async () => {
			prepared = await this.prepare(execution);
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

	/** Runner and final parameters of an execution. Rejects if there can be no run. */
	async prepare(execution: ExecutionEntity): Promise<PreparedRun> {
		return prepareRun(execution, await this.#parts.catalog.snapshot(execution.snapshot_id), this.#parts);
	}

	/** Issues the run's credentials for the service. Returns the prepared run with them, and what the start of the run stores. */
	grant(claimed: ExecutionEntity, prepared: PreparedRun): { readonly granted: PreparedRun; readonly begin: RunBegin } {
		const grant = this.#parts.granting.give(claimed);
		const granted = grant === undefined ? prepared : withGrant(prepared, grant);
		// What it decides and what it starts stand in its journal: if that is empty, it begins anew.
		const isFound = prepared.runner.capabilities.workflow === true;
		const sealed = isFound ? this.#parts.sealedSecrets.addToken(prepared.sealed, granted.secrets) : prepared.sealed;
		return { granted, begin: { sealed, isFound, token_hash: grant?.token_hash ?? null } };
	}

	/** Give the action what it may use of the service, and run it. */
	async #begin({ execution: claimed, run, prepared }: Performance): Promise<void> {
		const { granted, begin } = this.grant(claimed, prepared);
		const execution = await this.records.markRunning(claimed, run, begin);
		if (execution !== undefined) await this.#runFromBegin({ execution, run, prepared: granted });
	}

	/** Run what was stored as running by whoever made it. */
	async #beginStored(performance: Performance): Promise<void> {
		const { execution, run } = performance;
		if (await this.records.isStillHeld(execution, run)) await this.#runFromBegin(performance);
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
		const execution = claimed.status === "resuming" ? await this.records.markResumed(claimed, run) : claimed;
		if (execution === undefined) return;
		const { state } = (execution.run_state ?? {}) as { readonly state?: JsonObject };
		run.saved = true;
		this.#parts.logger.info("run is looked for", { execution_id: execution.id, runner: execution.runner_name });
		await this.records.storeRunnerInfo(execution, run, {});
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
