import type { ExecutionEntity, Runner } from "../../contract/index.ts";
import { resultWithin } from "../../lib/wait.ts";
import { findResultSecrets } from "../../secrets/result-masking.ts";
import { toTimestamp } from "../basics/clock.ts";
import type { Uses } from "../basics/engine-parts.ts";
import { assertRecordable, toRunResult } from "../basics/plugin-results.ts";
import { insertAllClaimed, type Reservation, type ReservedSlots } from "../coordination/claimer.ts";
import type { CompletionEffects } from "../executions/completion-effects.ts";
import { publishCreated, publishUpdated } from "../executions/execution-events.ts";
import { type StoreAdmitted, withValues } from "../executions/new-execution.ts";
import { applyPatch, type ExecutionPatch, isCompleted, toResultPatch, toStatusPatch } from "../executions/status.ts";
import { checkOutput } from "../runs/output-schema.ts";
import type { PreparedRun } from "../runs/prepare-run.ts";
import type { RunStart, RunWrites } from "../runs/run-writes.ts";
import type { ExecutionQueues } from "./execution-queues-api.ts";

export interface AdmissionOptions extends Uses<"eventBus"> {
	readonly queues: () => Pick<ExecutionQueues, "queueOf">;
	/** Reserves a slot for one execution. Returns undefined if the execution must wait in the storage. */
	readonly reserve: () => ReservedSlots<"execution"> | undefined;
	/**
	 * Tries to start a claimed execution in the write that inserts it. Returns the states it passes through after the claim: running, or
	 * running and final. Returns none if the caller must store it as claimed. Never rejects.
	 */
	readonly startInline: (claimed: ExecutionEntity) => Promise<readonly ExecutionEntity[]>;
	/** Returns true if the execution may be completed in the write that inserts it. */
	readonly canCompleteInline: (execution: ExecutionEntity) => boolean;
	/** Returns the patch of a claim without a slot; undefined while the scheduler is stopped. */
	readonly claim: () => ExecutionPatch | undefined;
	/** Publishes an execution that was stored as requested, and wakes the schedulers. */
	readonly announce: (execution: ExecutionEntity) => void;
}

/** A new execution with a reserved slot. */
interface ClaimedExecution {
	readonly requested: ExecutionEntity;
	readonly claimed: ExecutionEntity;
	readonly slot: ReservedSlots<"execution">;
}

/**
 * Inserts new executions, each in the latest state that it can reach in the write that inserts it. Every state reached there saves a write
 * afterwards. An execution is inserted in one of these states:
 *
 * - `requested` with a queue, if its action has limits. The scheduler starts it from the queue.
 * - `requested`, if it has a delay, if no slot is free, or if other executions wait in the storage, which it must not overtake. The
 *   schedulers of all nodes are notified, and one of them claims it.
 * - `scheduled`, if a slot is reserved for it. It is stored as claimed by this node, and its run begins after the write.
 * - `running`, if a slot is reserved and the run can be prepared within 20 ms. Its run continues after the write.
 * - `succeeded`, if its runner computes the result from the input alone (`completeInline`). This needs no slot.
 *
 * Admissions run concurrently with one another and with the polls of the scheduler. A slot is reserved without waiting before it, so that
 * nothing takes it meanwhile. An execution that may complete inline is the exception: it reserves a slot only after that has failed.
 *
 * Until the write has returned, no other node can read the execution. The result of the write settles the reservation:
 *
 * - stored: the run begins, or the slot is released if the execution is final. Then every state is published, in order.
 * - refused: the execution is certainly not stored, and the slot is released.
 * - unsure: the response was lost. The slot is released, and the fence of the claim is remembered. A later poll finds out by the fence
 *   whether the execution was stored, and runs it here. Otherwise it would wait until its lease expires.
 *
 * Several executions of one call are stored in one write, all or none.
 */
export class Admissions {
	readonly #parts: AdmissionOptions;

	constructor(parts: AdmissionOptions) {
		this.#parts = parts;
	}

	/**
	 * Calls `store` once to insert new executions, all or none, and schedules their runs. Resolves when they are stored; their states are
	 * published then. Rejects with the error of `store`.
	 */
	async admit(executions: readonly ExecutionEntity[], store: StoreAdmitted): Promise<void> {
		const admissions = await Promise.all(executions.map((execution) => this.#admitOne(execution)));
		await insertAllClaimed(admissions, store);
	}

	/** Reserves a slot synchronously, unless the execution may complete inline. */
	#admitOne(execution: ExecutionEntity): Promise<Reservation<ExecutionEntity>> | Reservation<ExecutionEntity> {
		if (execution.delay === null && this.#parts.canCompleteInline(execution)) return this.#completeOrReserve(execution);
		const reserved = this.#reserve(execution);
		return "claimed" in reserved ? this.#startInline(reserved) : reserved;
	}

	/** Completes the execution inline, which takes no slot. If that is impossible, reserves a slot. */
	async #completeOrReserve(execution: ExecutionEntity): Promise<Reservation<ExecutionEntity>> {
		const { queues, claim, startInline } = this.#parts;
		const patch = queues().queueOf(execution.action_ref) === null ? claim() : undefined;
		const claimed = patch && applyPatch(execution, patch);
		const states = claimed === undefined ? [] : [claimed, ...(await startInline(claimed))];
		const last = states.at(-1);
		if (last !== undefined && isCompleted(last.status)) return this.#toCompleted(execution, states, last);
		const reserved = this.#reserve(execution);
		return "claimed" in reserved ? this.#startInline(reserved) : reserved;
	}

	#toCompleted(requested: ExecutionEntity, states: readonly ExecutionEntity[], entity: ExecutionEntity): Reservation<ExecutionEntity> {
		return {
			entity,
			settle: (outcome) => {
				if (outcome === "stored") this.#publishStates(requested, states);
			},
		};
	}

	/** Publishes an inserted execution with each of its states. */
	#publishStates(requested: ExecutionEntity, states: readonly ExecutionEntity[]): void {
		const { eventBus } = this.#parts;
		publishCreated(eventBus, requested);
		for (const state of states) publishUpdated(eventBus, state);
	}

	#reserve(execution: ExecutionEntity): Reservation<ExecutionEntity> | ClaimedExecution {
		const { queues, reserve } = this.#parts;
		const queue = queues().queueOf(execution.action_ref);
		if (queue !== null) return this.#toWaiting(withValues(execution, { queue }));
		const slot = execution.delay === null ? reserve() : undefined;
		if (slot === undefined) return this.#toWaiting(execution);
		return { requested: execution, slot, claimed: applyPatch(execution, slot.claimPatch) };
	}

	async #startInline({ requested, slot, claimed }: ClaimedExecution): Promise<Reservation<ExecutionEntity>> {
		const states = [claimed, ...(await this.#parts.startInline(claimed))];
		const entity = states.at(-1) as ExecutionEntity;
		return {
			entity,
			settle: (outcome) => {
				// The run begins first. It publishes nothing before this function returns, so the order of events is right.
				if (outcome === "stored" && isCompleted(entity.status)) slot.release();
				else slot.settle(outcome, [entity]);
				if (outcome === "stored") this.#publishStates(requested, states);
			},
		};
	}

	/** Returns the reservation of an execution that waits in the storage. */
	#toWaiting(execution: ExecutionEntity): Reservation<ExecutionEntity> {
		return {
			entity: execution,
			settle: (outcome) => {
				if (outcome === "stored") this.#parts.announce(execution);
			},
		};
	}
}

interface InlineStartsOptions extends InlineCompletionOptions {
	readonly records: RunWrites;
	readonly prepare: (execution: ExecutionEntity) => Promise<PreparedRun>;
	/** Issues the credentials of a run. Returns the prepared run with them, and the data that the start of the run stores. */
	readonly grant: (claimed: ExecutionEntity, prepared: PreparedRun) => { readonly granted: PreparedRun; readonly begin: RunStart };
}

/** Milliseconds by which preparing a run may delay its submission. Most of the data is in memory, but files of packs may not be. */
const maxPrepareMs = 20;

/** Prepares runs that begin in the write that inserts their execution, and keeps them until the scheduler begins to run them. */
export class InlineStarts {
	readonly #parts: InlineStartsOptions;
	/** Prepared runs by their execution, until the execution is stored. */
	readonly #preparedRuns = new WeakMap<ExecutionEntity, PreparedRun>();

	constructor(parts: InlineStartsOptions) {
		this.#parts = parts;
	}

	/**
	 * Tries to start a new execution in the write that inserts it. Returns the states it passes through; the caller stores the last one. If
	 * that is running, the caller must call `take` with the same object. If it is final, nothing remains to be done. Returns none if
	 * preparing takes more than 20 ms or fails; the execution is then started, or failed, the normal way. Never rejects.
	 */
	async tryStart(claimed: ExecutionEntity): Promise<readonly ExecutionEntity[]> {
		const { grant, records } = this.#parts;
		const { prepared, ended } = (await resultWithin(this.#prepare(claimed), maxPrepareMs)) ?? {};
		if (ended !== undefined) return ended;
		if (prepared === undefined) return [];
		const { granted, begin } = grant(claimed, prepared);
		const execution = applyPatch(claimed, records.toRunningPatch(claimed, begin));
		this.#preparedRuns.set(execution, granted);
		return [execution];
	}

	/** Returns the prepared run of an execution that was inserted as running, once; undefined for any other execution. */
	take(execution: ExecutionEntity): PreparedRun | undefined {
		const preparedRun = this.#preparedRuns.get(execution);
		// While the entry exists, V8 keeps everything that it references until a full GC; see private-slot.ts.
		this.#preparedRuns.delete(execution);
		return preparedRun;
	}

	/** Prepares the run. If the execution can complete inline, also returns its states. */
	async #prepare(claimed: ExecutionEntity) {
		const prepared = await this.#parts.prepare(claimed);
		if (!canCompleteInline(claimed, prepared.runner)) return { prepared };
		return { prepared, ended: await completeInline(claimed, prepared, this.#parts).catch(() => undefined) };
	}
}

interface InlineCompletionOptions extends Uses<"clock" | "sealedSecrets"> {
	readonly records: Pick<RunWrites, "toRunningPatch">;
	readonly endings: Pick<CompletionEffects, "draft">;
}

/**
 * Returns true if an execution may be completed in the write that inserts it. Its runner must support that. A child may not: its parent's
 * run must be notified of every state in order.
 */
export function canCompleteInline({ parent_id }: Pick<ExecutionEntity, "parent_id">, runner: Runner | undefined): boolean {
	return runner?.runAtOnce !== undefined && parent_id === null;
}

/**
 * Completes a claimed execution that is not stored yet, if its runner computes the result from its input alone (`runAtOnce`). Such a run
 * has no side effects that a crash could lose, so one write is enough. Returns the running and the final state.
 *
 * Returns undefined if the execution must be stored as running first. That is so if the run does not succeed with a valid result, if the
 * completion has effects, or if the execution is a child. Rejects with the error of the runner, or of anything else that prevents the
 * completion.
 */
async function completeInline(
	claimed: ExecutionEntity,
	prepared: PreparedRun,
	{ clock, records, endings, sealedSecrets }: InlineCompletionOptions,
): Promise<readonly [running: ExecutionEntity, ended: ExecutionEntity] | undefined> {
	const { runner, snapshot, encryptedSecrets, context } = prepared;
	if (!canCompleteInline(claimed, runner)) return undefined;
	const running = applyPatch(claimed, records.toRunningPatch(claimed, { encryptedSecrets, isResumable: false, token_hash: null }));
	const runResult = await runner.runAtOnce?.(context);
	if (runResult === undefined) return undefined;
	const { succeeded, status, decided, result } = toRunResult(runResult, claimed.runner_name);
	if (!succeeded || status !== undefined || decided !== undefined) return undefined;
	assertRecordable(result, "the result of the action");
	if (checkOutput({ status: "succeeded", result }, snapshot).status !== "succeeded") return undefined;
	const known_secrets = sealedSecrets.addValues(encryptedSecrets, findResultSecrets(result, snapshot));
	const patch: ExecutionPatch = {
		known_secrets,
		...toResultPatch(result),
		...toStatusPatch(running, "succeeded", toTimestamp(clock.now())),
	};
	const ended = applyPatch(running, patch);
	// Completion effects read stored records, for example to find the depth of an event. So an execution with effects must be stored first.
	return (await endings.draft(ended)).operations.length === 0 ? [running, ended] : undefined;
}
