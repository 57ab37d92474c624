import { hostname } from "node:os";
import { type EventBus, type ExecutionEntity, isSvcError, type Logger, type Storage, type Where } from "../../contract/index.ts";
import { type EngineClock, toTimestamp } from "../basics/clock.ts";
import { LapsedLeases } from "../coordination/expired-leases.ts";
import type { Leasing } from "../coordination/lease-duration.ts";
import type { Endings } from "../executions/completion-effects.ts";
import { publishInterrupt, publishUpdated } from "../executions/execution-events.ts";
import { withValues } from "../executions/new-execution.ts";
import { applied, type ExecutionPatch, heldStatuses, toResultPatch, toStatusPatch } from "../executions/status.ts";

import type { Scheduler } from "./scheduler.ts";

export interface RecoveryParts {
	readonly storage: Storage;
	readonly eventBus: EventBus;
	readonly clock: EngineClock;
	readonly logger: Logger;
	readonly endings: Endings;
	readonly leasing: Leasing;
	readonly scheduler: Pick<Scheduler, "takeOver" | "settleUnsure">;
	/** Whether the runner may find the run of this execution, which another process has begun. */
	readonly recovers: (execution: ExecutionEntity) => boolean;
}

/**
 * Takes over what nodes that went away have left (architecture 4): what was only scheduled goes on here, and so does what its runner can
 * find again; what else was running ends `abandoned`, or `canceled` when that was under way.
 */
export class Recovery {
	readonly #parts: RecoveryParts;
	readonly #lapsed: LapsedLeases;
	#isOn = false;
	/** Never rejects. */
	#looking: Promise<unknown> = Promise.resolve();

	constructor(parts: RecoveryParts) {
		this.#parts = parts;
		this.#lapsed = new LapsedLeases(parts.leasing);
	}

	/** Takes over at once what an earlier process left, when no other process can hold anything; then keeps watch. */
	async start(): Promise<void> {
		const { leasing } = this.#parts;
		this.#isOn = true;
		if (!leasing.isShared) await this.#sweep(leasing.left());
		else await this.#takeOverLeft();
	}

	/** Takes nothing over any more. What cannot go on is still ended. */
	async stop(): Promise<void> {
		this.#isOn = false;
		await this.#looking;
	}

	/** Look for what has been left; `isTrusted`: whether a lease that has run out tells that its holder is gone. */
	look({ isTrusted }: { readonly isTrusted: boolean }): Promise<void> {
		const looking = this.#look(isTrusted);
		this.#looking = looking.catch(() => undefined);
		return looking;
	}

	async #look(isTrusted: boolean): Promise<void> {
		await this.#parts.scheduler.settleUnsure();
		if (!isTrusted) return;
		await this.#lapsed.look(async (lapsed) => {
			await this.#sweep(lapsed);
			// What could go on is left alone after `stop`.
			return this.#isOn;
		});
	}

	/** Deal with what matches: executions whose holder is gone. */
	async #sweep(where: Where<ExecutionEntity>): Promise<void> {
		const { storage, recovers, scheduler } = this.#parts;
		const left = await storage.find("execution", { where: { ...where, status: { in: heldStatuses } } });
		for (const execution of left) {
			if (execution.status !== "scheduled" && !recovers(execution)) await this.#end(execution);
			else if (this.#isOn) await scheduler.takeOver(execution);
		}
	}

	/** Take over what a node on this machine has left to go on without it. */
	async #takeOverLeft(): Promise<void> {
		const { storage, recovers, scheduler } = this.#parts;
		const left = await storage.find("execution", { where: { owner: null, status: { in: heldStatuses } } });
		for (const execution of left) {
			if (execution.run_state?.["hostname"] === hostname() && recovers(execution)) await scheduler.takeOver(execution);
		}
	}

	async #end(execution: ExecutionEntity): Promise<void> {
		const { storage, eventBus, clock, endings, logger } = this.#parts;
		const { status, fence, lease_expires_at } = execution;
		const patch = toEnd(execution, toTimestamp(clock.now()));
		const after = applied(execution, patch);
		const ending = await endings.draft(after);
		const ended = withValues(after, ending.mark);
		try {
			// What its run was given goes with it; whoever renewed the lease in the meantime keeps both.
			await storage.write([
				...ending.below,
				{
					update: "execution",
					id: execution.id,
					patch: { ...patch, ...ending.mark },
					expected: { status, fence, lease_expires_at },
				},
				...endings.takeBack(execution),
				...ending.operations,
			]);
		} catch (error) {
			if (isSvcError(error, "SVC_CONFLICT")) return;
			throw error;
		}
		ending.announce();
		publishUpdated(eventBus, ended);
		publishInterrupt(eventBus, ended);
		logger.warn("execution ended for a node that went away", { execution_id: ended.id, status: ended.status });
	}
}

/** The end of a run that nobody can go on with. */
function toEnd(execution: ExecutionEntity, timestamp: string): ExecutionPatch {
	if (execution.status === "canceling") {
		return { ...toStatusPatch(execution, "canceled", timestamp), ...toResultPatch({ ...execution.result }) };
	}
	const result = { ...execution.result, failed: true, succeeded: false, error: "the node that ran the action went away" };
	return { ...toStatusPatch(execution, "abandoned", timestamp), ...toResultPatch(result) };
}
