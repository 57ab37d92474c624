import type { Instrument, TraceEntity, TriggerInstanceEntity, Where } from "../../contract/index.ts";
import { PollLoop } from "../../lib/poll-loop.ts";
import { retryWhileUnavailable } from "../../lib/retry-while-unavailable.ts";
import type { Uses } from "../basics/engine-parts.ts";
import { ClaimCursor } from "../coordination/claim-cursor.ts";
import { Claimer, type ClaimSelection, type Reservation } from "../coordination/claimer.ts";
import { ExpiredLeasePoller } from "../coordination/expired-leases.ts";
import { HeldLease } from "../coordination/held-lease.ts";
import type { LeasePolicy } from "../coordination/lease-policy.ts";
import { createReconnectingSubscription, type ReconnectingSubscription } from "../coordination/reconnecting-subscription.ts";
import { SlotPool } from "../coordination/slot-pool.ts";
import { eventOutcomesMetric } from "../telemetry/engine-metrics.ts";
import type { TelemetryHub } from "../telemetry/telemetry-hub.ts";
import type { EventHandler, StoreEvent } from "./event-handler.ts";

export interface EventProcessorDependencies extends Uses<"storage" | "eventBus" | "clock" | "logger" | "nodeId"> {
	readonly leasing: LeasePolicy;
	readonly hub: TelemetryHub;
	readonly eventHandler: () => EventHandler;
	/** Maximum number of events processed at the same time. */
	readonly poolSize: number;
	/** Seconds between polls for events of nodes that have crashed or stopped. */
	readonly pollInterval: number;
}

/** Name of the bus event that a node publishes when it has stored an event that waits for a claim. */
const pendingEventName = "svc.trigger_instance__pending";
/** Maximum number of events that one write claims. Claimed events without a slot wait in memory. */
const maxClaimBatch = 64;

function toPendingClaim(cursor: ClaimCursor): ClaimSelection<"trigger_instance"> {
	const where = { status: "pending", occurrence_time: cursor.nextWideRange() } as const;
	return { where, orderBy: [["occurrence_time", "asc"]], advanceCursor: ({ occurrence_time }) => cursor.advanceTo(occurrence_time) };
}

/**
 * Claims events (trigger instances) and passes them to the event handler, at most `poolSize` at a time.
 *
 * States of an event:
 *
 * - `pending`: stored, waits for a claim by any node.
 * - `processing`: claimed. The node holds a lease with a fence. A claim sets `attempt` to 1, each takeover adds 1.
 * - `processed`, `processing_failed`: final. The event handler writes them under the fence.
 *
 * A new event takes the first of these paths that is possible:
 *
 * 1. Inline: the handler evaluates the event before it is stored. One write stores it as `processed`, with all actions that follow.
 *    If actions follow, this needs a slot, so that events that arrive faster than they are processed are stored first.
 * 2. Reserved: if a slot is free and no event waits in the storage, the event is stored as `processing`, which saves its claim.
 * 3. Otherwise it is stored as `pending`, and the nodes are notified.
 *
 * Polls run one at a time; a notification during a poll causes another poll. A poll first resolves claims in doubt, whose response was
 * lost. Then it claims pending events, the oldest first, until none is left or no slot is free. A claim may take more events than there are
 * free slots, which saves writes because most events take only a moment. The others wait in memory. An event that gets its slot late
 * therefore renews its lease first, and is skipped if another node has taken it over.
 *
 * Several nodes may process the events of one storage. Every claim and takeover writes a new fence, and every later write about the event
 * expects that fence. So at most one node stores the final status of an event, and the writes of a node that has lost its lease are
 * refused. Every `pollInterval` seconds a poll also takes over events whose lease has expired. If that takeover fails, pending events are
 * still claimed.
 *
 * If the storage becomes unavailable, processing is retried until it is available again or the processor stops. A retry has an `attempt`
 * of at least 2, so that the handler reads which rules have acted before and does not repeat their actions.
 */
export class EventProcessor {
	readonly #parts: EventProcessorDependencies;
	readonly #slots: SlotPool;
	readonly #claiming: Claimer<"trigger_instance">;
	/** Claimed events that wait in memory for a slot, in the order of their claims. Each callback starts to process one event. */
	readonly #claimedAhead: (() => void)[] = [];
	readonly #pollLoop: PollLoop;
	readonly #busListener: ReconnectingSubscription;
	readonly #claimCursor = new ClaimCursor();
	readonly #expiredLeases: ExpiredLeasePoller;
	readonly #outcomes: Instrument;
	readonly #processingSeconds: Instrument;
	/** True if the next poll must also take over events whose lease has expired. */
	#isOrphanPollDue = false;

	constructor(parts: EventProcessorDependencies) {
		this.#parts = parts;
		this.#expiredLeases = new ExpiredLeasePoller(parts.leasing);
		this.#slots = new SlotPool({ size: parts.poolSize, onSlotFree: () => this.#onSlotFree() });
		this.#claiming = new Claimer({
			...parts,
			kind: "trigger_instance",
			slots: this.#slots,
			toBatchSize: () => maxClaimBatch,
			createClaimPatch: () => ({ status: "processing", attempt: 1 }),
			claimedCondition: { status: "processing" },
			process: (instance) => this.#processInSlot(instance),
			onTakenOver: ({ id, attempt }) => parts.logger.info("trigger instance taken over", { trigger_instance_id: id, attempt }),
		});
		this.#outcomes = parts.hub.counter(eventOutcomesMetric);
		this.#processingSeconds = parts.hub.histogram({
			name: "svc_trigger_instance_processing_seconds",
			help: "Time from the arrival of an event until it is processed, without dismissed events.",
			buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 60],
		});
		this.#pollLoop = new PollLoop({
			poll: () => this.#poll(),
			onError: (error) => parts.logger.error("polling for trigger instances failed", { error }),
		});
		const wake = () => this.#pollLoop.wake();
		this.#busListener = createReconnectingSubscription({
			...parts,
			names: [pendingEventName],
			purpose: "trigger instances of other nodes",
			filter: ({ data }) => data["node_id"] !== parts.nodeId,
			onEvent: wake,
			onGap: wake,
		});
	}

	/**
	 * Starts claiming; may be called again after `stop`. If the storage is not shared, first takes over the events of earlier processes.
	 */
	async start(): Promise<void> {
		const { leasing } = this.#parts;
		await this.#busListener.start();
		this.#slots.open();
		this.#pollLoop.start();
		if (!leasing.isShared) while ((await this.#takeOver(leasing.earlierProcessesCondition())) === maxClaimBatch);
		this.#pollLoop.wake();
		this.#scheduleOrphanPoll();
	}

	/** Starts a poll on this node and on the other nodes. Must be called after an event was stored as `pending`. */
	wake(): void {
		const { eventBus, nodeId } = this.#parts;
		this.#pollLoop.wake();
		if (eventBus.capabilities.shared === true) eventBus.publish(pendingEventName, { node_id: nodeId });
	}

	/**
	 * Processes a new event inline: executes all actions that follow from it in the write that stores it, which saves the writes of its
	 * processing. Returns false, and stores nothing, if inline processing is impossible or no slot is free.
	 */
	async processInline(instance: TriggerInstanceEntity, trace: TraceEntity | undefined, store: StoreEvent): Promise<boolean> {
		// Ignore an error here: the evaluation is repeated when the stored event is processed.
		const evaluation = await this.#parts
			.eventHandler()
			.evaluateInline(instance)
			.catch(() => undefined);
		if (evaluation === undefined) return false;
		if (evaluation.hasNoActions) return this.#recordOutcome("dismissed", await evaluation.act(trace, store));
		const slot = this.#claiming.reserveSlot();
		if (slot === undefined) return false;
		try {
			const hasActed = await evaluation.act(trace, store);
			// Do not call `notifyProcessed`: telemetry is notified of the event, which is already processed, when it is inserted.
			if (hasActed) this.#measure(instance);
			return this.#recordOutcome("acted", hasActed);
		} finally {
			// The event was never claimed, so the slot is only released.
			slot.release();
		}
	}

	/**
	 * Reserves a slot for a new event. Returns the event as the caller must store it: as claimed if a slot is free, which saves a claim;
	 * otherwise as pending.
	 */
	reserve(instance: TriggerInstanceEntity): Reservation<TriggerInstanceEntity> {
		const slot = this.#claiming.reserveSlot();
		if (slot === undefined) return { entity: instance, settle: (outcome) => outcome === "stored" && this.wake() };
		const claimed = { ...instance, ...slot.claimPatch } as TriggerInstanceEntity;
		return { entity: claimed, settle: (outcome) => slot.settle(outcome, [claimed]) };
	}

	/** Stops claiming. Resolves when all claimed events are processed. */
	async stop(): Promise<void> {
		this.#slots.close();
		this.#busListener.stop();
		await this.#pollLoop.stop();
		await this.#slots.whenReservationsSettled();
		await this.#slots.whenIdle();
	}

	async #poll(): Promise<void> {
		if (this.#isOrphanPollDue) await this.#recoverOrphans();
		await this.#claiming.resolveInDoubtClaims();
		// Do not advance the cursor to the present: an event that occurred before now may still be stored later.
		if (await this.#claiming.claimAll(() => toPendingClaim(this.#claimCursor))) this.#claimCursor.markExhausted();
	}

	/** Takes over events whose lease has expired. Logs errors instead of throwing them, so that pending events are still claimed. */
	async #recoverOrphans(): Promise<void> {
		this.#isOrphanPollDue = false;
		try {
			if (this.#slots.free > 0) await this.#expiredLeases.poll(async (expired) => (await this.#takeOver(expired)) < maxClaimBatch);
		} catch (error) {
			this.#parts.logger.error("recovering orphaned trigger instances failed", { error });
		}
		this.#scheduleOrphanPoll();
	}

	#scheduleOrphanPoll(): void {
		this.#pollLoop.scheduleWake(this.#parts.pollInterval * 1_000, () => {
			this.#isOrphanPollDue = true;
			this.#pollLoop.wake();
		});
	}

	/**
	 * Takes over claimed events that match; `where` must exclude those of live nodes. Returns the number of matches, at most `maxClaimBatch`.
	 */
	async #takeOver(where: Where<TriggerInstanceEntity>): Promise<number> {
		const orphans = await this.#parts.storage.find("trigger_instance", { where: { status: "processing", ...where }, limit: maxClaimBatch });
		for (const instance of orphans) await this.#claiming.takeOver(instance, { attempt: instance.attempt + 1 });
		return orphans.length;
	}

	/** Processes an event when fewer than `poolSize` events are being processed or stored as claimed. */
	async #processInSlot(instance: TriggerInstanceEntity): Promise<void> {
		if (!this.#canBegin()) await new Promise<void>((begin) => this.#claimedAhead.push(begin));
		await this.#process(instance);
	}

	/** Returns true if another event may be processed. Events that wait in memory count as used slots of the pool, so they are subtracted. */
	#canBegin(): boolean {
		return this.#slots.used - this.#claimedAhead.length < this.#parts.poolSize;
	}

	#onSlotFree(): void {
		while (this.#claimedAhead.length > 0 && this.#canBegin()) this.#claimedAhead.shift()?.();
		if (this.#claiming.hasWaitingRecords) this.#pollLoop.wake();
	}

	async #process(instance: TriggerInstanceEntity): Promise<void> {
		const { logger, leasing, eventHandler, hub } = this.#parts;
		const { id, fence, lease_expires_at } = instance;
		const fields = { trigger_instance_id: id };
		const heldLease = { fence: fence ?? "", lease_expires_at };
		const lease = new HeldLease(leasing, { kind: "trigger_instance", id, lease: heldLease, expected: { status: "processing" } });
		const attempt = async (isRetry: boolean) => {
			// The event may have waited long for its slot. Without this renewal another node could process the event at the same time.
			if (!(await lease.renewIfDue())) return;
			// A retry counts as a second attempt: the handler then reads what was done before the storage became unavailable.
			await eventHandler().handle(isRetry ? { ...instance, attempt: Math.max(instance.attempt, 2) } : instance, lease);
			hub.notifyProcessed(instance);
			this.#measure(instance);
		};
		try {
			await retryWhileUnavailable(attempt, {
				shouldGiveUp: () => !this.#pollLoop.isStarted,
				onUnavailable: (error) => logger.warn("storage is unavailable; trigger instance is waiting", { ...fields, error }),
			});
		} catch (error) {
			logger.warn("processing of a trigger instance is delayed", { ...fields, error });
		}
	}

	/** Counts the outcome of an event if it was stored. Returns `isStored`. */
	#recordOutcome(outcome: string, isStored: boolean): boolean {
		if (isStored) this.#outcomes.record(1, outcome);
		return isStored;
	}

	/** Records the seconds from the occurrence of the event until now. */
	#measure(instance: TriggerInstanceEntity): void {
		const { clock } = this.#parts;
		this.#processingSeconds.record(Math.max(0, (clock.now() / 1_000 - Date.parse(instance.occurrence_time)) / 1_000));
	}
}
