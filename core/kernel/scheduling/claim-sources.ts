import { append, type ExecutionEntity, type ExecutionStatus } from "../../contract/index.ts";
import { toTimestamp } from "../basics/clock.ts";
import type { Uses } from "../basics/engine-parts.ts";
import { ClaimCursor } from "../coordination/claim-cursor.ts";
import { type Claimer, type ClaimSelection, insertClaimed, type WriteOutcome } from "../coordination/claimer.ts";
import type { SlotPool } from "../coordination/slot-pool.ts";
import { publishUpdated } from "../executions/execution-events.ts";
import { applyPatch, type ExecutionPatch, expiredLeaseTimestamp } from "../executions/status.ts";
import type { ExecutionQueues } from "./execution-queues-api.ts";
import type { SoleWaitingParent } from "./parent-slot-shares.ts";

/** A source of waiting executions, which competes with other sources for free slots. */
export interface ClaimSource {
	/** True if executions of the source may wait for a slot. */
	readonly isDue: boolean;
	/** Claims executions of the source, as far as slots are free. */
	claim(): Promise<void>;
}

export interface ClaimSourceDependencies extends Uses<"storage" | "eventBus" | "clock"> {
	readonly slots: Pick<SlotPool, "free" | "isOpen">;
	readonly claimer: Pick<Claimer<"execution">, "claimAll" | "reclaimBatch" | "reserveSlots">;
	/** Claims one batch, and limits the children of each parent to a fair share of the slots. Returns true if more executions may match. */
	readonly claimFairly: (claim: ClaimSelection<"execution">, parents?: SoleWaitingParent) => Promise<boolean>;
	readonly queues: () => ExecutionQueues;
	/** Starts a full poll. */
	readonly pollFully: () => void;
	/** Starts another poll if slots are still free, because then no freed slot would start one. */
	readonly pollAgain: () => void;
}

/** Maximum number of executions that one write moves to `delayed`. */
const maxDelayBatch = 100;

export type ClaimSources = ReturnType<typeof createClaimSources>;

export function createClaimSources(options: ClaimSourceDependencies) {
	const released = createReleasedSource(options, areOthersDue);
	const fresh = createNewSource(options, areOthersDue);
	const queued = createQueuedSource(options, release);
	const delayed = createDelayedSource(options);

	/** Returns true if delayed or queued executions may wait. They would get no slot while immediate executions take each free one. */
	function areOthersDue(): boolean {
		return delayed.isDue || queued.isDue;
	}

	function release(): void {
		// Released executions may precede the cursors, so both cursors must start at the beginning.
		fresh.cursor.reset();
		released.cursor.reset();
		options.pollFully();
	}

	return { resumable: createResumableSource(options), queued, released, new: fresh, delayed };
}

/** Source of executions that were started earlier and then released: `resuming` or `canceling` with a lease expiry in the past. */
function createResumableSource({ slots, claimer }: ClaimSourceDependencies) {
	const where = { status: { in: ["resuming", "canceling"] }, lease_expires_at: { lte: expiredLeaseTimestamp } } as const;
	return {
		isDue: false,
		async claim() {
			while (slots.free > 0) {
				this.isDue = false;
				if (!(await claimer.reclaimBatch({ where, orderBy: [["start_timestamp", "asc"]] }))) return;
				this.isDue = true;
			}
		},
	};
}

/**
 * Source of queued executions, whose number of concurrent runs is limited. The queues decide which executions start, and call `start`,
 * which reserves slots and claims these executions.
 */
function createQueuedSource({ slots, claimer, eventBus, queues }: ClaimSourceDependencies, release: () => void): ClaimSource {
	async function start(executions: readonly ExecutionEntity[], store: (claim: ExecutionPatch) => Promise<void>): Promise<void> {
		const reserved = claimer.reserveSlots(executions.length);
		const patch = { ...reserved.claimPatch, queue: null };
		const claimed = executions.map((execution) => applyPatch(execution, patch));
		const settle = (outcome: WriteOutcome) => {
			if (outcome === "stored") for (const execution of claimed) publishUpdated(eventBus, execution);
			reserved.settle(outcome, claimed);
		};
		await insertClaimed({ entity: patch, settle }, store);
	}
	return {
		get isDue() {
			return queues().isPollDue();
		},
		async claim() {
			if (slots.isOpen) await queues().look({ freeSlots: () => slots.free, start, release });
		},
	};
}

/**
 * Source of executions that were released from a queue, because its limits were removed: `delayed`, but without delay and queue. Claimed in
 * the order of their start. The source is not due in each poll, because the database must skip all queued executions to find the released
 * ones.
 */
function createReleasedSource({ slots, clock, claimFairly, pollAgain }: ClaimSourceDependencies, areOthersDue: () => boolean) {
	const cursor = new ClaimCursor();
	return {
		isDue: false,
		cursor,
		async claim() {
			const pollStart = toTimestamp(clock.now());
			while (slots.free > 0) {
				if (!(await claimFairly(toImmediateClaim("delayed", cursor, pollStart)))) {
					cursor.markExhausted();
					this.isDue = false;
					return;
				}
				if (areOthersDue()) return pollAgain();
			}
		},
	};
}

/** Source of new executions: `requested`, without delay and queue. Claimed in the order of their start. */
function createNewSource({ claimer, clock, claimFairly, pollAgain }: ClaimSourceDependencies, areOthersDue: () => boolean) {
	const cursor = new ClaimCursor();
	const parents: SoleWaitingParent = { only: undefined };
	return {
		isDue: false,
		cursor,
		parents,
		async claim() {
			this.isDue = false;
			const pollStart = toTimestamp(clock.now());
			const toClaim = () => toImmediateClaim("requested", cursor, pollStart);
			if (await claimer.claimAll(toClaim, areOthersDue, (claim) => claimFairly(claim, parents))) cursor.markExhausted(pollStart);
			else pollAgain();
		},
	};
}

/**
 * Source of executions with a delay that are in no queue: `requested` or `delayed`. Claims executions that are due; the source itself is
 * due while more of them may be left. Also marks executions that are not due yet as `delayed`, including queued ones.
 */
function createDelayedSource({ slots, storage, clock, eventBus, claimFairly }: ClaimSourceDependencies) {
	/** Timestamp until which executions must be due to be claimed. */
	let dueUntil = "";
	return {
		isDue: false,
		/** True if an execution became due while no slot was free. The next free slot then starts a full poll. */
		isWaitingForSlot: false,

		/**
		 * Allows claiming executions that are due at `scanStart`, in microseconds by the steady clock. Executions that become due later must wait
		 * for the next scan, because a scan first moves executions into the queues to which they belong.
		 */
		allowDueUntil(scanStart: number) {
			dueUntil = toTimestamp(scanStart);
			this.isDue = true;
		},

		/** Claims only one batch of due executions in each status, because other claim sources also wait for slots. */
		async claim() {
			let mayHaveMore = false;
			for (const status of ["delayed", "requested"] as const) {
				if (slots.free === 0 || (await claimFairly(toDelayedClaim(status, { lte: dueUntil })))) mayHaveMore = true;
			}
			this.isDue = mayHaveMore;
		},

		/** Moves requested executions that were not due at the last scan to `delayed`. */
		async markDelayed() {
			const delayed = await storage.claim(
				"execution",
				// Select only executions with a delay. An execution without a delay that is stored after the scan also has a later due time, but must
				// start at once.
				{ where: { status: "requested", delay: { not: null }, due_timestamp: { gt: dueUntil } }, limit: maxDelayBatch },
				{ status: "delayed", log: append({ status: "delayed", timestamp: toTimestamp(clock.now()) }) },
			);
			for (const execution of delayed) publishUpdated(eventBus, execution);
		},

		/**
		 * Returns the earliest due time after the last scan; undefined if there is none. Executions that were due before the scan need no timer:
		 * the next slot that becomes free starts a poll for them.
		 */
		async nextDue(): Promise<string | undefined> {
			const where = { status: "delayed", delay: { not: null }, queue: null, due_timestamp: { gt: dueUntil } } as const;
			const [next] = await storage.find("execution", { where, orderBy: [["due_timestamp", "asc"]], limit: 1, fields: ["due_timestamp"] });
			return next?.due_timestamp;
		},
	};
}

/** Returns the claim selection for executions with a delay that are in no queue, the earliest due time first. */
export function toDelayedClaim(status: ExecutionStatus, due_timestamp: { readonly lte: string }): ClaimSelection<"execution"> {
	// Keep the condition on `delay` for both statuses: few executions have a delay, and an index contains only those.
	return { where: { status, delay: { not: null }, queue: null, due_timestamp }, orderBy: [["due_timestamp", "asc"]] };
}

/**
 * Returns the claim selection for executions without a delay that are in no queue, ordered by the time of the request, earliest first.
 * There is no condition on the due time, because the node that accepted an execution may have another clock.
 *
 * The order is that of `start_timestamp`, which is also the due time. Status and start share one index, which serves both order and bound.
 * Do not add another index that serves as much of the query: PostgreSQL would then choose by its statistics, which are updated only
 * occasionally and usually show no waiting execution.
 *
 * `start_timestamp` comes from `now()` of a node. That clock follows the clock of the storage if several nodes share the storage, and
 * always advances. So the `start_timestamp` of a new execution is no earlier than the margin of the claim cursor allows; the periodic
 * full scan finds exceptions. If a clock was set back before a restart, a `start_timestamp` may be in the future. Such executions
 * are claimed in order, because the claim has no upper bound.
 *
 * @param pollStart time at which this poll began; the cursor must not move beyond it
 */
export function toImmediateClaim(status: ExecutionStatus, cursor: ClaimCursor, pollStart: string): ClaimSelection<"execution"> {
	return {
		where: { status, delay: null, queue: null, start_timestamp: cursor.nextRange() },
		orderBy: [["start_timestamp", "asc"]],
		advanceCursor: ({ start_timestamp }) => cursor.advanceTo(start_timestamp < pollStart ? start_timestamp : pollStart),
	};
}
