import { isDeepStrictEqual } from "node:util";
import {
	type EventBus,
	type ExecutionEntity,
	isSvcError,
	type JsonObject,
	type OutputChunkEntity,
	type Storage,
	type WriteOperation,
} from "../../contract/index.ts";
import { toTimestamp } from "../basics/clock.ts";
import type { LateWrites } from "../coordination/stale-writes.ts";
import type { Endings } from "../executions/completion-effects.ts";
import { publishOutput, publishUpdated } from "../executions/execution-events.ts";
import type { OutputChunk } from "../executions/executions-api.ts";
import { withValues } from "../executions/new-execution.ts";
import { applied, type ExecutionPatch, isCompleted, toBeContinued, toResultPatch, toStatusPatch } from "../executions/status.ts";
import { tell } from "../executions/transition.ts";
import { toStoredChunk } from "../output/stored-chunks.ts";
import type { Run } from "./active-runs.ts";
import { type Outcome, toCanceled } from "./outcome.ts";
import type { KeptOutcome } from "./run-secrets.ts";
import { type HeldWriteParts, HeldWrites } from "./run-writes.ts";

/** Microseconds that a planned restart may take; nodes on other hosts leave the runs of this one alone until then. */
const restartTime = 300_000_000;
/** Milliseconds for which the end of a run waits for the storage when the service stops; later, whoever finds the run ends it. */
const patience = 5_000;

export interface RunEndParts extends HeldWriteParts {
	readonly eventBus: EventBus;
	readonly endings: Endings;
	readonly lateWrites: Pick<LateWrites, "refused">;
}

/** Writes with which this process is done with a run. */
export class RunEnds {
	readonly #parts: RunEndParts;
	readonly #writes: HeldWrites;

	constructor(parts: RunEndParts) {
		this.#parts = parts;
		this.#writes = new HeldWrites(parts);
	}

	/** The last output, and the lease given back: the run goes on without this process. */
	async leave({ id }: ExecutionEntity, run: Run): Promise<void> {
		const { storage, clock, eventBus } = this.#parts;
		const chunks = (await run.recorder?.finish({ goesOn: true })) ?? [];
		const lease_expires_at = toTimestamp(clock.steady() + restartTime);
		const { fence } = run;
		const store = () =>
			storage.write([
				{ update: "execution", id, patch: { owner: null, lease_expires_at }, expected: { fence } },
				...(chunks.length === 0 ? [] : [{ insert: "output_chunk", entities: chunks.map(toStoredChunk) } as const]),
			]);
		const isStored = async () => {
			const stored = await storage.get("execution", id);
			return stored?.fence === fence && stored.lease_expires_at === lease_expires_at;
		};
		await this.#writes.store(run, store, { isStored, patience });
		for (const chunk of chunks) publishOutput(eventBus, chunk);
	}

	/**
	 * The last output, and the lease given back until somebody asks the execution to go on. Where a child has come further than the runner
	 * has seen, it goes on at once; that none does so unseen is what `stirred` is expected for (`draftStir`). Where its end was asked for,
	 * what it is made of has to end first: it goes on as well. A run that pauses and goes on again and again with no progress has failed.
	 */
	async pause(execution: ExecutionEntity, run: Run, outcome: KeptOutcome): Promise<void> {
		const { storage, eventBus, lateWrites } = this.#parts;
		if (await isStalled(storage, execution)) return this.finish(execution, run, { ...outcome, ...toStalled(outcome) });
		const chunks = (await run.recorder?.finish({ goesOn: true })) ?? [];
		for (;;) {
			try {
				const paused = await this.#storePause(execution, run, { outcome, chunks });
				if (paused === undefined) {
					lateWrites.refused("pause", { execution_id: execution.id });
					return;
				}
				for (const chunk of chunks) publishOutput(eventBus, chunk);
				tell(eventBus, paused);
				return;
			} catch (error) {
				// It has changed since it was read.
				if (!isSvcError(error, "SVC_CONFLICT")) throw error;
			}
		}
	}

	/** Undefined when it is not this run's any more; a conflict when it has changed meanwhile. */
	async #storePause(
		{ id }: ExecutionEntity,
		run: Run,
		{ outcome, chunks }: { readonly outcome: KeptOutcome; readonly chunks: readonly OutputChunk[] },
	): Promise<ExecutionEntity | undefined> {
		const { storage, clock } = this.#parts;
		const inserted = chunks.length === 0 ? [] : [{ insert: "output_chunk", entities: chunks.map(toStoredChunk) } as const];
		let after: ExecutionEntity | undefined;
		const store = async () => {
			after = undefined;
			const current = await storage.get("execution", id);
			if (current === undefined || current.fence !== run.fence || isCompleted(current.status)) return;
			// By an attempt whose answer was lost: nobody else lets go of what is this run's.
			if (current.owner === null) {
				after = current;
				return;
			}
			const { status, fence, stirred } = current;
			const patch = await this.#toPausePatch(current, run, { outcome, timestamp: toTimestamp(clock.now()) });
			await storage.write([{ update: "execution", id, patch, expected: { status, fence, stirred } }, ...inserted]);
			after = applied(current, patch);
		};
		await this.#writes.store(run, store, { isStored: async () => false, patience });
		return after;
	}

	async #toPausePatch(
		current: ExecutionEntity,
		run: Run,
		{ outcome, timestamp }: { readonly outcome: KeptOutcome; readonly timestamp: string },
	): Promise<ExecutionPatch> {
		const { runnerInfo: runner_info = current.runner_info } = run;
		const kept = { known_secrets: outcome.sealed, runner_info };
		if (current.status === "canceling") return { ...kept, ...toBeContinued };
		if (outcome.status === "resuming" || (await run.tools?.haveChildrenNews()) || (await this.#isOver(current)))
			return { ...toStatusPatch(current, "resuming", timestamp), ...kept, ...toBeContinued };
		return { ...toStatusPatch(current, "paused", timestamp), ...toResultPatch(outcome.result), ...kept };
	}

	/** Whether a run has paused for children that wait, and none does any more: nobody would have it go on. */
	async #isOver({ id, stirred, context }: ExecutionEntity): Promise<boolean> {
		if (stirred === null || context["paused_by"] !== undefined) return false;
		return (await this.#parts.storage.count("execution", { parent_id: id, status: { in: ["pending", "pausing", "paused"] } })) === 0;
	}

	/** The last output and the final status in one write; nothing is final before its output is stored. */
	async finish(execution: ExecutionEntity, run: Run, outcome: Outcome | KeptOutcome): Promise<void> {
		const { storage, eventBus, lateWrites } = this.#parts;
		const chunks = (await run.recorder?.finish()) ?? [];
		const stored = chunks.map(toStoredChunk);
		for (let current = execution; ; ) {
			const ended = current.status === "canceling" ? { ...outcome, ...toCanceled(current, outcome.result) } : outcome;
			try {
				const final = await this.#write(current, run, ended, stored);
				for (const chunk of chunks) publishOutput(eventBus, chunk);
				run.recorded = true;
				run.decided?.tell();
				publishUpdated(eventBus, final);
				return;
			} catch (error) {
				if (!isSvcError(error, "SVC_CONFLICT")) throw error;
				const read = await storage.get("execution", execution.id);
				if (read === undefined || read.fence !== run.fence || isCompleted(read.status)) {
					lateWrites.refused("result", { execution_id: execution.id, status: read?.status });
					return;
				}
				current = read;
			}
		}
	}

	/** One attempt to end an execution as it was last read; the execution as it is then. */
	async #write(
		current: ExecutionEntity,
		run: Run,
		ended: Outcome | KeptOutcome,
		chunks: readonly OutputChunkEntity[],
	): Promise<ExecutionEntity> {
		const { storage, clock, endings } = this.#parts;
		const { runnerInfo: runner_info = current.runner_info } = run;
		const known = "sealed" in ended && (run.saved || ended.sealed !== current.known_secrets) ? { known_secrets: ended.sealed } : {};
		const status = toStatusPatch(current, ended.status, toTimestamp(clock.now()));
		const patch = { runner_info, ...status, ...toResultPatch(ended.result), ...known };
		const expected = { status: current.status, fence: run.fence };
		const operations: WriteOperation[] = [...endings.takeBack(current)];
		if (chunks.length > 0) operations.push({ insert: "output_chunk", entities: chunks });
		if (run.decided !== undefined) operations.push({ insert: "journal_entry", entities: [run.decided.row] });
		const after = applied(current, patch);
		let final = after;
		let announce = () => {};
		const store = async () => {
			const { mark, ...ending } = await endings.draft(after, { isTidy: run.decided !== undefined });
			final = withValues(after, mark);
			announce = ending.announce;
			const update = { update: "execution", id: current.id, patch: { ...patch, ...mark }, expected } as const;
			await storage.write([...ending.below, update, ...operations, ...ending.operations]);
		};
		const isStored = async () => {
			const stored = await storage.get("execution", current.id);
			// Nobody else has the same state at the same microsecond.
			if (stored === undefined || !isDeepStrictEqual(stored.log.at(-1), after.log.at(-1))) return false;
			// What followed the attempt whose answer was lost, and not what would have followed this one.
			final = stored;
			return true;
		};
		await this.#writes.store(run, store, { isStored, patience });
		announce();
		return final;
	}
}

/** Most changes of state in a row while no execution below starts or ends. */
export const maxIdleStateChanges = 500;

/**
 * True if the last `maxIdleStateChanges` changes of state brought no progress: no execution below, at any depth, has started or ended since.
 * Nothing is read before an execution has changed its state that often.
 */
export async function isStalled(storage: Pick<Storage, "find">, { id, log }: Pick<ExecutionEntity, "id" | "log">): Promise<boolean> {
	const since = log.length > maxIdleStateChanges ? log.at(-maxIdleStateChanges)?.timestamp : undefined;
	return since !== undefined && !(await hasProgressBelow(storage, id, since));
}

/** Returns the outcome of a run that has stalled. */
function toStalled({ result }: { readonly result: JsonObject }): Outcome {
	const error =
		`the execution was stopped: it has changed its state ${maxIdleStateChanges} times without any progress of its run, ` +
		"as no execution below it has started or ended meanwhile";
	return { status: "failed", result: { ...result, failed: true, succeeded: false, error } };
}

async function hasProgressBelow(storage: Pick<Storage, "find">, id: string, since: string): Promise<boolean> {
	for (const field of ["start_timestamp", "end_timestamp"] as const) {
		const [child] = await storage.find("execution", { where: { parent_id: id, [field]: { gte: since } }, limit: 1, fields: ["id"] });
		if (child !== undefined) return true;
	}
	const open = await storage.find("execution", { where: { parent_id: id, end_timestamp: null }, fields: ["id"] });
	for (const child of open) if (await hasProgressBelow(storage, child.id, since)) return true;
	return false;
}
