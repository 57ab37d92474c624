import { append, type EventBus, type ExecutionStatus, type Storage } from "../../contract/index.ts";
import { type EngineClock, toTimestamp } from "../basics/clock.ts";
import type { Frontier } from "../coordination/claim-cursor.ts";
import type { Claim, Claiming } from "../coordination/claimer.ts";
import { publishUpdated } from "../executions/execution-events.ts";

interface DelayedParts {
	readonly storage: Storage;
	readonly eventBus: EventBus;
	readonly clock: EngineClock;
	readonly claiming: Pick<Claiming<"execution">, "places" | "claimSome">;
}

/** Most that is moved to `delayed` with one write. */
const delayLimit = 100;

/** Executions that were asked to wait and are in no queue: shows that they wait, claims those that are due, and knows whether any may be left. */
export class DelayedExecutions {
	readonly #parts: DelayedParts;
	/** Until when anything must have come due to be claimed. */
	#surveyed = "";
	#isLeft = false;

	constructor(parts: DelayedParts) {
		this.#parts = parts;
	}

	/** Whether any may wait for a place. */
	get isLeft(): boolean {
		return this.#isLeft;
	}

	/** What has come due by `begun` may be claimed from now on, and nothing that has since: a survey puts into queues what belongs there. */
	survey(begun: number): void {
		this.#surveyed = toTimestamp(begun);
		this.#isLeft = true;
	}

	/** Claim some, unless it is certain that none are left: few, as others wait as well. */
	async claim(): Promise<void> {
		if (!this.#isLeft) return;
		let isLeft = false;
		for (const status of ["delayed", "requested"] as const) {
			const hasPlace = this.#parts.claiming.places() > 0;
			if (!hasPlace || (await this.#parts.claiming.claimSome(whenDue(status, { lte: this.#surveyed })))) isLeft = true;
		}
		this.#isLeft = isLeft;
	}

	/** What was not due yet at the survey shows that it waits. */
	async mark(): Promise<void> {
		const { storage, clock, eventBus } = this.#parts;
		const marked = await storage.claim(
			"execution",
			// Only what was asked to wait: what comes in while this is on its way to the storage is due later as well.
			{ where: { status: "requested", delay: { not: null }, due_timestamp: { gt: this.#surveyed } }, limit: delayLimit },
			{ status: "delayed", log: append({ status: "delayed", timestamp: toTimestamp(clock.now()) }) },
		);
		for (const execution of marked) publishUpdated(eventBus, execution);
	}

	/** When the first of those is due that were not yet at the survey. What was due before needs no look at a time, but a place. */
	async nextDue(): Promise<string | undefined> {
		const [next] = await this.#parts.storage.find("execution", {
			where: { status: "delayed", delay: { not: null }, queue: null, due_timestamp: { gt: this.#surveyed } },
			orderBy: [["due_timestamp", "asc"]],
			limit: 1,
			fields: ["due_timestamp"],
		});
		return next?.due_timestamp;
	}
}

/** What was asked to wait and is in no queue, the earliest due first. */
export function whenDue(status: ExecutionStatus, due_timestamp: { readonly lte: string }): Claim<"execution"> {
	// That there is a delay is said of both: few have one, and an index has no others.
	return { where: { status, delay: { not: null }, queue: null, due_timestamp }, orderBy: [["due_timestamp", "asc"]] };
}

/**
 * What is to be run as soon as it is there, and is in no queue. Whether it is due by the clock of this node is not asked: the one that took it in
 * may have another clock.
 *
 * It goes by the start, at which it is due as well: of all that might be asked for, status and start are together in one index that serves order and
 * bound, and no other index serves as much of it. Where PostgreSQL could choose, it would by how many executions it believes to have the status,
 * which it counts now and then: none of those that wait.
 *
 * The start is told by `now()` of a node, which goes by the clock of the storage where several nodes use it, and goes back on none. So what comes in
 * starts no earlier than `Frontier` allows for. What it does not is found when everything is looked at, as what a clock has put into the future
 * that was set back before the service began anew, which waits for its turn then: nothing bounds starts from above.
 *
 * @param begun when the look at it has begun, beyond which nothing is known
 */
export function atOnce(status: ExecutionStatus, frontier: Frontier, begun: string): Claim<"execution"> {
	return {
		where: { status, delay: null, queue: null, start_timestamp: frontier.near() },
		orderBy: [["start_timestamp", "asc"]],
		reach: ({ start_timestamp }) => frontier.reach(start_timestamp < begun ? start_timestamp : begun),
	};
}
