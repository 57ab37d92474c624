import { append, type ExecutionEntity, type Meters } from "../../contract/index.ts";
import { PollLoop } from "../../lib/poll-loop.ts";
import { toTimestamp } from "../basics/clock.ts";
import type { Uses } from "../basics/engine-parts.ts";
import { Claimer } from "../coordination/claimer.ts";
import type { LeasePolicy } from "../coordination/lease-policy.ts";
import { createReconnectingSubscription, type ReconnectingSubscription } from "../coordination/reconnecting-subscription.ts";
import { SlotPool } from "../coordination/slot-pool.ts";
import { eventNames, publishCreated, publishUpdated } from "../executions/execution-events.ts";
import { heldStatuses } from "../executions/status.ts";
import { type ClaimSource, type ClaimSources, createClaimSources } from "./claim-sources.ts";
import type { ExecutionQueues } from "./execution-queues-api.ts";
import { ParentSlotShares } from "./parent-slot-shares.ts";

interface SchedulerDependencies extends Uses<"storage" | "eventBus" | "clock" | "logger" | "options" | "nodeId"> {
	readonly leasing: LeasePolicy;
	readonly hub: Meters;
	/** Returns the queues. No scheduler may claim queued executions directly. */
	readonly queues: () => ExecutionQueues;
	/** Runs a claimed execution to its end. Never rejects. */
	readonly run: (execution: ExecutionEntity) => Promise<void>;
	/** Returns true if an execution runs on this node. */
	readonly isRunningHere: (executionId: string) => boolean;
	/** Returns the number of runs on this node that take no slot, because they wait for child executions or for work elsewhere. */
	readonly resting: () => number;
}

/** Executions that the next poll must claim. */
interface PollRequest {
	/** Executions without delay and queue. */
	readonly requested?: boolean;
	/** All executions: the poll is a full one. */
	readonly delayed?: boolean;
	/** Resumable executions. */
	readonly ready?: boolean;
}

/**
 * Maximum number of executions that one write claims. Claims are small, so that the first of many executions starts soon, and several nodes
 * share the work.
 */
const maxClaimBatch = 16;

/**
 * Claims executions that may start and runs them, at most `actions_pool_size` at a time. The executions wait in the storage for different
 * reasons, each of which has its own claim source: resumable, queued, released, new and delayed executions.
 *
 * A claim moves an execution to `scheduled`, except a resumable one, which keeps its status. The claim sets a lease with a new fence, and
 * the run begins. It takes a slot until it ends, except while it waits for child executions or for work elsewhere. A new execution skips
 * the claim if a slot is free and no earlier execution waits (`InlineStart`).
 *
 * A poll is quick or full. A quick poll claims only from the sources that were signaled. A full poll also scans the queues, claims delayed
 * executions that are due, and schedules the next poll. That costs several more statements, so a new immediate execution causes only a
 * quick poll. Full polls run at start and at the poll interval. They also run when a delayed execution is stored or becomes due, when
 * limits change, and after bus events may have been missed.
 *
 * Polls run one at a time on a node; a signal during a poll causes another one. A signal marks a claim source, or a full poll, as due. A
 * poll clears the mark before it reads the storage, so that a signal during the read is not lost. If a poll fails, a full poll follows at
 * the poll interval.
 *
 * During a poll, runs end, new executions reserve slots, orphan recovery takes executions over, and other nodes claim the same executions.
 * The storage gives an execution to one claim only, and each claim counts the free slots again. If slots run out, the scheduler remembers
 * that executions wait. New ones may then no longer overtake them, and the next free slot starts a poll.
 *
 * Queued, immediate and delayed executions get the free slots in turns: each poll begins with the due source that has not been first for
 * the longest time. While other executions wait, the children of one parent get at most half of the slots.
 */
export class Scheduler {
	/** Claimer of executions. Other parts use it to take executions over, and to reserve slots for those that they insert. */
	readonly claimer: Claimer<"execution">;
	/**
	 * Wakes this scheduler when other nodes have stored waiting executions, which it would otherwise find only at its next poll. If bus events
	 * may have been missed, the scheduler is woken for a full poll.
	 */
	readonly crossNodeWakeup: ReconnectingSubscription;
	readonly #parts: SchedulerDependencies;
	/** Milliseconds between full polls. */
	readonly #pollIntervalMs: number;
	readonly #slots: SlotPool;
	readonly #pollLoop: PollLoop;
	readonly #sources: ClaimSources;
	/** Groups of sources that get the free slots in turns. The first one is the group that has not been first for the longest time. */
	#turns: readonly (readonly ClaimSource[])[];
	/** True if the next poll must be a full one. Most polls are not, because a full poll costs more statements. */
	#isFullPollDue = false;
	#isListeningToQueues = false;

	constructor(parts: SchedulerDependencies) {
		this.#parts = parts;
		const { actions_pool_size: poolSize } = parts.options.actionrunner;
		this.#pollIntervalMs = parts.options.scheduler.poll_interval * 1_000;
		const shares = new ParentSlotShares(poolSize);
		this.#slots = new SlotPool({ size: poolSize, resting: parts.resting, onSlotFree: () => this.pollIfDue() });
		this.claimer = new Claimer({
			...parts,
			kind: "execution",
			slots: this.#slots,
			toBatchSize: (freeSlots) => Math.min(maxClaimBatch, freeSlots),
			createClaimPatch: () => ({ status: "scheduled", log: append({ status: "scheduled", timestamp: toTimestamp(parts.clock.now()) }) }),
			claimedCondition: { status: { in: heldStatuses } },
			process: (execution) =>
				execution.parent_id === null ? parts.run(execution) : shares.during(execution.parent_id, () => parts.run(execution)),
			isInProgressHere: parts.isRunningHere,
			onClaimed: (execution) => publishUpdated(parts.eventBus, execution),
			onTakenOver: ({ id }) => parts.logger.info("execution taken over", { execution_id: id }),
		});
		this.crossNodeWakeup = createReconnectingSubscription({
			...parts,
			names: [eventNames.pending],
			purpose: "executions of other nodes",
			filter: ({ data }) => data["node_id"] !== parts.nodeId,
			onEvent: ({ data }) =>
				data["ready"] === true ? this.wake({ requested: false, ready: true }) : this.wake({ delayed: data["delayed"] === true }),
			onGap: () => this.wake({ delayed: true }),
		});
		this.#pollLoop = new PollLoop({
			poll: () => this.#poll(),
			onError: (error) => {
				parts.logger.error("polling for due executions failed", { error });
				this.#scheduleFullPoll(this.#pollIntervalMs);
			},
		});
		this.#sources = createClaimSources({
			...parts,
			slots: this.#slots,
			claimer: this.claimer,
			claimFairly: (claim, parents) => shares.claimBatch(this.claimer, claim, parents),
			pollFully: () => this.wake({ delayed: true }),
			pollAgain: () => this.#pollAgain(),
		});
		const { queued, released, delayed } = this.#sources;
		// Released executions precede new ones, because they are older.
		this.#turns = [[queued], [released, this.#sources.new], [delayed]];
	}

	/** Starts claiming; may be called again after `stop`. */
	start(): void {
		this.#slots.open();
		this.#pollLoop.start();
		if (!this.#isListeningToQueues) this.#parts.queues().onPollDue(({ survey }) => this.wake({ requested: survey, delayed: survey }));
		this.#isListeningToQueues = true;
		this.wake({ delayed: true });
	}

	/** Starts a poll. Has no effect while stopped. */
	wake({ requested = true, delayed = false, ready = delayed }: PollRequest = {}): void {
		// Other nodes may have stored executions of another parent.
		if (requested) this.#sources.new.parents.only = undefined;
		this.#wake({ requested, delayed, ready });
	}

	#wake({ requested = false, delayed = false, ready = false }: PollRequest): void {
		this.#sources.resumable.isDue ||= ready;
		this.#sources.new.isDue ||= requested;
		this.#isFullPollDue ||= delayed;
		this.#pollLoop.wake();
	}

	/** Starts a poll if an execution may wait for a slot. Must be called when a slot has become free. */
	pollIfDue(): void {
		const requested = this.claimer.hasWaitingRecords;
		const { resumable, queued, released, delayed } = this.#sources;
		const isOtherPollDue = resumable.isDue || released.isDue || queued.isDue;
		if (requested || delayed.isWaitingForSlot || isOtherPollDue) this.#wake({ requested, delayed: delayed.isWaitingForSlot });
	}

	/** Publishes a new execution that was stored as requested, and starts polls on all nodes so that one of them claims it. */
	announce(execution: ExecutionEntity): void {
		const { eventBus, nodeId, queues } = this.#parts;
		publishCreated(eventBus, execution);
		const delayed = execution.delay !== null;
		const isQueued = execution.queue !== null;
		if (execution.queue !== null) queues().markForPoll(execution.queue);
		else if (!delayed) {
			this.claimer.noteWaitingRecord();
			this.#sources.new.cursor.noteStored(execution.start_timestamp);
			if (execution.parent_id !== this.#sources.new.parents.only) this.#sources.new.parents.only = undefined;
		}
		this.#wake({ requested: !isQueued, delayed, ready: delayed });
		// Other nodes exist only if the event bus is shared. They find a queued execution only by a full poll, because the queue is not marked
		// there.
		if (eventBus.capabilities.shared === true) eventBus.publish(eventNames.pending, { node_id: nodeId, delayed: delayed || isQueued });
	}

	/** Stops claiming. Resolves when no claim is in progress; runs continue. */
	async stop(): Promise<void> {
		this.#slots.close();
		await this.#pollLoop.stop();
		await this.#slots.whenReservationsSettled();
	}

	/** Resolves when no execution runs on this node. */
	idle(): Promise<void> {
		return this.#slots.whenIdle();
	}

	async #poll(): Promise<void> {
		const isFullPoll = this.#isFullPollDue;
		this.#isFullPollDue = false;
		await this.claimer.resolveInDoubtClaims();
		if (isFullPoll) await this.#scan();
		// Claim resumable executions first, because they have already started.
		if (this.#sources.resumable.isDue) await this.#sources.resumable.claim();
		await this.#claimInTurns();
		if (this.#sources.delayed.isDue) {
			// New executions must not overtake the delayed ones; the next free slot triggers a poll.
			this.claimer.noteWaitingRecord();
			this.#pollAgain();
		}
		if (!isFullPoll || !this.#pollLoop.isStarted) return;
		await this.#sources.delayed.markDelayed();
		await this.#scheduleNextPoll();
	}

	async #scan(): Promise<void> {
		const scanStart = this.#parts.clock.steady();
		this.#sources.delayed.isWaitingForSlot = false;
		this.#sources.released.isDue ||= this.#sources.released.cursor.isFullScanDue;
		// Other nodes may have committed executions late.
		this.#sources.new.cursor.widen();
		await this.#parts.queues().scan({ released: this.#sources.released.isDue });
		this.#sources.delayed.allowDueUntil(scanStart);
	}

	/**
	 * Lets each due source claim once, so that no source takes every slot forever. The group that is first moves to the end only if slots are
	 * free; otherwise it could claim nothing.
	 */
	async #claimInTurns(): Promise<void> {
		const first = this.#turns.find((sources) => sources.some(({ isDue }) => isDue));
		if (first === undefined) return;
		const others = this.#turns.filter((sources) => sources !== first);
		if (this.#slots.free > 0) this.#turns = [...others, first];
		for (const source of [first, ...others].flat()) if (source.isDue) await source.claim();
	}

	/** Starts another poll if slots are still free, because then no freed slot would start one. */
	#pollAgain(): void {
		if (this.#slots.free > 0) this.#wake({ requested: true });
	}

	/** Schedules a full poll after the poll interval, or earlier if a delayed execution becomes due. */
	async #scheduleNextPoll(): Promise<void> {
		const { clock, queues } = this.#parts;
		const dueTimes = [await this.#sources.delayed.nextDue(), queues().nextDue()].flatMap((time) => time ?? []);
		const dueInMs = Math.min(...dueTimes.map((time) => Math.max(1, Date.parse(time) + 1 - clock.steady() / 1_000)));
		if (dueInMs < this.#pollIntervalMs) this.#pollLoop.scheduleWake(dueInMs, () => this.#onDue(this.#pollIntervalMs - dueInMs));
		else this.#scheduleFullPoll(this.#pollIntervalMs);
	}

	/** Handles a due execution. Without a free slot it cannot start, so the full poll waits for a slot or the poll interval. */
	#onDue(remainingMs: number): void {
		if (this.#slots.free > 0) return this.wake({ delayed: true });
		this.#sources.delayed.isWaitingForSlot = true;
		this.#scheduleFullPoll(remainingMs);
	}

	#scheduleFullPoll(delayMs: number): void {
		this.#pollLoop.scheduleWake(delayMs, () => this.wake({ delayed: true }));
	}
}
