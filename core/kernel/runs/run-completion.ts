import { isDeepStrictEqual } from "node:util";
import { type ExecutionEntity, isSvcError, type JsonObject, type Storage, type WriteOperation } from "../../contract/index.ts";
import { toTimestamp } from "../basics/clock.ts";
import { publishOutput, publishTransition, publishUpdated } from "../executions/execution-events.ts";
import type { OutputChunk } from "../executions/executions-api.ts";
import { withExecutionFields } from "../executions/new-execution.ts";
import { applyPatch, type ExecutionPatch, isCompleted, resumableLease, toResultPatch, toStatusPatch } from "../executions/status.ts";
import { toStoredChunk } from "../output/stored-chunk-queries.ts";
import type { ActiveRun } from "./active-runs.ts";
import { type RunOutcome, type StoredOutcome, toCanceled } from "./outcome.ts";
import type { RunDependencies } from "./run-dependencies.ts";

/**
 * Microseconds that a planned restart of this node may take. During this time, nodes on other hosts do not recover the runs that it has
 * handed over.
 */
const restartMicroseconds = 300_000_000;
/**
 * Maximum milliseconds for which a completion, pause or hand-over waits for unavailable storage while the service stops. After that, the
 * node that recovers the run continues or ends it.
 */
const shutdownPatienceMs = 5_000;

/** Outcome with which an execution ends. It has no encrypted secrets if the execution could not be prepared. */
type FinalOutcome = RunOutcome & Partial<StoredOutcome>;

/** Writes that end the work of this process on a run: its completion, a pause or a hand-over. */
export class RunCompletion {
	readonly #parts: RunDependencies;

	constructor(parts: RunDependencies) {
		this.#parts = parts;
	}

	/**
	 * Hands the run over: stores the remaining output and releases the lease, while the work continues. The next node that starts on this host
	 * recovers the run. Nodes on other hosts wait five minutes, so that this node can restart first.
	 */
	async handOver(run: ActiveRun): Promise<void> {
		const { storage, clock, eventBus } = this.#parts;
		const chunks = (await run.outputWriter?.finish({ willContinue: true })) ?? [];
		const lease_expires_at = toTimestamp(clock.steady() + restartMicroseconds);
		const { id } = run.execution;
		const { fence } = run;
		const release: WriteOperation = { update: "execution", id, patch: { owner: null, lease_expires_at }, expected: { fence } };
		const store = () => storage.write([release, ...toChunkInserts(chunks)]);
		const isStored = async () => {
			const stored = await storage.get("execution", id);
			return stored?.fence === fence && stored.lease_expires_at === lease_expires_at;
		};
		await run.store(store, { isStored, shutdownPatienceMs });
		for (const chunk of chunks) publishOutput(eventBus, chunk);
	}

	/**
	 * Stores the remaining output and the status `paused`, and releases the lease. The execution is instead resumed at once if the runner
	 * requests it, if a child has changes that the runner has not seen, or if no child waits any more. If a cancellation is stored, the
	 * execution stays `canceling` and is resumed at once, so that the run ends its children. The write expects the value of `stirred` that was
	 * read before the children were checked. If a child has changed since, the check is repeated (see `draftParentWakeup`). A run that pauses
	 * and resumes repeatedly without progress fails (`isStalled`).
	 */
	async pause(run: ActiveRun, outcome: StoredOutcome): Promise<void> {
		const { storage, eventBus, staleWrites } = this.#parts;
		if (await isStalled(storage, run.execution)) return this.finish(run, { ...outcome, ...toStalled(outcome) });
		const chunks = (await run.outputWriter?.finish({ willContinue: true })) ?? [];
		for (;;) {
			try {
				const pausedExecution = await this.#storePause(run, outcome, chunks);
				if (pausedExecution === undefined) {
					staleWrites.recordRefusal("pause", { execution_id: run.execution.id });
					return;
				}
				for (const chunk of chunks) publishOutput(eventBus, chunk);
				publishTransition(eventBus, pausedExecution);
				return;
			} catch (error) {
				// The execution was changed after it was read, so read it again and repeat the write.
				if (!isSvcError(error, "SVC_CONFLICT")) throw error;
			}
		}
	}

	/**
	 * Reads the execution and stores the pause. Returns the execution as stored; undefined if this run no longer holds it. Throws
	 * `SVC_CONFLICT` if the execution was changed between reading and writing.
	 */
	async #storePause(run: ActiveRun, outcome: StoredOutcome, chunks: readonly OutputChunk[]): Promise<ExecutionEntity | undefined> {
		const { storage } = this.#parts;
		const { id } = run.execution;
		const chunkOperations = toChunkInserts(chunks);
		let after: ExecutionEntity | undefined;
		const store = async () => {
			after = undefined;
			const current = await storage.get("execution", id);
			if (current === undefined || current.fence !== run.fence || isCompleted(current.status)) return;
			// The owner is null, so an earlier attempt was stored although its response was lost: only this run releases the lease under this fence.
			if (current.owner === null) {
				after = current;
				return;
			}
			const { status, fence, stirred } = current;
			const patch = await this.#toPausePatch(current, run, outcome);
			await storage.write([{ update: "execution", id, patch, expected: { status, fence, stirred } }, ...chunkOperations]);
			after = applyPatch(current, patch);
		};
		await run.store(store, { shutdownPatienceMs });
		return after;
	}

	async #toPausePatch(current: ExecutionEntity, run: ActiveRun, outcome: StoredOutcome): Promise<ExecutionPatch> {
		const timestamp = toTimestamp(this.#parts.clock.now());
		const { runnerInfo: runner_info = current.runner_info } = run;
		const runFields = { known_secrets: outcome.encryptedSecrets, runner_info };
		if (current.status === "canceling") return { ...runFields, ...resumableLease };
		if (outcome.status === "resuming" || (await run.services?.hasPendingChildChanges()) || (await this.#isPauseOver(current)))
			return { ...toStatusPatch(current, "resuming", timestamp), ...runFields, ...resumableLease };
		return { ...toStatusPatch(current, "paused", timestamp), ...toResultPatch(outcome.result), ...runFields };
	}

	/**
	 * Returns true if the run would pause because of waiting children, but no child waits any more. No later change of a child would resume
	 * such an execution. Returns false if a user has requested the pause.
	 */
	async #isPauseOver({ id, stirred, context }: ExecutionEntity): Promise<boolean> {
		if (stirred === null || context["paused_by"] !== undefined) return false;
		return (await this.#parts.storage.count("execution", { parent_id: id, status: { in: ["pending", "pausing", "paused"] } })) === 0;
	}

	/**
	 * Stores the remaining output, the final status or a question, and the completion effects, in one write. So no execution is final
	 * before its output is stored. If a cancellation was stored in the meantime, the execution ends `canceled`.
	 */
	async finish(run: ActiveRun, outcome: FinalOutcome): Promise<void> {
		const { storage, eventBus, staleWrites } = this.#parts;
		const chunks = (await run.outputWriter?.finish()) ?? [];
		const chunkOperations = toChunkInserts(chunks);
		for (let current = run.execution; ; ) {
			const finalOutcome = current.status === "canceling" ? { ...outcome, ...toCanceled(current, outcome.result) } : outcome;
			try {
				const final = await this.#writeEnd(current, run, finalOutcome, chunkOperations);
				for (const chunk of chunks) publishOutput(eventBus, chunk);
				run.state = "recorded";
				run.lastEntry?.publishTasks();
				publishUpdated(eventBus, final);
				return;
			} catch (error) {
				if (!isSvcError(error, "SVC_CONFLICT")) throw error;
				const latest = await storage.get("execution", current.id);
				if (latest === undefined || latest.fence !== run.fence || isCompleted(latest.status)) {
					staleWrites.recordRefusal("result", { execution_id: current.id, status: latest?.status });
					return;
				}
				current = latest;
			}
		}
	}

	/**
	 * Stores the end of the execution `current`, and returns the ended execution. Throws `SVC_CONFLICT` if the stored execution has changed
	 * since `current` was read.
	 */
	async #writeEnd(
		current: ExecutionEntity,
		run: ActiveRun,
		outcome: FinalOutcome,
		chunkOperations: readonly WriteOperation[],
	): Promise<ExecutionEntity> {
		const { storage, clock, completionEffects } = this.#parts;
		const { runnerInfo: runner_info = current.runner_info } = run;
		const { encryptedSecrets } = outcome;
		const secrets =
			encryptedSecrets !== undefined && (run.isResumable || encryptedSecrets !== current.known_secrets)
				? { known_secrets: encryptedSecrets }
				: {};
		const status = toStatusPatch(current, outcome.status, toTimestamp(clock.now()));
		const patch = { runner_info, ...status, ...toResultPatch(outcome.result), ...secrets };
		const expected = { status: current.status, fence: run.fence };
		const operations: WriteOperation[] = [...completionEffects.revokeCredentials(current), ...chunkOperations];
		if (run.lastEntry !== undefined) operations.push({ insert: "journal_entry", entities: [run.lastEntry.row] });
		const after = applyPatch(current, patch);
		let final = after;
		let announce = () => {};
		const store = async () => {
			const { executionPatch, ...effects } = await completionEffects.draft(after, { hasNoOpenDescendants: run.lastEntry !== undefined });
			final = withExecutionFields(after, executionPatch);
			announce = effects.announce;
			const update = { update: "execution", id: current.id, patch: { ...patch, ...executionPatch }, expected } as const;
			await storage.write([...effects.descendantOperations, update, ...operations, ...effects.operations]);
		};
		const isStored = async () => {
			const stored = await storage.get("execution", current.id);
			// The last log entry identifies the attempt: no other write has the same status at the same microsecond.
			if (stored === undefined || !isDeepStrictEqual(stored.log.at(-1), after.log.at(-1))) return false;
			// An earlier attempt was stored although its response was lost, so return what it has stored.
			final = stored;
			return true;
		};
		await run.store(store, { isStored, shutdownPatienceMs });
		announce();
		return final;
	}
}

/** Returns the operation that inserts chunks of output; none without chunks. */
function toChunkInserts(chunks: readonly OutputChunk[]): readonly WriteOperation[] {
	return chunks.length === 0 ? [] : [{ insert: "output_chunk", entities: chunks.map(toStoredChunk) }];
}

/** Maximum number of status changes of an execution without a start or end of any descendant in between. */
export const maxIdleStateChanges = 500;

/**
 * Returns true if an execution has changed its status `maxIdleStateChanges` times without progress: no descendant has started or ended
 * since. Does not query the storage for executions with fewer status changes.
 */
export async function isStalled(storage: Pick<Storage, "find">, { id, log }: Pick<ExecutionEntity, "id" | "log">): Promise<boolean> {
	const since = log.length > maxIdleStateChanges ? log.at(-maxIdleStateChanges)?.timestamp : undefined;
	return since !== undefined && !(await hasProgressBelow(storage, id, since));
}

function toStalled({ result }: { readonly result: JsonObject }): RunOutcome {
	const error =
		`the execution was stopped: its state changed ${maxIdleStateChanges} times without progress, ` +
		"because none of its descendants started or ended in that time";
	return { status: "failed", result: { ...result, failed: true, succeeded: false, error } };
}

/** Returns true if any descendant has started or ended at `since` or later. */
async function hasProgressBelow(storage: Pick<Storage, "find">, id: string, since: string): Promise<boolean> {
	for (const field of ["start_timestamp", "end_timestamp"] as const) {
		const [child] = await storage.find("execution", { where: { parent_id: id, [field]: { gte: since } }, limit: 1, fields: ["id"] });
		if (child !== undefined) return true;
	}
	const openChildren = await storage.find("execution", { where: { parent_id: id, end_timestamp: null }, fields: ["id"] });
	for (const child of openChildren) if (await hasProgressBelow(storage, child.id, since)) return true;
	return false;
}
