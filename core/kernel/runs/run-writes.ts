import { hostname } from "node:os";
import { isDeepStrictEqual } from "node:util";
import { type ExecutionEntity, isSvcError, type JsonObject, type OutputChunkEntity, type WriteOperation } from "../../contract/index.ts";
import { toTimestamp } from "../basics/clock.ts";
import { publishUpdated } from "../executions/execution-events.ts";
import { applyPatch, type ExecutionPatch, toStatusPatch } from "../executions/status.ts";
import { applyChange } from "../executions/transition.ts";
import type { ActiveRun } from "./active-runs.ts";
import type { RunDependencies } from "./run-dependencies.ts";

/** Values that are stored when a run starts. */
export interface RunStart {
	/** Encrypted secrets of the run; null if there are none. */
	readonly encryptedSecrets: string | null;
	/** True if another process can continue the run from its start, because the run stores each step before it acts. */
	readonly isResumable: boolean;
	/** Hash by which the token of the run is recognised; null if it has no token. */
	readonly token_hash: string | null;
}

/** State from which another process can continue a run. */
interface ResumableState {
	/** State that is passed to `recover` of the runner. */
	readonly state: JsonObject;
	/** Encrypted secrets of the run; undefined if the stored ones remain unchanged. */
	readonly encryptedSecrets: string | null | undefined;
}

/**
 * Writes about a run, from its start until before its end. Each write expects the fence of the claim, so that a lost run changes nothing.
 */
export class RunWrites {
	readonly #parts: RunDependencies;
	readonly #processInfo = { hostname: hostname(), pid: process.pid };

	constructor(parts: RunDependencies) {
		this.#parts = parts;
	}

	/**
	 * Returns the patch that makes a claimed execution `running`. For an execution that is already stored as running, the patch contains only
	 * the values of `RunStart`.
	 */
	toRunningPatch(execution: ExecutionEntity, start: RunStart): ExecutionPatch {
		const { token_hash } = start;
		const secrets = start.encryptedSecrets === execution.known_secrets ? {} : { known_secrets: start.encryptedSecrets };
		const stateOrSecrets = start.isResumable ? toStatePatch({ state: {}, encryptedSecrets: start.encryptedSecrets }) : secrets;
		if (execution.status === "running") return { token_hash, ...stateOrSecrets };
		const status = toStatusPatch(execution, "running", toTimestamp(this.#parts.clock.now()));
		return { token_hash, runner_info: this.#processInfo, attempt: execution.attempt + 1, ...status, ...stateOrSecrets };
	}

	/**
	 * Stores a claimed execution as `running`. Returns false if it was canceled before. This write precedes the call of the runner, so an
	 * execution that is found `scheduled` has certainly not started.
	 */
	async markRunning(run: ActiveRun, start: RunStart): Promise<boolean> {
		const { storage, clock, leasing, completionEffects, logger } = this.#parts;
		const { execution } = run;
		const { id, fence, status } = execution;
		const patch = this.toRunningPatch(execution, start);
		// The execution may have credentials from an earlier write whose response was lost. Revoke them, because no process has their secret any
		// more.
		const revocations = status === "running" ? completionEffects.revokeCredentials(execution) : [];
		const store = async () => {
			// The wait for the storage may have been longer than the lease. The run must hold a valid lease when it starts.
			const lease_expires_at = toTimestamp(clock.steady()) < run.leaseExpiresAt ? undefined : leasing.newExpiry();
			const renewed = { ...patch, ...(lease_expires_at !== undefined && { lease_expires_at }) };
			await storage.write([{ update: "execution", id, patch: renewed, expected: { status, fence } }, ...revocations]);
			run.leaseExpiresAt = lease_expires_at ?? run.leaseExpiresAt;
		};
		try {
			await run.store(store, { isStored: () => this.#renewRunning(run) });
		} catch (error) {
			if (!isSvcError(error, "SVC_CONFLICT")) throw error;
			// A concurrent cancel was stored first, and has set the final status itself.
			logger.debug("execution was returned before it ran", { execution_id: id });
			return false;
		}
		this.#publishRunning(run, patch);
		return true;
	}

	/**
	 * Returns true if this run still holds an execution that it stored as running. Renews the lease if storing took longer than the lease.
	 */
	async isStillHeld(run: ActiveRun): Promise<boolean> {
		return toTimestamp(this.#parts.clock.steady()) < run.leaseExpiresAt || this.#renewRunning(run);
	}

	/**
	 * Stores a resumed execution as `running`. If a cancellation was stored first, the execution is `canceling`: the run then ends its
	 * children. Returns false if this run no longer holds the execution.
	 */
	async markResumed(run: ActiveRun): Promise<boolean> {
		const { storage, clock } = this.#parts;
		const { id, status, fence } = run.execution;
		const patch = { ...toStatusPatch(run.execution, "running", toTimestamp(clock.now())), runner_info: this.#processInfo };
		const store = () => storage.write([{ update: "execution", id, patch, expected: { status, fence } }]);
		const isStored = async () => (await storage.count("execution", { id, status: "running", fence })) > 0;
		try {
			await run.store(store, { isStored });
		} catch (error) {
			if (!isSvcError(error, "SVC_CONFLICT")) throw error;
			const current = await storage.get("execution", id);
			if (current?.fence !== fence || current.status !== "canceling") return false;
			run.execution = current;
			return true;
		}
		this.#publishRunning(run, patch);
		return true;
	}

	#publishRunning(run: ActiveRun, patch: ExecutionPatch): void {
		run.execution = applyPatch(run.execution, patch);
		publishUpdated(this.#parts.eventBus, run.execution);
	}

	/**
	 * Stores chunks of output. Throws `SVC_CONFLICT` if this run no longer holds the execution. The write itself must check that: after a
	 * separate check, another node could end the execution before the output is stored.
	 */
	async storeOutput(run: ActiveRun, chunks: readonly OutputChunkEntity[]): Promise<void> {
		const { storage, staleWrites } = this.#parts;
		const { id } = run.execution;
		const insert = { insert: "output_chunk", entities: chunks } as const;
		const store = () => {
			const guard = this.fenceOperations(run);
			return guard.length === 0 ? storage.insert("output_chunk", chunks) : storage.write([...guard, insert]);
		};
		try {
			await run.store(store, { isStored: () => this.#areStored(id, chunks) });
		} catch (error) {
			if (isSvcError(error, "SVC_CONFLICT")) staleWrites.recordRefusal("output", { execution_id: id });
			throw error;
		}
	}

	/**
	 * Returns the operations that make a write fail with `SVC_CONFLICT` unless this run holds the execution. Returns none while the lease is
	 * valid and no other node can use the storage, because no other node can then end the run.
	 */
	fenceOperations(run: ActiveRun): readonly WriteOperation[] {
		const { storage, clock } = this.#parts;
		const { id } = run.execution;
		const isAlone = storage.capabilities.shared !== true && toTimestamp(clock.steady()) < run.leaseExpiresAt;
		return isAlone ? [] : [{ update: "execution", id, patch: {}, expected: { fence: run.fence } }];
	}

	/** Stores the encrypted secrets of the run. Returns false if this run no longer holds the execution. */
	storeSecrets(run: ActiveRun, encryptedSecrets: string | null): Promise<boolean> {
		return this.#patch(run, { known_secrets: encryptedSecrets });
	}

	/**
	 * Keeps host and process of a run in memory; they are stored when the run ends or pauses. Returns them; values that `info` lacks are those
	 * of this process.
	 */
	noteRunnerInfo(run: ActiveRun, info: JsonObject): JsonObject {
		const runnerInfo = { ...this.#processInfo, ...info };
		run.runnerInfo = runnerInfo;
		return runnerInfo;
	}

	/** Sets and stores host and process of a run. If the write fails, the error is logged. */
	async storeRunnerInfo(run: ActiveRun, info: JsonObject): Promise<void> {
		const { execution } = run;
		const runner_info = this.noteRunnerInfo(run, info);
		try {
			await applyChange(this.#parts, execution.id, { runner_info }, { status: "running", fence: execution.fence });
		} catch (error) {
			this.#parts.logger.warn("runner info was not stored", { execution_id: execution.id, error });
		}
	}

	/**
	 * Stores the state from which another process can continue the run, together with its secrets and further operations, all or nothing.
	 * Returns false if this run no longer holds the execution.
	 */
	async storeState(run: ActiveRun, resumable: ResumableState, operations: readonly WriteOperation[] = []): Promise<boolean> {
		if (operations.length === 0) return this.#patch(run, toStatePatch(resumable));
		const { storage } = this.#parts;
		const { id, fence } = run.execution;
		const { run_state } = toStatePatch(resumable);
		const store = () => storage.write([this.toStateOperation(run, resumable), ...operations]);
		// True if an earlier attempt has stored the state although its response was lost.
		const isStored = async () => {
			const stored = await storage.get("execution", id);
			return stored?.fence === fence && isDeepStrictEqual(stored.run_state, run_state);
		};
		try {
			await run.store(store, { isStored });
			return true;
		} catch (error) {
			if (!isSvcError(error, "SVC_CONFLICT")) throw error;
			return false;
		}
	}

	/**
	 * Returns the operation that stores a resumable state as part of a larger write. The operation conflicts if this run does not hold the
	 * execution.
	 */
	toStateOperation(run: ActiveRun, resumable: ResumableState): WriteOperation {
		const { id } = run.execution;
		return { update: "execution", id, patch: toStatePatch(resumable), expected: { fence: run.fence } };
	}

	/** Stores a patch of the execution. Returns false if the run no longer holds the execution. */
	async #patch(run: ActiveRun, patch: ExecutionPatch): Promise<boolean> {
		const { id } = run.execution;
		let isStored = false;
		const store = async () => {
			isStored = (await this.#parts.storage.update("execution", id, patch, { fence: run.fence })) !== undefined;
		};
		await run.store(store);
		return isStored;
	}

	/** Renews the lease of an execution that is stored as `running`. Returns false if this run no longer holds the execution. */
	async #renewRunning(run: ActiveRun): Promise<boolean> {
		const { storage, leasing } = this.#parts;
		const { id, fence } = run.execution;
		const lease_expires_at = leasing.newExpiry();
		const renewed = await storage.update("execution", id, { lease_expires_at }, { status: "running", fence });
		if (renewed !== undefined) run.leaseExpiresAt = lease_expires_at;
		return renewed !== undefined;
	}

	async #areStored(id: string, chunks: readonly OutputChunkEntity[]): Promise<boolean> {
		const ids = chunks.map((chunk) => chunk.id);
		return (await this.#parts.storage.count("output_chunk", { execution_id: id, id: { in: ids } })) === chunks.length;
	}
}

function toStatePatch({ state, encryptedSecrets }: ResumableState): ExecutionPatch {
	return { run_state: { hostname: hostname(), state }, ...(encryptedSecrets !== undefined && { known_secrets: encryptedSecrets }) };
}
