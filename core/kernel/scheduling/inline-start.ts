import type { ExecutionEntity } from "../../contract/index.ts";
import { resultWithin } from "../../lib/wait.ts";
import { findResultSecrets } from "../../secrets/result-masking.ts";
import { toTimestamp } from "../basics/clock.ts";
import type { Uses } from "../basics/engine-parts.ts";
import { assertRecordable, toRunResult } from "../basics/plugin-results.ts";
import { type Claimer, insertAllClaimed, type Reservation } from "../coordination/claimer.ts";
import type { CompletionEffects } from "../executions/completion-effects.ts";
import { publishCreated, publishUpdated } from "../executions/execution-events.ts";
import { type InsertAdmitted, withExecutionFields } from "../executions/new-execution.ts";
import { applyPatch, type ExecutionPatch, toResultPatch, toStatusPatch } from "../executions/status.ts";
import type { Executor } from "../runs/executor.ts";
import { validateResult } from "../runs/outcome.ts";
import type { PreparedRun } from "../runs/prepare-run.ts";
import type { ExecutionQueues } from "./execution-queues-api.ts";

/** Inserts new executions, and schedules their runs. */
export interface Admission {
	/**
	 * Calls `store` once to insert new executions, all or none. Resolves when the executions are stored and their states are published.
	 * Rejects with the error of `store`.
	 */
	admit(executions: readonly ExecutionEntity[], store: InsertAdmitted): Promise<void>;
}

interface StoreThenScheduleOptions {
	readonly queues: () => Pick<ExecutionQueues, "queueOf">;
	/** Publishes an execution that was stored as requested, and wakes the schedulers. */
	readonly announce: (execution: ExecutionEntity) => void;
}

/**
 * Admission that stores every execution as `requested`, in the queue of its action if the action has limits. The schedulers of all nodes
 * are notified, and one of them claims the execution. This is the complete path of an execution; `InlineStart` only skips steps of it.
 */
export class StoreThenSchedule implements Admission {
	readonly #parts: StoreThenScheduleOptions;

	constructor(parts: StoreThenScheduleOptions) {
		this.#parts = parts;
	}

	async admit(executions: readonly ExecutionEntity[], store: InsertAdmitted): Promise<void> {
		const { queues, announce } = this.#parts;
		const queued = executions.map((execution) => withQueue(execution, queues()));
		await store(queued);
		for (const execution of queued) announce(execution);
	}
}

function withQueue(execution: ExecutionEntity, queues: Pick<ExecutionQueues, "queueOf">): ExecutionEntity {
	const queue = queues.queueOf(execution.action_ref);
	return queue === null ? execution : withExecutionFields(execution, { queue });
}

interface InlineStartDependencies extends StoreThenScheduleOptions, Uses<"eventBus" | "clock" | "runners" | "sealedSecrets"> {
	readonly claimer: Pick<Claimer<"execution">, "reserveSlot" | "createSlotlessClaim">;
	readonly executor: Pick<Executor, "prepare" | "issueCredentials" | "runWrites">;
	readonly completionEffects: Pick<CompletionEffects, "draft">;
}

/**
 * Maximum milliseconds by which the preparation of a run may delay its submission. Most of the data is in memory, but files of packs may
 * not be.
 */
const maxPrepareMs = 20;

/**
 * Admission that inserts each execution in the latest state that it can reach in the write that inserts it. Every state reached there saves
 * a write afterwards. An execution is inserted in one of these states:
 *
 * - `requested` with a queue, if its action has limits. The scheduler starts it from the queue.
 * - `requested`, if it has a delay, if no slot is free, or if earlier executions wait in the storage. The schedulers of all nodes are
 *   notified, and one of them claims the execution.
 * - `scheduled`, if a slot is reserved for it. It is stored as claimed by this node, and its run begins after the write.
 * - `running`, if a slot is reserved and the run can be prepared within 20 ms. Its run continues after the write.
 * - `succeeded`, if its runner computes the result from the input alone (`runAtOnce`). This needs no slot.
 *
 * Admissions run concurrently with one another and with the polls of the scheduler. A slot is reserved before anything is awaited, so that
 * nothing else takes it. Exception: an execution that may complete inline reserves a slot only if the inline completion has failed.
 *
 * Until the write has returned, no other node can read the execution. The result of the write settles the reservation:
 *
 * - stored: the run begins. Then every state is published, in order.
 * - refused: the execution is certainly not stored, and the slot is released.
 * - unsure: the response was lost. The slot is released, and the fence of the claim is remembered. A later poll finds out by the fence
 *   whether the execution was stored, and runs it here. Otherwise it would wait until its lease expires.
 *
 * Several executions of one call are stored in one write, all or none.
 */
export class InlineStart implements Admission {
	readonly #parts: InlineStartDependencies;
	/** Prepared runs by their execution, from the inline start until the scheduler begins to carry the execution out. */
	readonly #preparedRuns = new WeakMap<ExecutionEntity, PreparedRun>();

	constructor(parts: InlineStartDependencies) {
		this.#parts = parts;
	}

	async admit(executions: readonly ExecutionEntity[], store: InsertAdmitted): Promise<void> {
		const admissions = await Promise.all(executions.map((execution) => this.#admitOne(execution)));
		await insertAllClaimed(admissions, store);
	}

	/** Returns the prepared run of an execution that was inserted as running, once; undefined for any other execution. */
	takePreparedRun(execution: ExecutionEntity): PreparedRun | undefined {
		const preparedRun = this.#preparedRuns.get(execution);
		// Delete the entry: while it exists, V8 keeps everything that it references until a full GC; see private-slot.ts.
		this.#preparedRuns.delete(execution);
		return preparedRun;
	}

	/**
	 * Returns an execution in the state in which to insert it. Reserves a slot before awaiting anything, unless the execution may complete
	 * inline.
	 */
	async #admitOne(execution: ExecutionEntity): Promise<Reservation<ExecutionEntity>> {
		const { queues, claimer, announce, runners } = this.#parts;
		const { delay, parent_id, runner_name } = execution;
		// A child may not complete inline, because the run of its parent must be notified of every state in order.
		const canComplete = delay === null && parent_id === null && runners.get(runner_name)?.runAtOnce !== undefined;
		const completed = canComplete ? await this.#completeWithoutSlot(execution) : undefined;
		if (completed !== undefined) return completed;
		const requested = withQueue(execution, queues());
		const slot = requested.queue === null && requested.delay === null ? claimer.reserveSlot() : undefined;
		if (slot === undefined) return toReservation(requested, () => announce(requested));
		const claimed = applyPatch(requested, slot.claimPatch);
		const running = await this.#start(claimed);
		const entity = running ?? claimed;
		return {
			entity,
			settle: (outcome) => {
				// The run begins before its states are published. The order of events is right, because it publishes nothing before this function
				// returns.
				slot.settle(outcome, [entity]);
				if (outcome === "stored") this.#publishStates(requested, running === undefined ? [claimed] : [claimed, running]);
			},
		};
	}

	/** Completes an execution inline, without a slot. Returns undefined if that takes more than 20 ms or is impossible. Never rejects. */
	async #completeWithoutSlot(requested: ExecutionEntity): Promise<Reservation<ExecutionEntity> | undefined> {
		const { queues, claimer } = this.#parts;
		const claimPatch = queues().queueOf(requested.action_ref) === null ? claimer.createSlotlessClaim() : undefined;
		if (claimPatch === undefined) return undefined;
		const claimed = applyPatch(requested, claimPatch);
		const states = await resultWithin(this.#complete(claimed), maxPrepareMs);
		return states && toReservation(states[1], () => this.#publishStates(requested, [claimed, ...states]));
	}

	/**
	 * Starts a claimed execution before it is stored. Returns the running state. Returns undefined if preparing takes more than 20 ms or
	 * fails; the execution then starts, or fails, in the normal way. Never rejects.
	 */
	async #start(claimed: ExecutionEntity): Promise<ExecutionEntity | undefined> {
		const { executor } = this.#parts;
		const prepared = await resultWithin(executor.prepare(claimed), maxPrepareMs);
		if (prepared === undefined) return undefined;
		const { granted, begin } = executor.issueCredentials(claimed, prepared);
		const running = applyPatch(claimed, executor.runWrites.toRunningPatch(claimed, begin));
		this.#preparedRuns.set(running, granted);
		return running;
	}

	/**
	 * Completes a claimed execution that is not stored yet. Its runner computes the result from its input alone (`runAtOnce`). Such a run has
	 * no side effects that a crash could lose, so one write is enough. Returns the running and the final state.
	 *
	 * Returns undefined if the execution must be stored as running first. That is the case if the run does not succeed with a valid result, or
	 * if the completion has effects. Rejects with the error of the runner, or of anything else that prevents the completion.
	 */
	async #complete(claimed: ExecutionEntity): Promise<readonly [running: ExecutionEntity, ended: ExecutionEntity] | undefined> {
		const { clock, executor, completionEffects, sealedSecrets } = this.#parts;
		const { runner, snapshot, encryptedSecrets, context } = await executor.prepare(claimed);
		const start = { encryptedSecrets, isResumable: false, token_hash: null };
		const running = applyPatch(claimed, executor.runWrites.toRunningPatch(claimed, start));
		const runResult = await runner.runAtOnce?.(context);
		if (runResult === undefined) return undefined;
		const { succeeded, status, decided, result } = toRunResult(runResult, claimed.runner_name);
		if (!succeeded || status !== undefined || decided !== undefined) return undefined;
		assertRecordable(result, "the result of the action");
		if (validateResult({ status: "succeeded", result }, snapshot).status !== "succeeded") return undefined;
		const known_secrets = sealedSecrets.addValues(encryptedSecrets, findResultSecrets(result, snapshot));
		const patch: ExecutionPatch = {
			known_secrets,
			...toResultPatch(result),
			...toStatusPatch(running, "succeeded", toTimestamp(clock.now())),
		};
		const ended = applyPatch(running, patch);
		// An execution with completion effects must be stored first, because effects read stored records, for example to find the depth of an
		// event.
		return (await completionEffects.draft(ended)).operations.length === 0 ? [running, ended] : undefined;
	}

	/** Publishes an inserted execution, first as created, then in each of its states. */
	#publishStates(requested: ExecutionEntity, states: readonly ExecutionEntity[]): void {
		const { eventBus } = this.#parts;
		publishCreated(eventBus, requested);
		for (const state of states) publishUpdated(eventBus, state);
	}
}

/** Returns the reservation of an execution that takes no slot. */
function toReservation(entity: ExecutionEntity, onStored: () => void): Reservation<ExecutionEntity> {
	return {
		entity,
		settle: (outcome) => {
			if (outcome === "stored") onStored();
		},
	};
}
