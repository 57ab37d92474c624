import { type ExecutionEntity, type Instrument, isSvcError, type Meters, RunAborted } from "../../contract/index.ts";
import type { Uses } from "../basics/engine-parts.ts";
import { createTakeoverGrace, type TakeoverGracePeriod } from "../coordination/expired-leases.ts";
import { type LeasePolicy, toRenewalIntervalMs, toRetryIntervalMs } from "../coordination/lease-policy.ts";
import { createReconnectingSubscription, type ReconnectingSubscription } from "../coordination/reconnecting-subscription.ts";
import { eventNames, readExecutionId, readInterruptStatus } from "../executions/execution-events.ts";
import { heldStatuses } from "../executions/status.ts";
import type { ActiveRuns } from "./active-runs.ts";

export interface RunLeaseRenewalDependencies extends Uses<"storage" | "eventBus" | "clock" | "logger" | "nodeId"> {
	readonly leasing: LeasePolicy;
	readonly hub: Meters;
	readonly runs: ActiveRuns;
	/**
	 * Called after each successful scheduled renewal. `isTrusted` is true if an expired lease of another node proves that the other node has
	 * stopped.
	 */
	readonly onRenewed: (leases: { readonly isTrusted: boolean }) => Promise<void>;
}

/**
 * Renews the leases of the runs of this node. Also detects cancels, pauses and final statuses that clients or other nodes have stored for
 * these executions.
 *
 * Each run has one lease, which is in one of these states:
 *
 * - Held. All leases are renewed together after a third of their length. A failed renewal is repeated after the same time, but after 1 s at
 *   most.
 * - Expired: no renewal was confirmed in time. The run is aborted here although the storage cannot confirm that the lease is lost. Other
 *   nodes take over only after another third of the lease, so two nodes do not do the same work. Without shared storage no lease expires.
 * - Lost: the stored execution has another owner or fence, or has ended, or was deleted. The run is aborted and stores nothing more.
 *
 * A run never leaves the last two states; its node must claim the execution again.
 *
 * Exception for expired leases: if the storage itself reports that it serves no node, no node can have taken over. The runs then continue
 * until one renewal interval after the last such report.
 *
 * Changes from outside reach a run in two ways: at once by a bus event, and with the next renewal, which returns the stored status. If bus
 * events may have been missed, a renewal starts at once. `canceling` aborts the run, `pausing` requests a pause, and any other status of an
 * interrupt means that the run is lost.
 *
 * After each scheduled renewal, `onRenewed` recovers executions of other nodes. A node whose own renewals have failed or were late does not
 * trust expired leases, because the other nodes need time to renew theirs first.
 *
 * What may happen at the same time:
 *
 * - Two renewals, one by the timer and one because of missed events. Both set an expiry in the future, so their order does not matter.
 * - A run may end while a renewal is in progress. A run that is no longer active is neither renewed singly nor reported as lost.
 * - A renewal may get no response for longer than the lease. So a second timer checks for expired leases, independently of the response.
 */
export class RunLeaseRenewal {
	readonly #parts: RunLeaseRenewalDependencies;
	readonly #takeoverTrust: TakeoverGracePeriod;
	readonly #interruptListener: ReconnectingSubscription;
	/** Milliseconds from one renewal to the next. */
	readonly #intervalMs: number;
	/**
	 * Milliseconds from a failed renewal to the next attempt. Also the time after which expired leases are checked although a renewal has no
	 * response yet.
	 */
	readonly #retryMs: number;
	#isStopped = false;
	#renewalTimer: NodeJS.Timeout | undefined;
	#overdueTimer: NodeJS.Timeout | undefined;
	/**
	 * Start of the scheduled renewal that has no response yet; otherwise undefined. The second timer does not act then: a process that was
	 * suspended renews first, and may still be in time.
	 */
	#pendingSince: number | undefined;
	#activeRenewals: Promise<void> = Promise.resolve();
	/** Time by the steady clock, in microseconds, until which no node can have taken a run over, because the storage served no node. */
	#noTakeoverUntil = 0;
	readonly #renewalCounter: Instrument;
	readonly #lossCounter: Instrument;

	constructor(parts: RunLeaseRenewalDependencies) {
		this.#parts = parts;
		this.#intervalMs = toRenewalIntervalMs(parts.leasing.leaseSeconds);
		this.#retryMs = toRetryIntervalMs(parts.leasing.leaseSeconds);
		this.#takeoverTrust = createTakeoverGrace(parts.leasing.leaseSeconds);
		this.#interruptListener = this.#createInterruptListener();
		this.#renewalCounter = parts.hub.counter({
			name: "svc_leases_total",
			help: "Lease renewals of runs on this node, by outcome: renewed, failed.",
			labels: ["outcome"],
		});
		this.#lossCounter = parts.hub.counter({
			name: "svc_leases_lost_total",
			help: "Runs that this node ended because it no longer held their lease.",
		});
		parts.hub.gauge(
			{ name: "svc_executions_held", help: "Executions whose lease this node holds, including those that wait for their children." },
			() => [[parts.runs.heldLeases().size]],
		);
	}

	/** Starts to renew leases and to follow interrupts. Resolves once no interrupt can be missed. */
	async start(): Promise<void> {
		await this.#interruptListener.start();
		this.#scheduleRenewal(this.#intervalMs);
		// Use a separate timer, because a renewal may wait for its response for longer than the lease.
		this.#overdueTimer = setInterval(() => this.#checkPendingRenewal(), this.#retryMs);
	}

	/** Stops the renewals. Resolves when the current renewal has ended. */
	async stop(): Promise<void> {
		this.#isStopped = true;
		this.#interruptListener.stop();
		clearTimeout(this.#renewalTimer);
		clearInterval(this.#overdueTimer);
		await this.#activeRenewals;
	}

	/** Creates the subscription for interrupts of executions that run here: a cancellation, a pause or a final status from outside. */
	#createInterruptListener(): ReconnectingSubscription {
		const { runs, logger } = this.#parts;
		return createReconnectingSubscription({
			...this.#parts,
			names: [eventNames.runInterrupt],
			purpose: "cancels",
			filter: (event) => runs.has(readExecutionId(event) ?? ""),
			onEvent: (event) => {
				const id = readExecutionId(event) ?? "";
				const status = readInterruptStatus(event);
				if (!this.#applyRequest({ id, status })) this.#abortLost(id);
			},
			// A renewal also finds stored cancels and pauses, and executions that have ended.
			onGap: () => {
				const renewing = this.#renew().catch((error: unknown) => logger.error("leases could not be renewed", { error }));
				this.#activeRenewals = Promise.all([this.#activeRenewals, renewing]).then(() => {});
			},
		});
	}

	#scheduleRenewal(delayMs: number): void {
		if (this.#isStopped) return;
		this.#renewalTimer = setTimeout(() => {
			this.#activeRenewals = this.#renewAndReschedule();
		}, delayMs);
	}

	async #renewAndReschedule(): Promise<void> {
		try {
			this.#takeoverTrust.onRenewalStart();
			this.#pendingSince = performance.now();
			await this.#renew();
			this.#pendingSince = undefined;
			await this.#parts.onRenewed({ isTrusted: this.#takeoverTrust.mayTakeOver() });
			this.#scheduleRenewal(this.#intervalMs);
		} catch (error) {
			this.#renewalCounter.record(1, "failed");
			this.#parts.logger.error("leases could not be renewed", { error });
			this.#takeoverTrust.onRenewalFailure();
			this.#pendingSince = undefined;
			// No takeover is possible yet: other nodes must first reach the storage again, and then give all holders time to renew.
			if (isUnavailableForAll(error)) this.#noTakeoverUntil = this.#parts.clock.steady() + this.#intervalMs * 1_000;
			this.#abortExpiredRuns();
			this.#scheduleRenewal(this.#retryMs);
		}
	}

	/** Renews all leases in one claim, aborts the runs that this node has lost, and applies stored cancels and pauses. */
	async #renew(): Promise<void> {
		const { storage, nodeId, leasing, runs } = this.#parts;
		const held = runs.heldLeases();
		if (held.size === 0) return;
		const expires = leasing.newExpiry();
		// Renew only active runs. An execution that ended here while the storage was unavailable still names this node as its owner. Its lease
		// must expire, so that orphan recovery finds it.
		const renewed = await storage.claim(
			"execution",
			{ where: { id: { in: [...held.keys()] }, owner: nodeId, status: { in: heldStatuses } }, limit: held.size },
			{ lease_expires_at: expires },
		);
		this.#renewalCounter.record(renewed.length, "renewed");
		const fences = new Map(renewed.map(({ id, fence }) => [id, fence]));
		for (const [id, { fence }] of held) {
			if (fences.get(id) === fence) runs.setLeaseExpiry(id, expires);
			// A run that has ended during the claim was not renewed either, but is no longer active here and must be skipped.
			else if (runs.has(id)) await this.#renewSingly(id, fence, expires);
		}
		for (const execution of renewed) this.#applyRequest(execution);
	}

	/**
	 * Renews one lease by an update, which waits for row locks. A claim skips locked rows, and a write of the run itself, such as of its
	 * output, may lock the row at that moment. Without this update, such a run would count as lost.
	 */
	async #renewSingly(id: string, fence: string | null, expires: string): Promise<void> {
		const { storage, nodeId, runs } = this.#parts;
		const renewed: ExecutionEntity | undefined = await storage.update(
			"execution",
			id,
			{ lease_expires_at: expires },
			{ fence, owner: nodeId },
		);
		if (renewed === undefined) this.#abortLost(id);
		else runs.setLeaseExpiry(id, expires);
	}

	/** Aborts expired runs if the scheduled renewal has had no response for `#retryMs`, because it may never get one. */
	#checkPendingRenewal(): void {
		if (this.#pendingSince === undefined || performance.now() - this.#pendingSince <= this.#retryMs) return;
		const pendingSince = this.#pendingSince;
		// If this process was suspended, the response may have arrived unread. Check again after one turn of the event loop.
		setImmediate(() => {
			if (this.#pendingSince === pendingSince) this.#abortExpiredRuns();
		});
	}

	/**
	 * Aborts the runs whose leases have expired, without waiting for the storage. Other nodes have taken these runs over or soon will;
	 * otherwise the same work would be done twice.
	 */
	#abortExpiredRuns(): void {
		const { clock, leasing, runs, logger } = this.#parts;
		if (clock.steady() < this.#noTakeoverUntil) return;
		for (const [id, { leaseExpiresAt }] of runs.heldLeases()) {
			if (!leasing.isExpired(leaseExpiresAt)) continue;
			logger.warn("lease could not be renewed in time; the run is ended on this node", { execution_id: id });
			this.#abortLost(id);
		}
	}

	#abortLost(id: string): void {
		this.#lossCounter.record(1);
		this.#parts.runs.get(id)?.markLost();
	}

	/** Cancels or pauses a run whose stored status requests it. Returns false if the status requests neither. */
	#applyRequest({ id, status }: Pick<ExecutionEntity, "id" | "status">): boolean {
		if (status === "canceling") this.#parts.runs.get(id)?.controller.abort(new RunAborted("cancel", "canceled by user"));
		else if (status === "pausing") this.#parts.runs.get(id)?.pauseController.abort();
		else return false;
		return true;
	}
}

/** Returns true if the storage itself has reported that it is unavailable to all nodes. */
function isUnavailableForAll(error: unknown): boolean {
	return isSvcError(error, "SVC_UNAVAILABLE") && error.facts["refused"] === true;
}
