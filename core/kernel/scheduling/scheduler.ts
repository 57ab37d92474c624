import { append, type ExecutionEntity, type Meters } from "../../contract/index.ts";
import { PollLoop } from "../../lib/poll-loop.ts";
import { toTimestamp } from "../basics/clock.ts";
import type { Uses } from "../basics/engine-parts.ts";
import { ClaimCursor } from "../coordination/claim-cursor.ts";
import { type Claim, Claimer, insertClaimed, type WriteOutcome } from "../coordination/claimer.ts";
import type { LeasePolicy } from "../coordination/lease-duration.ts";
import { publishCreated, publishUpdated } from "../executions/execution-events.ts";
import type { StoreAdmitted } from "../executions/new-execution.ts";
import { applyPatch, type ExecutionPatch, expiredLeaseTimestamp, heldStatuses } from "../executions/status.ts";
import { DelayedExecutions, toImmediateClaim } from "./claim-order.ts";
import type { ExecutionQueues, QueuedExecutionStarter } from "./execution-queues-api.ts";
import { type AdmissionOptions, Admissions } from "./inline-start.ts";
import { ParentShares } from "./parent-shares.ts";

interface SchedulerOptions extends Uses<"storage" | "eventBus" | "clock" | "logger"> {
	readonly leasing: LeasePolicy;
	readonly hub: Meters;
	/** Maximum number of executions that run at the same time. */
	readonly poolSize: number;
	/** Seconds between full polls. */
	readonly pollInterval: number;
	/**
	 * Notifies the schedulers of other nodes that an execution waits. `delayed`: they must run a full poll, as it has a delay or is queued.
	 */
	readonly announce: (work: { readonly delayed: boolean }) => void;
	/** Returns the queues, whose executions no scheduler may claim directly. */
	readonly queues: () => ExecutionQueues;
	readonly startInline: AdmissionOptions["startInline"];
	readonly canCompleteInline: AdmissionOptions["canCompleteInline"];
	/** Runs a claimed execution to its end. Never rejects. */
	readonly run: (execution: ExecutionEntity) => Promise<void>;
	/** Returns true if an execution runs on this node. */
	readonly isRunningHere: (executionId: string) => boolean;
	/** Returns the number of runs on this node that take no slot, because they wait for child executions. */
	readonly resting: () => number;
}

/**
 * Bounds the executions that one write claims. Claims are small, so that the first of many starts soon and several nodes share the work.
 */
const maxClaimBatch = 16;

/**
 * Claims executions that may start and has them run, at most `poolSize` at a time.
 *
 * Executions wait in the storage in one of these ways, each with its own claim:
 *
 * - immediate: `requested`, without delay and queue. Claimed in the order of their start, from a claim cursor on.
 * - delayed: with a delay, `requested` or `delayed`. A full poll moves those that are not due to `delayed`. Claimed when they are due.
 * - queued: limited in how many may run. The queues decide which of them start, and call back with `start`, which reserves slots and claims
 *   them.
 * - released: `delayed` but without delay and queue, because the limits of the queue were removed. Claimed before immediate ones.
 * - resumable: `resuming` or `canceling` with a lease expiry in the past. They have started before, so they are claimed first.
 *
 * A claim moves an execution to `scheduled`, except a resumable one, which keeps its status. It sets a lease with a new fence. Then the run
 * begins. It takes a slot until it ends, except while it waits for child executions. A new execution skips the wait if a slot is free and
 * nothing waits before it (`admit`).
 *
 * A poll is quick or full. A quick poll claims only from the sources that were signaled. A full poll also scans the queues, claims delayed
 * executions that are due, and schedules the next poll. It costs several more statements, so a new immediate execution causes a quick poll.
 * Full polls run at start and at the poll interval. They also run when a delayed execution is stored or becomes due, when limits change,
 * and after bus events may have been missed.
 *
 * Polls run one at a time on a node; a signal during a poll causes another one. `#isFullPollDue`, `#isRequestedPollDue` and
 * `#isResumablePollDue` are such signals. A poll clears each of them before it reads the storage, so that a signal during the read is not
 * lost. If a poll fails, a full poll follows at the poll interval.
 *
 * During a poll, runs end, `admit` reserves slots, orphan recovery takes executions over, and other nodes claim the same executions. The
 * storage gives an execution to one claim only, and each claim counts the free slots anew. If slots run out, the scheduler remembers that
 * executions wait. New ones may then no longer overtake them, and the next free slot starts a poll.
 *
 * Queues, immediate and delayed executions share the free slots in turns: each poll begins with the waiting source that has not been first
 * for the longest time. While other executions wait, the children of one parent get at most half of the slots.
 */
export class Scheduler {
	readonly #parts: SchedulerOptions;
	readonly #claiming: Claimer<"execution">;
	readonly #pollLoop: PollLoop;
	readonly #shares: ParentShares;
	/** Parent of all waiting immediate executions, which saves a query for others with each claim. Undefined: there may be others. */
	#onlyRequestedParent: string | undefined;
	readonly #starter: QueuedExecutionStarter;
	readonly #admissions: Admissions;
	readonly #requestedCursor = new ClaimCursor();
	/** Claim cursor for executions released from a queue. */
	readonly #releasedCursor = new ClaimCursor();
	/** True if the next poll must claim immediate executions; false if it must poll only queues. */
	#isRequestedPollDue = false;
	readonly #delayed: DelayedExecutions;
	readonly #sources = new RoundRobin([
		{ isWaiting: () => this.#parts.queues().isPollDue(), claim: () => this.#pollQueues() },
		{ isWaiting: () => this.#isRequestedPollDue || this.#isReleasedPollDue, claim: () => this.#claimImmediate() },
		{ isWaiting: () => this.#delayed.mayHaveDue, claim: () => this.#delayed.claim() },
	]);
	/** True if the next poll must be a full one; most are not, because that costs three more statements. */
	#isFullPollDue = false;
	/** True if an execution became due while no slot was free. */
	#hasDueWithoutSlot = false;
	/** True if the next poll must also claim resumable executions. */
	#isResumablePollDue = false;
	/** True if the next poll must also claim executions that a queue has released. */
	#isReleasedPollDue = false;
	#isListeningToQueues = false;

	constructor(parts: SchedulerOptions) {
		this.#parts = parts;
		this.#shares = new ParentShares(parts.poolSize);
		this.#claiming = new Claimer({
			...parts,
			kind: "execution",
			maxClaimBatch,
			shouldClaimAhead: false,
			createClaimPatch: () => ({ status: "scheduled", log: append({ status: "scheduled", timestamp: toTimestamp(parts.clock.now()) }) }),
			claimedCondition: { status: { in: heldStatuses } },
			process: (execution) =>
				execution.parent_id === null ? parts.run(execution) : this.#shares.during(execution.parent_id, () => parts.run(execution)),
			isInProgressHere: parts.isRunningHere,
			onClaimed: (execution) => publishUpdated(parts.eventBus, execution),
			onTakenOver: ({ id }) => parts.logger.info("execution taken over", { execution_id: id }),
			onSlotFree: () => this.pollIfDue(),
		});
		const freeSlots = () => this.#claiming.freeSlots();
		this.#delayed = new DelayedExecutions({ ...parts, claiming: { freeSlots, claimBatch: (claim) => this.#claimFairly(claim) } });
		this.#pollLoop = new PollLoop({
			poll: () => this.#poll(),
			onError: (error) => {
				parts.logger.error("looking for due executions failed", { error });
				this.#scheduleFullPoll(parts.pollInterval * 1_000);
			},
		});
		const reserve = () => this.#claiming.reserveSlot();
		const announce = (execution: ExecutionEntity) => this.announce(execution);
		this.#admissions = new Admissions({ ...parts, reserve, claim: () => this.#claiming.createSlotlessClaim(), announce });
		this.#starter = {
			freeSlots,
			start: (executions, store) => this.#startQueued(executions, store),
			release: () => {
				// Released executions are older than the cursors, so both cursors must start at the beginning.
				this.#requestedCursor.reset();
				this.#releasedCursor.reset();
				this.wake({ delayed: true });
			},
		};
	}

	/** Starts claiming; may be called again after `stop`. */
	start(): void {
		this.#claiming.open();
		this.#pollLoop.start();
		if (!this.#isListeningToQueues) this.#parts.queues().onPollDue(({ survey }) => this.wake({ requested: survey, delayed: survey }));
		this.#isListeningToQueues = true;
		this.wake({ delayed: true });
	}

	/** Starts a poll: `requested` for immediate executions, `ready` for resumable ones, `delayed` for all. Has no effect while stopped. */
	wake({
		requested = true,
		delayed = false,
		ready = delayed,
	}: {
		readonly requested?: boolean;
		readonly delayed?: boolean;
		readonly ready?: boolean;
	} = {}): void {
		if (requested) this.#onlyRequestedParent = undefined;
		this.#wake({ requested, delayed, ready });
	}

	#wake({ requested = true, delayed = false, ready = false }: { requested?: boolean; delayed?: boolean; ready?: boolean } = {}): void {
		if (!this.#pollLoop.isStarted) return;
		this.#isResumablePollDue ||= ready;
		this.#isRequestedPollDue ||= requested;
		this.#isFullPollDue ||= delayed;
		this.#pollLoop.wake();
	}

	/** Starts a poll if an execution may wait for a slot. To be called when a slot has become free. */
	pollIfDue(): void {
		const requested = this.#claiming.hasWaitingRecords;
		const delayed = this.#hasDueWithoutSlot;
		const isOtherPollDue = this.#isResumablePollDue || this.#isReleasedPollDue;
		if (requested || delayed || isOtherPollDue || this.#parts.queues().isPollDue()) this.#wake({ requested, delayed });
	}

	/** Inserts new executions by a call of `store`, all or none, and schedules their runs. */
	admit(executions: readonly ExecutionEntity[], store: StoreAdmitted): Promise<void> {
		return this.#admissions.admit(executions, store);
	}

	/** Publishes a new execution that was stored as requested, and starts polls on all nodes so that it is run. */
	announce(execution: ExecutionEntity): void {
		publishCreated(this.#parts.eventBus, execution);
		const delayed = execution.delay !== null;
		const isQueued = execution.queue !== null;
		if (execution.queue !== null) this.#parts.queues().markForPoll(execution.queue);
		else if (!delayed) {
			this.#claiming.noteWaitingRecord();
			this.#requestedCursor.noteStored(execution.start_timestamp);
			if (execution.parent_id !== this.#onlyRequestedParent) this.#onlyRequestedParent = undefined;
		}
		this.#wake({ requested: !isQueued, delayed, ready: delayed });
		// On other nodes, only a full poll includes the queues.
		this.#parts.announce({ delayed: delayed || isQueued });
	}

	/** Takes over an execution whose lease has expired, and runs it here. Does nothing if it has changed since it was read. */
	takeOver(execution: ExecutionEntity): Promise<void> {
		return this.#claiming.takeOver(execution);
	}

	/** Runs executions that this node has claimed with a write whose response was lost. */
	resolveInDoubtClaims(): Promise<void> {
		return this.#claiming.resolveInDoubtClaims();
	}

	/** Stops claiming. Resolves when no claim is in progress; runs continue. */
	async stop(): Promise<void> {
		this.#claiming.close();
		await this.#pollLoop.stop();
		await this.#claiming.whenReservationsSettled();
	}

	/** Resolves when no execution runs on this node. */
	idle(): Promise<void> {
		return this.#claiming.whenIdle();
	}

	async #poll(): Promise<void> {
		const isFullPoll = this.#isFullPollDue;
		this.#isFullPollDue = false;
		await this.#claiming.resolveInDoubtClaims();
		if (isFullPoll) await this.#scan();
		if (this.#isResumablePollDue) await this.#claimResumable();
		await this.#sources.claim({ hasSlots: this.#claiming.freeSlots() > 0 });
		if (this.#delayed.mayHaveDue) {
			// New executions must not overtake the delayed ones; the next free slot triggers a poll.
			this.#claiming.noteWaitingRecord();
			if (this.#claiming.freeSlots() > 0) this.#wake();
		}
		if (!isFullPoll || !this.#pollLoop.isStarted) return;
		await this.#delayed.markDelayed();
		await this.#scheduleNextPoll();
	}

	async #scan(): Promise<void> {
		const scanStart = this.#parts.clock.steady();
		this.#hasDueWithoutSlot = false;
		// Released executions are not claimed in each poll, because the database must skip all queued executions to find them.
		this.#isReleasedPollDue ||= this.#releasedCursor.isFullScanDue;
		// Other nodes may have stored executions late.
		this.#requestedCursor.widen();
		await this.#parts.queues().scan({ released: this.#isReleasedPollDue });
		this.#delayed.allowDueUntil(scanStart);
	}

	/** Claims resumable executions before others, because they have started before. */
	async #claimResumable(): Promise<void> {
		const resumable = { status: { in: ["resuming", "canceling"] }, lease_expires_at: { lte: expiredLeaseTimestamp } } as const;
		const oldestFirst = [["start_timestamp", "asc"]] as const;
		while (this.#claiming.freeSlots() > 0) {
			this.#isResumablePollDue = false;
			if (!(await this.#claiming.reclaimBatch({ where: resumable, orderBy: oldestFirst }))) return;
			this.#isResumablePollDue = true;
		}
	}

	/** Claims executions that need not wait. Released ones are claimed first, because they are older. */
	async #claimImmediate(): Promise<void> {
		if (this.#isReleasedPollDue) await this.#claimReleased();
		if (this.#isRequestedPollDue) await this.#claimRequested();
	}

	/** Claims executions released from a queue, in the order of their start. */
	async #claimReleased(): Promise<void> {
		const pollStart = toTimestamp(this.#parts.clock.now());
		while (this.#claiming.freeSlots() > 0) {
			if (!(await this.#claimFairly(toImmediateClaim("delayed", this.#releasedCursor, pollStart)))) {
				this.#releasedCursor.markExhausted();
				this.#isReleasedPollDue = false;
				return;
			}
			if (this.#isOtherSourceWaiting()) return this.#pollAgain();
		}
	}

	async #claimRequested(): Promise<void> {
		this.#isRequestedPollDue = false;
		const pollStart = toTimestamp(this.#parts.clock.now());
		const isDone = await this.#claiming.claimAll(
			() => toImmediateClaim("requested", this.#requestedCursor, pollStart),
			() => this.#isOtherSourceWaiting(),
			(claim) => this.#claimFairly(claim, { isRequested: true }),
		);
		if (isDone) this.#requestedCursor.markExhausted(pollStart);
		else this.#pollAgain();
	}

	/** Claims one batch. Children of a parent that nearly holds its share of the slots are claimed only if no other execution matches. */
	async #claimFairly(claim: Claim<"execution">, { isRequested = false } = {}): Promise<boolean> {
		const { fullParent } = this.#shares;
		const limit = this.#shares.limitBeside(fullParent);
		if (fullParent === undefined) return this.#claiming.claimBatch({ ...claim, limit });
		if (!isRequested || this.#onlyRequestedParent !== fullParent) {
			// Set before the query, because `announce` resets it for executions that arrive meanwhile.
			if (isRequested) this.#onlyRequestedParent = fullParent;
			const others = { where: { ...claim.where, parent_id: { not: fullParent } }, orderBy: claim.orderBy, limit };
			if (await this.#claiming.claimBatch(others)) {
				if (isRequested) this.#onlyRequestedParent = undefined;
				return true;
			}
		}
		return this.#claiming.claimBatch(claim);
	}

	/** Returns true if other sources wait. They would get no slot while immediate executions take each one that becomes free. */
	#isOtherSourceWaiting(): boolean {
		return this.#delayed.mayHaveDue || this.#parts.queues().isPollDue();
	}

	/** Starts another poll if slots are still free, because no other event would. */
	#pollAgain(): void {
		if (this.#claiming.freeSlots() > 0) this.#wake();
	}

	async #pollQueues(): Promise<void> {
		if (this.#pollLoop.isStarted) await this.#parts.queues().look(this.#starter);
	}

	async #startQueued(executions: readonly ExecutionEntity[], store: (claim: ExecutionPatch) => Promise<void>): Promise<void> {
		const slots = this.#claiming.reserveSlots(executions.length);
		const patch = { ...slots.claimPatch, queue: null };
		const claimed = executions.map((execution) => applyPatch(execution, patch));
		const settle = (outcome: WriteOutcome) => {
			if (outcome === "stored") for (const execution of claimed) publishUpdated(this.#parts.eventBus, execution);
			slots.settle(outcome, claimed);
		};
		await insertClaimed({ entity: patch, settle }, store);
	}

	/** Schedules a full poll after the poll interval, or earlier if a delayed execution becomes due. */
	async #scheduleNextPoll(): Promise<void> {
		const { clock, queues, pollInterval } = this.#parts;
		const pollIntervalMs = pollInterval * 1_000;
		const dueTimes = [await this.#delayed.nextDue(), queues().nextDue()].flatMap((time) => time ?? []);
		const dueInMs = Math.min(...dueTimes.map((time) => Math.max(1, Date.parse(time) + 1 - clock.steady() / 1_000)));
		if (dueInMs < pollIntervalMs) this.#pollLoop.scheduleWake(dueInMs, () => this.#onDue(pollIntervalMs - dueInMs));
		else this.#scheduleFullPoll(pollIntervalMs);
	}

	/** Handles a due execution. Without a free slot it cannot start, so the full poll waits for a slot or the poll interval. */
	#onDue(remainingMs: number): void {
		if (this.#claiming.freeSlots() > 0) return this.wake({ delayed: true });
		this.#hasDueWithoutSlot = true;
		this.#scheduleFullPoll(remainingMs);
	}

	#scheduleFullPoll(delayMs: number): void {
		this.#pollLoop.scheduleWake(delayMs, () => this.wake({ delayed: true }));
	}
}

/** A source of executions that competes for free slots. */
interface ClaimSource {
	/** Returns true if executions of the source may wait for a slot. */
	readonly isWaiting: () => boolean;
	/** Claims executions of the source, as far as slots are free. */
	readonly claim: () => Promise<void>;
}

/** Gives free slots to several sources in turns, so that no source takes every slot forever. */
class RoundRobin {
	/** Claim sources, in the order of the next poll: the source that has not been first for the longest time is first. */
	#sources: readonly ClaimSource[];

	constructor(sources: readonly ClaimSource[]) {
		this.#sources = sources;
	}

	/**
	 * Lets each source claim once. Of the waiting sources, the one that has not been first for the longest time is first. That counts as
	 * its turn only if slots are free, since otherwise it gains nothing.
	 */
	async claim({ hasSlots }: { readonly hasSlots: boolean }): Promise<void> {
		const first = this.#sources.find(({ isWaiting }) => isWaiting());
		const others = this.#sources.filter((source) => source !== first);
		if (hasSlots && first !== undefined) this.#sources = [...others, first];
		for (const source of first === undefined ? others : [first, ...others]) await source.claim();
	}
}
