import { append, type EventBus, type Storage } from "../../contract/index.ts";
import { type EngineClock, toTimestamp } from "../basics/clock.ts";
import type { Claiming } from "../coordination/claimer.ts";
import { publishUpdated } from "../executions/execution-events.ts";
import { whenDue } from "./to-claim.ts";

export interface DelayedParts {
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
