import { isSvcError, RunAborted, type Storage, type WriteOperation } from "../../contract/index.ts";
import { outlastOutage } from "../../lib/retry-while-unavailable.ts";
import { type EngineClock, toTimestamp } from "../basics/clock.ts";
import type { ExecutionPatch } from "../executions/status-patch.ts";
import type { EngineDependencies } from "../plugins/engine-dependencies.ts";
import type { Run } from "./active-runs.ts";

export interface HeldWriteParts {
	readonly storage: Storage;
	readonly clock: EngineClock;
	readonly logger: EngineDependencies["logger"];
}

/** How a write is known again whose answer was lost. */
export interface Recognition {
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
