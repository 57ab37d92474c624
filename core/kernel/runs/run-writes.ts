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
import { outlastOutage } from "../../lib/retry-while-unavailable.ts";
import { type EngineClock, toTimestamp } from "../basics/clock.ts";
import type { Leasing } from "../coordination/lease-duration.ts";
import type { LateWrites } from "../coordination/stale-writes.ts";
import type { Endings } from "../executions/completion-effects.ts";
import { publishUpdated } from "../executions/execution-events.ts";
import { applied, type ExecutionPatch, toStatusPatch } from "../executions/status.ts";
import { applyChange } from "../executions/transition.ts";
import type { EngineDependencies } from "../plugins/engine-dependencies.ts";
import type { Run } from "./active-runs.ts";

interface RunRecordParts extends HeldWriteParts {
	readonly eventBus: EventBus;
	readonly lateWrites: Pick<LateWrites, "refused">;
	readonly leasing: Pick<Leasing, "expiry">;
	readonly endings: Pick<Endings, "takeBack">;
}

/** What a run knows at its begin. */
export interface RunBegin {
	/** What is secret. */
	readonly sealed: string | null;
	/** Whoever goes on with it finds it from the first moment, as nothing that it does is done before it is written down. */
	readonly isFound: boolean;
	/** What its token is recognised by; null: it has none. */
	readonly token_hash: string | null;
}

interface KeptState {
	/** What the runner goes on with. */
	readonly state: JsonObject;
	/** What is known to be secret; undefined: as it is stored already. */
	readonly sealed: string | null | undefined;
}

/** What is written about a run from its begin on, each time under its fence. */
export class RunRecords {
	readonly #parts: RunRecordParts;
	readonly #writes: HeldWrites;
	readonly #ownInfo = { hostname: hostname(), pid: process.pid };

	constructor(parts: RunRecordParts) {
		this.#parts = parts;
		this.#writes = new HeldWrites(parts);
	}

	/** What makes a claimed execution a running one; one that is stored as running already stays as it is. */
	toRunning(execution: ExecutionEntity, { sealed, isFound, token_hash }: RunBegin): ExecutionPatch {
		const known = isFound ? toStatePatch({ state: {}, sealed }) : sealed === execution.known_secrets ? {} : { known_secrets: sealed };
		if (execution.status === "running") return { token_hash, ...known };
		const status = toStatusPatch(execution, "running", toTimestamp(this.#parts.clock.now()));
		return { token_hash, runner_info: this.#ownInfo, attempt: execution.attempt + 1, ...status, ...known };
	}

	/**
	 * The execution as it is running; undefined when it was taken back before.
	 * The state is on disk before the runner starts: an execution found `scheduled` has certainly not been started.
	 */
	async markRunning(execution: ExecutionEntity, run: Run, begin: RunBegin): Promise<ExecutionEntity | undefined> {
		const { eventBus, logger } = this.#parts;
		const patch = this.toRunning(execution, begin);
		try {
			await this.#storeRunning(execution, run, patch);
		} catch (error) {
			if (!isSvcError(error, "SVC_CONFLICT")) throw error;
			// A cancel was faster; it has written the final state itself.
			logger.debug("execution was taken back before it ran", { execution_id: execution.id });
			return undefined;
		}
		const running = applied(execution, patch);
		publishUpdated(eventBus, running);
		return running;
	}

	/** Whether what was stored as running is this node's, although the wait for the storage may have been longer than the lease. */
	async isStillHeld(execution: ExecutionEntity, run: Run): Promise<boolean> {
		if (toTimestamp(this.#parts.clock.steady()) < run.leaseExpiresAt) return true;
		return this.#renewBegun(execution, run);
	}

	/** A paused execution as it is running again, or as it is to end; undefined when it is not this run's any more. */
	async markResumed(execution: ExecutionEntity, run: Run): Promise<ExecutionEntity | undefined> {
		const { storage, clock, eventBus } = this.#parts;
		const { id, status, fence } = execution;
		const patch = { ...toStatusPatch(execution, "running", toTimestamp(clock.now())), runner_info: this.#ownInfo };
		const store = () => storage.write([{ update: "execution", id, patch, expected: { status, fence } }]);
		const isStored = async () => (await storage.count("execution", { id, status: "running", fence })) > 0;
		try {
			await this.#writes.store(run, store, { isStored });
		} catch (error) {
			if (!isSvcError(error, "SVC_CONFLICT")) throw error;
			const current = await storage.get("execution", id);
			return current?.fence === fence && current.status === "canceling" ? current : undefined;
		}
		const running = applied(execution, patch);
		publishUpdated(eventBus, running);
		return running;
	}

	/**
	 * Whether the run is still this node's is asked in the write itself: a look before it would be answered before the commit, and
	 * output would be stored behind the end that another node has written meanwhile.
	 */
	async storeOutput({ id }: ExecutionEntity, run: Run, chunks: readonly OutputChunkEntity[]): Promise<void> {
		const { storage, lateWrites } = this.#parts;
		const insert = { insert: "output_chunk", entities: chunks } as const;
		const store = () => {
			const guard = this.#writes.guard(id, run);
			return guard.length === 0 ? storage.insert("output_chunk", chunks) : storage.write([...guard, insert]);
		};
		try {
			await this.#writes.store(run, store, { isStored: () => this.#areStored(id, chunks) });
		} catch (error) {
			if (isSvcError(error, "SVC_CONFLICT")) lateWrites.refused("output", { execution_id: id });
			throw error;
		}
	}

	/** What must be written along with what only the holder of the run may store. */
	guard({ id }: ExecutionEntity, run: Run): readonly WriteOperation[] {
		return this.#writes.guard(id, run);
	}

	/** Keep what the run knows to be secret by now; false when the execution is not this run's any more. */
	storeKnown({ id }: ExecutionEntity, run: Run, sealed: string | null): Promise<boolean> {
		return this.#writes.patch(id, run, { known_secrets: sealed });
	}

	/** Of a run that is about to end: stored with that. */
	noteRunnerInfo(run: Run, info: JsonObject): JsonObject {
		const noted = { ...this.#ownInfo, ...info };
		run.runnerInfo = noted;
		return noted;
	}

	async storeRunnerInfo(execution: ExecutionEntity, run: Run, info: JsonObject): Promise<void> {
		const runner_info = this.noteRunnerInfo(run, info);
		try {
			const patch = { runner_info };
			await applyChange(this.#parts, execution.id, patch, { status: "running", fence: execution.fence });
		} catch (error) {
			this.#parts.logger.warn("runner info was not stored", { execution_id: execution.id, error });
		}
	}

	/** Keep what the run is found by after a restart, and what must be known of it; false when the execution is not this run's any more. */
	storeState({ id }: ExecutionEntity, run: Run, { state, sealed }: KeptState): Promise<boolean> {
		return this.#writes.patch(id, run, toStatePatch({ state, sealed }));
	}

	/** The same with what is stored with it or not at all; false when the execution is not this run's any more. */
	async storeStateWith(execution: ExecutionEntity, run: Run, kept: KeptState, operations: readonly WriteOperation[]): Promise<boolean> {
		const { storage } = this.#parts;
		const { id, fence } = execution;
		const { run_state } = toStatePatch(kept);
		const store = () => storage.write([this.toStateOperation(execution, run, kept), ...operations]);
		// The answer of an attempt was lost that has stored it.
		const isStored = async () => {
			const stored = await storage.get("execution", id);
			return stored?.fence === fence && isDeepStrictEqual(stored.run_state, run_state);
		};
		try {
			await this.#writes.store(run, store, { isStored });
			return true;
		} catch (error) {
			if (!isSvcError(error, "SVC_CONFLICT")) throw error;
			return false;
		}
	}

	/** The same as part of a larger write. */
	toStateOperation({ id }: ExecutionEntity, run: Run, kept: KeptState): WriteOperation {
		return { update: "execution", id, patch: toStatePatch(kept), expected: { fence: run.fence } };
	}

	#storeRunning(execution: ExecutionEntity, run: Run, patch: ExecutionPatch): Promise<void> {
		const { storage, clock, leasing, endings } = this.#parts;
		const { id, fence, status } = execution;
		// What it was given by a write whose answer was lost is of no use to anybody.
		const takenBack = status === "running" ? endings.takeBack(execution) : [];
		const store = async () => {
			// The wait for the storage may have been longer than the lease: what begins now must still be this run's.
			const lease_expires_at = toTimestamp(clock.steady()) < run.leaseExpiresAt ? undefined : leasing.expiry();
			const renewed = { ...patch, ...(lease_expires_at !== undefined && { lease_expires_at }) };
			await storage.write([{ update: "execution", id, patch: renewed, expected: { status, fence } }, ...takenBack]);
			run.leaseExpiresAt = lease_expires_at ?? run.leaseExpiresAt;
		};
		return this.#writes.store(run, store, { isStored: () => this.#renewBegun(execution, run) });
	}

	/** Renew the lease of an execution that is stored as running; false when it is not this run's any more. */
	async #renewBegun({ id, fence }: ExecutionEntity, run: Run): Promise<boolean> {
		const { storage, leasing } = this.#parts;
		const lease_expires_at = leasing.expiry();
		const kept = await storage.update("execution", id, { lease_expires_at }, { status: "running", fence });
		if (kept !== undefined) run.leaseExpiresAt = lease_expires_at;
		return kept !== undefined;
	}

	async #areStored(id: string, chunks: readonly OutputChunkEntity[]): Promise<boolean> {
		const ids = chunks.map((chunk) => chunk.id);
		return (await this.#parts.storage.count("output_chunk", { execution_id: id, id: { in: ids } })) === chunks.length;
	}
}

function toStatePatch({ state, sealed }: KeptState): ExecutionPatch {
	return { run_state: { hostname: hostname(), state }, ...(sealed !== undefined && { known_secrets: sealed }) };
}

export interface HeldWriteParts {
	readonly storage: Storage;
	readonly clock: EngineClock;
	readonly logger: EngineDependencies["logger"];
}

/** How a write is known again whose answer was lost. */
interface Recognition {
	/** Whether it is stored already; asked after a conflict. */
	readonly isStored: () => Promise<boolean>;
	/** Milliseconds for which it is tried although the service stops. Default 0. */
	readonly patience?: number;
}

/** Writes of a run while it holds its execution. An outage of the storage delays them. */
export class HeldWrites {
	readonly #parts: HeldWriteParts;

	constructor(parts: HeldWriteParts) {
		this.#parts = parts;
	}

	/** What must be written along. Where no other node can be, nobody ends the run while its lease is in force. */
	guard(id: string, run: Run): readonly WriteOperation[] {
		const { storage, clock } = this.#parts;
		const isAlone = storage.capabilities.shared !== true && toTimestamp(clock.steady()) < run.leaseExpiresAt;
		return isAlone ? [] : [{ update: "execution", id, patch: {}, expected: { fence: run.fence } }];
	}

	/** Whether the execution was still this run's. */
	async patch(id: string, run: Run, patch: ExecutionPatch): Promise<boolean> {
		let isStored = false;
		await this.#outlast(run, async () => {
			isStored = (await this.#parts.storage.update("execution", id, patch, { fence: run.fence })) !== undefined;
		});
		return isStored;
	}

	/** Waits as `patch` does; a conflict is none where an attempt whose answer was lost has stored the same before. */
	store(run: Run, write: () => Promise<void>, { isStored, patience }: Recognition): Promise<void> {
		const attempt = (isRetry: boolean) =>
			write().catch(async (error: unknown) => {
				if (!isRetry || !isSvcError(error, "SVC_CONFLICT") || !(await isStored())) throw error;
			});
		return this.#outlast(run, attempt, patience);
	}

	/** An outage of the storage delays a run and does not end it, unless the run is lost or the service stops meanwhile. */
	#outlast(run: Run, attempt: (isRetry: boolean) => Promise<void>, patience = 0): Promise<void> {
		const { signal } = run.controller;
		const begun = performance.now();
		const isStopping = () => signal.reason instanceof RunAborted && signal.reason.kind === "shutdown";
		const isOver = () => run.lost || (isStopping() && performance.now() - begun >= patience);
		const onOutage = (error: unknown) => this.#parts.logger.warn("storage is away, a run waits for it", { error });
		return outlastOutage(attempt, { isOver, onOutage });
	}
}
