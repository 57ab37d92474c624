import { hostname } from "node:os";
import { type ExecutionEntity, isSvcError, type Where } from "../../contract/index.ts";
import { toTimestamp } from "../basics/clock.ts";
import type { Uses } from "../basics/engine-parts.ts";
import type { Claimer } from "../coordination/claimer.ts";
import { ExpiredLeasePoller } from "../coordination/expired-leases.ts";
import type { LeasePolicy } from "../coordination/lease-policy.ts";
import type { CompletionEffects } from "../executions/completion-effects.ts";
import { publishTransition } from "../executions/execution-events.ts";
import { withExecutionFields } from "../executions/new-execution.ts";
import { applyPatch, type ExecutionPatch, heldStatuses, toResultPatch, toStatusPatch } from "../executions/status.ts";

export interface OrphanRecoveryDependencies extends Uses<"storage" | "eventBus" | "clock" | "logger"> {
	readonly completionEffects: CompletionEffects;
	readonly leasing: LeasePolicy;
	readonly claimer: Pick<Claimer<"execution">, "takeOver" | "resolveInDoubtClaims">;
	/** Returns true if the runner may recover the run of this execution, which another process has started. */
	readonly canRecover: (execution: ExecutionEntity) => boolean;
}

/**
 * Recovers orphaned executions: those of nodes that have crashed or stopped, whose leases have expired. The recovery depends on the state:
 *
 * - `scheduled`: this node takes the execution over and runs it. The status `running` is on disk before a runner is called, so an execution
 *   that is found `scheduled` has certainly not been started.
 * - Any other held state, if the runner can recover the run: this node takes the execution over and reattaches to the run.
 * - `canceling`, if the runner cannot recover the run: the execution ends as `canceled`.
 * - Any other held state, if the runner cannot recover the run: the execution ends as `abandoned`, since the effects of the run are
 *   unknown. Completion effects and the revocation of the run's credentials are stored in the same write.
 *
 * Recovery is on between `start` and `stop`. While it is off, polls still end executions, but take none over. If the storage is not shared,
 * no other process can hold anything, so `start` recovers all held executions of earlier processes. If it is shared, `start` only takes
 * over runs that a stopped node on this host has handed over for recovery. Polls find all other orphans; one runs after each lease renewal
 * of this node.
 *
 * An expired lease does not prove that its holder has stopped. If the storage was unavailable or the machine was suspended, this node could
 * not have renewed its own leases either. The other nodes then need time to renew theirs, during which `isTrusted` is false. After a lease
 * has expired, recovery also waits for a third of its duration: the holder may still be storing the end of its run, and clocks differ
 * slightly.
 *
 * All nodes recover at the same time. Every write expects state, fence and lease expiry as they were read. So only one node recovers an
 * execution, and a holder that has renewed its lease in the meantime keeps it.
 */
export class OrphanRecovery {
	readonly #parts: OrphanRecoveryDependencies;
	readonly #expiredLeases: ExpiredLeasePoller;
	#isOn = false;
	/** The last poll. Never rejects. */
	#polling: Promise<unknown> = Promise.resolve();

	constructor(parts: OrphanRecoveryDependencies) {
		this.#parts = parts;
		this.#expiredLeases = new ExpiredLeasePoller(parts.leasing);
	}

	/** Turns recovery on, and recovers the executions of earlier processes at once, as the comment of the class describes. */
	async start(): Promise<void> {
		const { leasing } = this.#parts;
		this.#isOn = true;
		if (!leasing.isShared) await this.#recover(leasing.earlierProcessesCondition());
		else await this.#takeOverDetached();
	}

	/** Turns recovery off, but polls still end executions that cannot continue. Resolves when the last poll is done. */
	async stop(): Promise<void> {
		this.#isOn = false;
		await this.#polling;
	}

	/**
	 * Polls for orphaned executions.
	 *
	 * @param isTrusted true if an expired lease proves that its holder has stopped; otherwise the poll only resolves claims in doubt
	 */
	poll({ isTrusted }: { readonly isTrusted: boolean }): Promise<void> {
		const polling = this.#poll(isTrusted);
		this.#polling = polling.catch(() => undefined);
		return polling;
	}

	async #poll(isTrusted: boolean): Promise<void> {
		await this.#parts.claimer.resolveInDoubtClaims();
		if (!isTrusted) return;
		await this.#expiredLeases.poll(async (expired) => {
			await this.#recover(expired);
			// If recovery is off, executions that could continue were skipped, so the next poll must start at the beginning.
			return this.#isOn;
		});
	}

	/** Takes over or ends executions that match; `where` must exclude those of live nodes. */
	async #recover(where: Where<ExecutionEntity>): Promise<void> {
		const { storage, canRecover, claimer } = this.#parts;
		const orphans = await storage.find("execution", { where: { ...where, status: { in: heldStatuses } } });
		for (const execution of orphans) {
			if (execution.status !== "scheduled" && !canRecover(execution)) await this.#end(execution);
			else if (this.#isOn) await claimer.takeOver(execution);
		}
	}

	/** Takes over runs that a stopped node on this host has handed over. */
	async #takeOverDetached(): Promise<void> {
		const { storage, canRecover, claimer } = this.#parts;
		const detached = await storage.find("execution", { where: { owner: null, status: { in: heldStatuses } } });
		for (const execution of detached) {
			if (execution.run_state?.["hostname"] === hostname() && canRecover(execution)) await claimer.takeOver(execution);
		}
	}

	async #end(execution: ExecutionEntity): Promise<void> {
		const { storage, eventBus, clock, completionEffects, logger } = this.#parts;
		const { status, fence, lease_expires_at } = execution;
		const patch = toEndPatch(execution, toTimestamp(clock.now()));
		const after = applyPatch(execution, patch);
		const completion = await completionEffects.draft(after);
		const ended = withExecutionFields(after, completion.executionPatch);
		try {
			// The end and the revocation of the credentials must be one write. If the holder has renewed its lease meanwhile, the write fails and
			// the holder keeps both.
			await storage.write([
				...completion.descendantOperations,
				{
					update: "execution",
					id: execution.id,
					patch: { ...patch, ...completion.executionPatch },
					expected: { status, fence, lease_expires_at },
				},
				...completionEffects.revokeCredentials(execution),
				...completion.operations,
			]);
		} catch (error) {
			if (isSvcError(error, "SVC_CONFLICT")) return;
			throw error;
		}
		completion.announce();
		publishTransition(eventBus, ended);
		logger.warn("execution of a stopped node abandoned", { execution_id: ended.id, status: ended.status });
	}
}

/** Returns the patch that ends an execution whose run no node can continue. */
function toEndPatch(execution: ExecutionEntity, timestamp: string): ExecutionPatch {
	if (execution.status === "canceling") {
		return { ...toStatusPatch(execution, "canceled", timestamp), ...toResultPatch({ ...execution.result }) };
	}
	const result = { ...execution.result, failed: true, succeeded: false, error: "the node that ran the action stopped" };
	return { ...toStatusPatch(execution, "abandoned", timestamp), ...toResultPatch(result) };
}
