import { append, type EventBus, type ExecutionEntity, type Logger, type Meters, type Storage } from "../../contract/index.ts";
import { Looks } from "../../lib/poll-loop.ts";
import { type EngineClock, toTimestamp } from "../basics/clock.ts";
import { Frontier } from "../coordination/claim-cursor.ts";
import { type Claim, Claiming, type Settlement, storeReserved } from "../coordination/claimer.ts";
import type { Leasing } from "../coordination/lease-duration.ts";
import type { StoreAdmitted } from "../executions/admission.ts";
import { publishCreated, publishUpdated } from "../executions/execution-events.ts";
import { applied, type ExecutionPatch, heldStatuses, longAgo } from "../executions/status.ts";
import { atOnce, DelayedExecutions } from "./claim-sources.ts";
import type { Queues, Starter } from "./execution-queues.ts";
import { type AdmissionParts, Admissions } from "./inline-start.ts";
import { ParentShares } from "./parent-shares.ts";

interface SchedulerParts {
	readonly storage: Storage;
	readonly eventBus: EventBus;
	readonly clock: EngineClock;
	readonly logger: Logger;
	readonly leasing: Leasing;
	readonly hub: Meters;
	/** Most executions at once. */
	readonly poolSize: number;
	/** Seconds. */
	readonly pollInterval: number;
	/** Tell schedulers of other nodes that something waits to be claimed; `delayed` when it is not due yet. */
	readonly announce: (work: { readonly delayed: boolean }) => void;
	/** Executions that must wait, which nobody may claim otherwise. */
	readonly queues: () => Queues;
	readonly ready: AdmissionParts["ready"];
	readonly mayEnd: AdmissionParts["mayEnd"];
	/** Run a claimed execution to its end; never rejects. */
	readonly run: (execution: ExecutionEntity) => Promise<void>;
	/** Whether an execution runs here. */
	readonly holds: (executionId: string) => boolean;
	/** How many of what runs here wait for executions that they have started, and take no place meanwhile. */
	readonly resting: () => number;
}

/** Claims are small, so that the first of many starts soon and several nodes share the work. */
const claimLimit = 16;

/** Claims executions that are due and has them run, at most `poolSize` at a time. */
export class Scheduler {
	readonly #parts: SchedulerParts;
	readonly #claiming: Claiming<"execution">;
	readonly #looks: Looks;
	readonly #shares: ParentShares;
	/** Its children alone can be `requested`: saves a question for others with each claim. Undefined: that is not known of any. */
	#onlyParent: string | undefined;
	readonly #starter: Starter;
	readonly #admissions: Admissions;
	readonly #frontier = new Frontier();
	/** The same of what queues have held back and let go. */
	readonly #released = new Frontier();
	/** Whether the next look is also at what is requested: not when only queues are to be looked at. */
	#looksAtRequested = false;
	readonly #delayed: DelayedExecutions;
	readonly #turns = new PlaceTurns([
		{ waits: () => this.#parts.queues().isLookDue(), look: () => this.#lookAtQueues() },
		{ waits: () => this.#looksAtRequested || this.#looksAtReleased, look: () => this.#lookAtOnce() },
		{ waits: () => this.#delayed.isLeft, look: () => this.#delayed.claim() },
	]);
	/** Whether the next look is also at what has come due; most are not, as that costs three more statements. */
	#looksAtDelayed = false;
	/** Whether something has come due while there was no place for it. */
	#hasComeDue = false;
	/** Whether the next look is also at what has been left for others to go on with. */
	#looksAtReady = false;
	/** Whether the next look is also at what queues have let go. */
	#looksAtReleased = false;
	#isHeard = false;

	constructor(parts: SchedulerParts) {
		this.#parts = parts;
		this.#shares = new ParentShares(parts.poolSize);
		this.#claiming = new Claiming({
			...parts,
			kind: "execution",
			claimLimit,
			claimsAhead: false,
			toClaim: () => ({ status: "scheduled", log: append({ status: "scheduled", timestamp: toTimestamp(parts.clock.now()) }) }),
			claimed: { status: { in: heldStatuses } },
			work: (execution) =>
				execution.parent_id === null ? parts.run(execution) : this.#shares.during(execution.parent_id, () => parts.run(execution)),
			isHere: parts.holds,
			onClaimed: (execution) => publishUpdated(parts.eventBus, execution),
			onTakenOver: ({ id }) => parts.logger.info("execution taken over", { execution_id: id }),
			onRoom: () => this.lookIfDue(),
		});
		const places = () => this.#claiming.places();
		this.#delayed = new DelayedExecutions({ ...parts, claiming: { places, claimSome: (claim) => this.#claimFairly(claim) } });
		this.#looks = new Looks({
			look: () => this.#look(),
			onError: (error) => {
				parts.logger.error("looking for due executions failed", { error });
				this.#plan(parts.pollInterval * 1_000);
			},
		});
		const reserve = () => this.#claiming.reserve();
		const announce = (execution: ExecutionEntity) => this.announce(execution);
		this.#admissions = new Admissions({ ...parts, reserve, claim: () => this.#claiming.claim(), announce });
		this.#starter = {
			places,
			start: (executions, store) => this.#startQueued(executions, store),
			release: () => {
				// They have waited for longer than what is claimed now.
				this.#frontier.forget();
				this.#released.forget();
				this.wake({ delayed: true });
			},
		};
	}

	/** Begin to claim; also again, after `stop`. */
	start(): void {
		this.#claiming.open();
		this.#looks.start();
		if (!this.#isHeard) this.#parts.queues().onLookDue(({ survey }) => this.wake({ requested: survey, delayed: survey }));
		this.#isHeard = true;
		this.wake({ delayed: true });
	}

	/** Perhaps there is something to claim. Does nothing unless started. */
	wake({
		requested = true,
		delayed = false,
		ready = delayed,
	}: {
		readonly requested?: boolean;
		readonly delayed?: boolean;
		readonly ready?: boolean;
	} = {}): void {
		if (requested) this.#onlyParent = undefined;
		this.#wake({ requested, delayed, ready });
	}

	#wake({ requested = true, delayed = false, ready = false }: { requested?: boolean; delayed?: boolean; ready?: boolean } = {}): void {
		if (!this.#looks.isOn) return;
		this.#looksAtReady ||= ready;
		this.#looksAtRequested ||= requested;
		this.#looksAtDelayed ||= delayed;
		this.#looks.wake();
	}

	/** A place has become free: look whether something waits for it, unless it is certain that nothing does. */
	lookIfDue(): void {
		const requested = this.#claiming.isBehind;
		const delayed = this.#hasComeDue;
		const left = this.#looksAtReady || this.#looksAtReleased;
		if (requested || delayed || left || this.#parts.queues().isLookDue()) this.#wake({ requested, delayed });
	}

	/** Let `store` keep new executions, all or none, and see to their being run. */
	admit(executions: readonly ExecutionEntity[], store: StoreAdmitted): Promise<void> {
		return this.#admissions.admit(executions, store);
	}

	/** Tell of a new execution that has been stored, and see to its being run. */
	announce(execution: ExecutionEntity): void {
		publishCreated(this.#parts.eventBus, execution);
		const delayed = execution.delay !== null;
		const isQueued = execution.queue !== null;
		if (execution.queue !== null) this.#parts.queues().note(execution.queue);
		else if (!delayed) {
			this.#claiming.fallBehind();
			this.#frontier.expect(execution.start_timestamp);
			if (execution.parent_id !== this.#onlyParent) this.#onlyParent = undefined;
		}
		this.#wake({ requested: !isQueued, delayed, ready: delayed });
		// Elsewhere, who looks at what is delayed looks at queues as well.
		this.#parts.announce({ delayed: delayed || isQueued });
	}

	/** Run here what the node that had it does not bring to its end, unless somebody else was faster. */
	takeOver(execution: ExecutionEntity): Promise<void> {
		return this.#claiming.takeOver(execution);
	}

	/** Run what this node may have claimed without knowing. */
	settleUnsure(): Promise<void> {
		return this.#claiming.settleUnsure();
	}

	/** Claims nothing from now on; resolves when claims under way are done. Runs go on. */
	async stop(): Promise<void> {
		this.#claiming.close();
		await this.#looks.stop();
		await this.#claiming.settled();
	}

	/** Resolves when nothing runs any more. */
	idle(): Promise<void> {
		return this.#claiming.idle();
	}

	async #look(): Promise<void> {
		const everything = this.#looksAtDelayed;
		this.#looksAtDelayed = false;
		await this.#claiming.settleUnsure();
		if (everything) await this.#survey();
		if (this.#looksAtReady) await this.#lookAtReady();
		await this.#turns.look({ hasPlaces: this.#claiming.places() > 0 });
		if (this.#delayed.isLeft) {
			// What is new waits behind it, and whoever has a place again looks.
			this.#claiming.fallBehind();
			if (this.#claiming.places() > 0) this.#wake();
		}
		if (!everything || !this.#looks.isOn) return;
		await this.#delayed.mark();
		await this.#planNext();
	}

	async #survey(): Promise<void> {
		const begun = this.#parts.clock.steady();
		this.#hasComeDue = false;
		// It stands among all that queues hold, so not at each look.
		this.#looksAtReleased ||= this.#released.isWholeDue;
		// Of what other nodes have stored late.
		this.#frontier.widen();
		await this.#parts.queues().survey({ released: this.#looksAtReleased });
		this.#delayed.survey(begun);
	}

	/** What has begun goes on before anything else begins. */
	async #lookAtReady(): Promise<void> {
		const ready = { status: { in: ["resuming", "canceling"] }, lease_expires_at: { lte: longAgo } } as const;
		const oldestFirst = [["start_timestamp", "asc"]] as const;
		while (this.#claiming.places() > 0) {
			this.#looksAtReady = false;
			if (!(await this.#claiming.claimLeft({ where: ready, orderBy: oldestFirst }))) return;
			this.#looksAtReady = true;
		}
	}

	/** What need not wait; what has been held back until now was there first. */
	async #lookAtOnce(): Promise<void> {
		if (this.#looksAtReleased) await this.#lookAtReleased();
		if (this.#looksAtRequested) await this.#lookAtRequested();
	}

	/** What has been held back goes on in the order in which it came. */
	async #lookAtReleased(): Promise<void> {
		const begun = toTimestamp(this.#parts.clock.now());
		while (this.#claiming.places() > 0) {
			if (!(await this.#claimFairly(atOnce("delayed", this.#released, begun)))) {
				this.#released.done();
				this.#looksAtReleased = false;
				return;
			}
			if (this.#othersWait()) return this.#goOnLater();
		}
	}

	async #lookAtRequested(): Promise<void> {
		this.#looksAtRequested = false;
		const begun = toTimestamp(this.#parts.clock.now());
		const isDone = await this.#claiming.claimAll(
			() => atOnce("requested", this.#frontier, begun),
			() => this.#othersWait(),
			(claim) => this.#claimFairly(claim, { isRequested: true }),
		);
		if (isDone) this.#frontier.done(begun);
		else this.#goOnLater();
	}

	/** Claims some of what matches. Children of a parent that nearly holds its share of the slots are claimed only if nothing else waits. */
	async #claimFairly(claim: Claim<"execution">, { isRequested = false } = {}): Promise<boolean> {
		const { full } = this.#shares;
		const limit = this.#shares.limitBeside(full);
		if (full === undefined) return this.#claiming.claimSome({ ...claim, limit });
		if (!isRequested || this.#onlyParent !== full) {
			// Before others are looked for, as `announce` resets it for those that come in meanwhile.
			if (isRequested) this.#onlyParent = full;
			const others = { where: { ...claim.where, parent_id: { not: full } }, orderBy: claim.orderBy, limit };
			if (await this.#claiming.claimSome(others)) {
				if (isRequested) this.#onlyParent = undefined;
				return true;
			}
		}
		return this.#claiming.claimSome(claim);
	}

	/** Whether somebody waits who would get nothing for as long as what need not wait takes the places that become free. */
	#othersWait(): boolean {
		return this.#delayed.isLeft || this.#parts.queues().isLookDue();
	}

	/** There may be places still, and nobody tells of those. */
	#goOnLater(): void {
		if (this.#claiming.places() > 0) this.#wake();
	}

	async #lookAtQueues(): Promise<void> {
		if (this.#looks.isOn) await this.#parts.queues().look(this.#starter);
	}

	async #startQueued(executions: readonly ExecutionEntity[], store: (claim: ExecutionPatch) => Promise<void>): Promise<void> {
		const places = this.#claiming.keep(executions.length);
		const patch = { ...places.claim, queue: null };
		const claimed = executions.map((execution) => applied(execution, patch));
		const settle = (outcome: Settlement) => {
			if (outcome === "stored") for (const execution of claimed) publishUpdated(this.#parts.eventBus, execution);
			places.settle(outcome, claimed);
		};
		await storeReserved({ entity: patch, settle }, store);
	}

	/** Look again at the poll interval, or sooner when a delayed execution is due. */
	async #planNext(): Promise<void> {
		const { clock, queues, pollInterval } = this.#parts;
		const poll = pollInterval * 1_000;
		const times = [await this.#delayed.nextDue(), queues().nextDue()].flatMap((time) => time ?? []);
		const due = Math.min(...times.map((time) => Math.max(1, Date.parse(time) + 1 - clock.steady() / 1_000)));
		if (due < poll) this.#looks.plan(due, () => this.#onDue(poll - due));
		else this.#plan(poll);
	}

	/** Something is due. Without a place nothing could be done for it, so that is not looked for before the poll interval has passed, or a place is free. */
	#onDue(rest: number): void {
		if (this.#claiming.places() > 0) return this.wake({ delayed: true });
		this.#hasComeDue = true;
		this.#plan(rest);
	}

	#plan(milliseconds: number): void {
		this.#looks.plan(milliseconds, () => this.wake({ delayed: true }));
	}
}

/** One of several that wait for the same places. */
interface Party {
	/** Whether it would take some. */
	readonly waits: () => boolean;
	/** Let it take what it needs of those that are free. */
	readonly look: () => Promise<void>;
}

/** Lets several have the places that are free, so that none takes every place for ever. */
class PlaceTurns {
	/** Whoever has not been first for the longest time comes first. */
	#parties: readonly Party[];

	constructor(parties: readonly Party[]) {
		this.#parties = parties;
	}

	/** Each looks once; first is, of those that wait, who has not been for the longest time. Only where there are places is that an advantage. */
	async look({ hasPlaces }: { readonly hasPlaces: boolean }): Promise<void> {
		const first = this.#parties.find(({ waits }) => waits());
		const others = this.#parties.filter((party) => party !== first);
		if (hasPlaces && first !== undefined) this.#parties = [...others, first];
		for (const party of first === undefined ? others : [first, ...others]) await party.look();
	}
}
