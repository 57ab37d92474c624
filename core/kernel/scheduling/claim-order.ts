import { append, type ExecutionStatus } from "../../contract/index.ts";
import { toTimestamp } from "../basics/clock.ts";
import type { Uses } from "../basics/engine-parts.ts";
import type { ClaimCursor } from "../coordination/claim-cursor.ts";
import type { Claim, Claimer } from "../coordination/claimer.ts";
import { publishUpdated } from "../executions/execution-events.ts";

interface DelayedExecutionsOptions extends Uses<"storage" | "eventBus" | "clock"> {
	readonly claiming: Pick<Claimer<"execution">, "freeSlots" | "claimBatch">;
}

/** Bounds the executions that one write moves to `delayed`. */
const maxDelayBatch = 100;

/**
 * Claim source of executions with a delay that are in no queue. Claims those that are due, and reports whether more of them may be left.
 * Also marks executions that are not due as `delayed`, including queued ones.
 */
export class DelayedExecutions {
	readonly #parts: DelayedExecutionsOptions;
	/** Only executions that are due at this time or before are claimed. */
	#dueUntil = "";
	#mayHaveDue = false;

	constructor(parts: DelayedExecutionsOptions) {
		this.#parts = parts;
	}

	/** True if due executions may wait for a slot. */
	get mayHaveDue(): boolean {
		return this.#mayHaveDue;
	}

	/**
	 * Allows claiming executions that are due at `scanStart`. Later ones must wait for the next scan, because a scan of the queues first
	 * moves executions into the queues that they belong to.
	 *
	 * @param scanStart microseconds, by the steady clock
	 */
	allowDueUntil(scanStart: number): void {
		this.#dueUntil = toTimestamp(scanStart);
		this.#mayHaveDue = true;
	}

	/**
	 * Claims one batch of due executions in each status, if any may be left. It is only one batch, because other claim sources wait for
	 * slots too.
	 */
	async claim(): Promise<void> {
		if (!this.#mayHaveDue) return;
		let mayHaveMore = false;
		for (const status of ["delayed", "requested"] as const) {
			const hasSlot = this.#parts.claiming.freeSlots() > 0;
			if (!hasSlot || (await this.#parts.claiming.claimBatch(toDelayedClaim(status, { lte: this.#dueUntil })))) mayHaveMore = true;
		}
		this.#mayHaveDue = mayHaveMore;
	}

	/** Moves requested executions that were not due at the last scan to `delayed`. */
	async markDelayed(): Promise<void> {
		const { storage, clock, eventBus } = this.#parts;
		const delayed = await storage.claim(
			"execution",
			// Only executions with a delay: one without that is stored after the scan also has a later due time, but must start at once.
			{ where: { status: "requested", delay: { not: null }, due_timestamp: { gt: this.#dueUntil } }, limit: maxDelayBatch },
			{ status: "delayed", log: append({ status: "delayed", timestamp: toTimestamp(clock.now()) }) },
		);
		for (const execution of delayed) publishUpdated(eventBus, execution);
	}

	/**
	 * Returns the earliest due time after the last scan; undefined if there is none. Executions that were due before need no timer: a slot
	 * that becomes free starts the poll for them.
	 */
	async nextDue(): Promise<string | undefined> {
		const [next] = await this.#parts.storage.find("execution", {
			where: { status: "delayed", delay: { not: null }, queue: null, due_timestamp: { gt: this.#dueUntil } },
			orderBy: [["due_timestamp", "asc"]],
			limit: 1,
			fields: ["due_timestamp"],
		});
		return next?.due_timestamp;
	}
}

/** Returns the claim of executions with a delay that are in no queue, the earliest due first. */
export function toDelayedClaim(status: ExecutionStatus, due_timestamp: { readonly lte: string }): Claim<"execution"> {
	// `delay` is a condition for both states: few executions have one, and an index contains only those.
	return { where: { status, delay: { not: null }, queue: null, due_timestamp }, orderBy: [["due_timestamp", "asc"]] };
}

/**
 * Returns the claim of executions without a delay that are in no queue, the earliest start first. The clock of this node does not decide
 * whether they are due, because the node that accepted them may have another clock.
 *
 * The order is that of `start_timestamp`, which is also the due time. Status and start share one index, which serves both order and bound;
 * no other index serves as much of the query. If PostgreSQL could choose, its statistics would decide. They are updated only now and then,
 * and usually count no execution as waiting.
 *
 * `start_timestamp` comes from `now()` of a node. This clock follows that of the storage if several nodes share it, and always advances. So
 * a new execution starts no earlier than the margin of the claim cursor allows; a periodic claim from the beginning finds exceptions. If a
 * clock was set back before a restart, executions may have a start in the future. They are claimed in order, because the claim has no upper
 * bound.
 *
 * @param pollStart time at which this poll began; the cursor does not move beyond it
 */
export function toImmediateClaim(status: ExecutionStatus, cursor: ClaimCursor, pollStart: string): Claim<"execution"> {
	return {
		where: { status, delay: null, queue: null, start_timestamp: cursor.nextRange() },
		orderBy: [["start_timestamp", "asc"]],
		advanceCursor: ({ start_timestamp }) => cursor.advanceTo(start_timestamp < pollStart ? start_timestamp : pollStart),
	};
}
