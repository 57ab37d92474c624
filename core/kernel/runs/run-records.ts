import { hostname } from "node:os";
import { isDeepStrictEqual } from "node:util";
import {
	type EventBus,
	type ExecutionEntity,
	isSvcError,
	type JsonObject,
	type OutputChunkEntity,
	RunAborted,
	type Storage,
	type WriteOperation,
} from "../../contract/index.ts";
import { type EngineClock, toTimestamp } from "../basics/clock.ts";
import type { Endings } from "../executions/endings.ts";
import { publishOutput, publishUpdated } from "../executions/execution-events.ts";
import { isCompleted } from "../executions/status.ts";
import { applied, applyChange, type ExecutionPatch, toResultPatch, toStatusPatch } from "../executions/transition.ts";
import type { EngineDependencies } from "../plugins/dependencies.ts";
import type { LateWrites } from "../work/late-writes.ts";
import type { Leasing } from "../work/leasing.ts";
import { outlastOutage } from "../work/outage.ts";
import { type Outcome, toCanceled } from "./outcome.ts";
import { toStoredChunk } from "./recorder.ts";
import type { Run } from "./run.ts";
import type { KeptOutcome } from "./run-secrets.ts";

/** Microseconds that a planned restart may take; nodes on other hosts leave the runs of this one alone until then. */
const restartTime = 300_000_000;
/** Milliseconds for which the end of a run waits for the storage when the service stops; later, whoever finds the run ends it. */
const patienceAtStop = 5_000;

export interface RunRecordParts {
	readonly storage: Storage;
	readonly eventBus: EventBus;
	readonly clock: EngineClock;
	readonly logger: EngineDependencies["logger"];
	readonly endings: Endings;
	readonly lateWrites: Pick<LateWrites, "refused">;
	readonly leasing: Pick<Leasing, "expiry">;
}

/** Everything that is written about a run, each time under its fence. */
export interface RunRecords {
	/** The execution as it is running; undefined when it was taken back before. `granted` is stored with it; `sealed` is what it knows. */
	markRunning(
		execution: ExecutionEntity,
		run: Run,
		begun: { readonly granted: readonly WriteOperation[]; readonly sealed: string | null },
	): Promise<ExecutionEntity | undefined>;
	storeOutput(execution: ExecutionEntity, run: Run, chunks: readonly OutputChunkEntity[]): Promise<void>;
	/** What must be written along with what only the holder of the run may store. */
	guard(execution: ExecutionEntity, run: Run): readonly WriteOperation[];
	/** Keep what the run knows to be secret by now; false when the execution is not this run's any more. */
	storeKnown(execution: ExecutionEntity, run: Run, sealed: string | null): Promise<boolean>;
	storeRunnerInfo(execution: ExecutionEntity, run: Run, info: JsonObject): Promise<void>;
	/** Keep what the run is found by after a restart, and what must be known of it; false when the execution is not this run's any more. */
	storeState(
		execution: ExecutionEntity,
		run: Run,
		saved: { readonly state: JsonObject; readonly sealed?: string | null },
	): Promise<boolean>;
	/** The last output, and the lease given back: the run goes on without this process. */
	leave(execution: ExecutionEntity, run: Run): Promise<void>;
	/** The last output and the final status in one write; nothing is final before its output is stored. */
	finish(execution: ExecutionEntity, run: Run, outcome: Outcome | KeptOutcome): Promise<void>;
}

interface Recognition {
	/** Whether it is stored already; asked after a conflict. */
	readonly isStored: () => Promise<boolean>;
	/** Milliseconds for which it is tried although the service stops. Default 0. */
	readonly patience?: number;
}

export function createRunRecords(parts: RunRecordParts): RunRecords {
	const { storage, eventBus, clock, logger } = parts;
	const ownInfo = { hostname: hostname(), pid: process.pid };
	const now = () => toTimestamp(clock.now());

	/** An outage of the storage delays a run and does not end it, unless the run is lost or the service stops meanwhile. */
	function outlast(run: Run, store: (isRetry: boolean) => Promise<void>, patience = 0): Promise<void> {
		const { signal } = run.controller;
		const begun = performance.now();
		const isStopping = () => signal.reason instanceof RunAborted && signal.reason.kind === "shutdown";
		const isOver = () => run.lost || (isStopping() && performance.now() - begun >= patience);
		return outlastOutage(store, { isOver, onOutage: (error) => logger.warn("storage is away, a run waits for it", { error }) });
	}

	/** As `outlast`: a conflict is none where an attempt whose answer was lost has stored the same before. */
	function outlastUnknown(run: Run, store: () => Promise<void>, { isStored, patience }: Recognition): Promise<void> {
		const attempt = (isRetry: boolean) =>
			store().catch(async (error: unknown) => {
				if (!isRetry || !isSvcError(error, "SVC_CONFLICT") || !(await isStored())) throw error;
			});
		return outlast(run, attempt, patience);
	}

	async function areStored(id: string, chunks: readonly OutputChunkEntity[]): Promise<boolean> {
		const ids = chunks.map((chunk) => chunk.id);
		return (await storage.count("output_chunk", { execution_id: id, id: { in: ids } })) === chunks.length;
	}

	/** One attempt to end an execution as it was last read; the execution as it is then. */
	async function writeEnd(current: ExecutionEntity, run: Run, ended: Outcome | KeptOutcome, chunks: readonly OutputChunkEntity[]) {
		const { runnerInfo: runner_info = current.runner_info } = run;
		const known = "sealed" in ended && (run.saved || ended.sealed !== current.known_secrets) ? { known_secrets: ended.sealed } : {};
		const patch = { ...toStatusPatch(current, ended.status, now()), ...toResultPatch(ended.result), ...known, runner_info };
		const operations: WriteOperation[] = [
			{ update: "execution", id: current.id, patch, expected: { status: current.status, fence: run.fence } },
			...parts.endings.takeBack(current),
		];
		if (chunks.length > 0) operations.push({ insert: "output_chunk", entities: chunks });
		const after = applied(current, patch);
		let announce = () => {};
		const store = async () => {
			const ending = await parts.endings.draft(after);
			announce = ending.announce;
			await storage.write([...operations, ...ending.operations]);
		};
		// Nobody else has the same state at the same microsecond.
		const isStored = async () => isDeepStrictEqual((await storage.get("execution", current.id))?.log.at(-1), after.log.at(-1));
		await outlastUnknown(run, store, { isStored, patience: patienceAtStop });
		announce();
		return after;
	}

	/** Where no other node can be, nobody ends the run while its lease is in force. */
	function toGuard(id: string, run: Run): readonly WriteOperation[] {
		const isAlone = storage.capabilities.shared !== true && toTimestamp(clock.steady()) < run.leaseExpiresAt;
		return isAlone ? [] : [{ update: "execution", id, patch: {}, expected: { fence: run.fence } }];
	}

	/** Whether the execution was still this run's. */
	async function patchHeld(id: string, run: Run, patch: ExecutionPatch): Promise<boolean> {
		let isStored = false;
		await outlast(run, async () => {
			isStored = (await storage.update("execution", id, patch, { fence: run.fence })) !== undefined;
		});
		return isStored;
	}

	return {
		guard: ({ id }, run) => toGuard(id, run),
		storeKnown: ({ id }, run, sealed) => patchHeld(id, run, { known_secrets: sealed }),

		/** The state is on disk before the runner starts: an execution found `scheduled` has certainly not been started. */
		async markRunning(execution, run, { granted, sealed }) {
			const { id, fence } = execution;
			const known = sealed === execution.known_secrets ? {} : { known_secrets: sealed };
			const patch = { ...toStatusPatch(execution, "running", now()), ...known, runner_info: ownInfo, attempt: execution.attempt + 1 };
			const store = async () => {
				// The wait for the storage may have been longer than the lease: what begins now must still be this run's.
				const lease_expires_at = toTimestamp(clock.steady()) < run.leaseExpiresAt ? undefined : parts.leasing.expiry();
				const renewed = { ...patch, ...(lease_expires_at !== undefined && { lease_expires_at }) };
				await storage.write([{ update: "execution", id, patch: renewed, expected: { status: "scheduled", fence } }, ...granted]);
				run.leaseExpiresAt = lease_expires_at ?? run.leaseExpiresAt;
			};
			const isStored = async () => {
				const lease_expires_at = parts.leasing.expiry();
				const kept = await storage.update("execution", id, { lease_expires_at }, { status: "running", fence });
				if (kept !== undefined) run.leaseExpiresAt = lease_expires_at;
				return kept !== undefined;
			};
			try {
				await outlastUnknown(run, store, { isStored });
			} catch (error) {
				if (!isSvcError(error, "SVC_CONFLICT")) throw error;
				// A cancel was faster; it has written the final state itself.
				logger.debug("execution was taken back before it ran", { execution_id: execution.id });
				return undefined;
			}
			const running = applied(execution, patch);
			publishUpdated(eventBus, running);
			return running;
		},

		/**
		 * Whether the run is still this node's is asked in the write itself: a look before it would be answered before the commit, and
		 * output would be stored behind the end that another node has written meanwhile.
		 */
		async storeOutput({ id }, run, chunks) {
			const insert = { insert: "output_chunk", entities: chunks } as const;
			const store = () => {
				const guard = toGuard(id, run);
				return guard.length === 0 ? storage.insert("output_chunk", chunks) : storage.write([...guard, insert]);
			};
			try {
				await outlastUnknown(run, store, { isStored: () => areStored(id, chunks) });
			} catch (error) {
				if (isSvcError(error, "SVC_CONFLICT")) parts.lateWrites.refused("output", { execution_id: id });
				throw error;
			}
		},

		async storeRunnerInfo(execution, run, info) {
			run.runnerInfo = { ...ownInfo, ...info };
			try {
				const patch = { runner_info: run.runnerInfo };
				await applyChange(parts, execution.id, patch, { status: "running", fence: execution.fence });
			} catch (error) {
				logger.warn("runner info was not stored", { execution_id: execution.id, error });
			}
		},

		storeState({ id }, run, { state, sealed }) {
			const run_state = { hostname: hostname(), state };
			return patchHeld(id, run, { run_state, ...(sealed !== undefined && { known_secrets: sealed }) });
		},

		async leave({ id }, run) {
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
			await outlastUnknown(run, store, { isStored, patience: patienceAtStop });
			for (const chunk of chunks) publishOutput(eventBus, chunk);
		},

		async finish(execution, run, outcome) {
			const chunks = (await run.recorder?.finish()) ?? [];
			const stored = chunks.map(toStoredChunk);
			for (let current = execution; ; ) {
				const ended = current.status === "canceling" ? { ...outcome, ...toCanceled(current, outcome.result) } : outcome;
				try {
					const final = await writeEnd(current, run, ended, stored);
					for (const chunk of chunks) publishOutput(eventBus, chunk);
					run.recorded = true;
					publishUpdated(eventBus, final);
					return;
				} catch (error) {
					if (!isSvcError(error, "SVC_CONFLICT")) throw error;
					const read = await storage.get("execution", execution.id);
					if (read === undefined || read.fence !== run.fence || isCompleted(read.status)) {
						parts.lateWrites.refused("result", { execution_id: execution.id, status: read?.status });
						return;
					}
					current = read;
				}
			}
		},
	};
}
