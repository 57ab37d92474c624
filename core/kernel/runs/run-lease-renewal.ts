import {
	type EventBus,
	type ExecutionEntity,
	type Instrument,
	isSvcError,
	type Logger,
	type Meters,
	RunAborted,
	type Storage,
} from "../../contract/index.ts";
import type { EngineClock } from "../basics/clock.ts";
import { type BusWatch, createBusWatch } from "../coordination/bus-listener.ts";
import { createLeaseTrust, type LeaseTrust } from "../coordination/expired-leases.ts";
import { type Leasing, toRenewalInterval, toRetryInterval } from "../coordination/lease-duration.ts";
import { eventNames, toExecutionId, toInterruptStatus } from "../executions/execution-events.ts";
import { heldStatuses } from "../executions/status.ts";
import type { HeldRuns } from "./active-runs.ts";

export interface LeasesParts {
	readonly storage: Storage;
	readonly eventBus: EventBus;
	readonly clock: EngineClock;
	readonly logger: Logger;
	readonly nodeId: string;
	readonly leasing: Leasing;
	readonly hub: Meters;
	readonly runs: HeldRuns;
	/** Called after each renewal. `isTrusted`: an expired lease of another node shows that this node is gone. */
	readonly onRenewed: (leases: { readonly isTrusted: boolean }) => Promise<void>;
}

/** Keeps the leases of this node's runs (architecture 4), ends the runs that it has lost, and has those of other nodes looked at. */
export class Leases {
	readonly #parts: LeasesParts;
	readonly #trust: LeaseTrust;
	readonly #watch: BusWatch;
	/** Milliseconds from one renewal to the next. */
	readonly #interval: number;
	/** The same after one that failed; also how long an answer is waited for before leases are looked at without it. */
	readonly #patience: number;
	#isStopped = false;
	#timer: NodeJS.Timeout | undefined;
	#watching: NodeJS.Timeout | undefined;
	/** When a renewal was begun that has not been answered yet. A process that stood still asks first, and may be in time. */
	#askedAt: number | undefined;
	#working: Promise<void> = Promise.resolve();
	/** Microseconds of steady time until which nobody can have taken anything over, as the storage served nobody. */
	#servedNobodyUntil = 0;
	readonly #renewals: Instrument;
	readonly #lost: Instrument;

	constructor(parts: LeasesParts) {
		this.#parts = parts;
		this.#interval = toRenewalInterval(parts.leasing.lease);
		this.#patience = toRetryInterval(parts.leasing.lease);
		this.#trust = createLeaseTrust(parts.leasing.lease);
		this.#watch = this.#createWatch();
		this.#renewals = parts.hub.counter({
			name: "svc_leases_total",
			help: "Leases of runs that this node has renewed, and those that it tried to renew in vain (failed).",
			labels: ["outcome"],
		});
		this.#lost = parts.hub.counter({
			name: "svc_leases_lost_total",
			help: "Runs that ended here as another node, or nobody, has them by now.",
		});
		parts.hub.gauge(
			{ name: "svc_executions_held", help: "Executions that run on this node, those that wait for their children included." },
			() => [[parts.runs.held().size]],
		);
	}

	/** Renews what this node holds from now on. */
	async start(): Promise<void> {
		await this.#watch.start();
		this.#plan(this.#interval);
		// By a timer of its own: a renewal may wait for an answer for longer than the lease.
		this.#watching = setInterval(() => this.#watchRenewal(), this.#patience);
	}

	async stop(): Promise<void> {
		this.#isStopped = true;
		this.#watch.stop();
		clearTimeout(this.#timer);
		clearInterval(this.#watching);
		await this.#working;
	}

	/** Follows changes made elsewhere to what runs here: a cancel, a pause, or a final status set from outside. */
	#createWatch(): BusWatch {
		const { runs, logger } = this.#parts;
		return createBusWatch({
			...this.#parts,
			names: [eventNames.runInterrupt],
			purpose: "cancels",
			filter: (event) => runs.has(toExecutionId(event) ?? ""),
			onEvent: (event) => {
				const id = toExecutionId(event) ?? "";
				const status = toInterruptStatus(event);
				if (!this.#follow({ id, status })) this.#lose(id);
			},
			// A renewal shows what is canceled, what is to pause, and what has been ended.
			onGap: () => {
				const renewing = this.#renew().catch((error: unknown) => logger.error("leases could not be kept", { error }));
				this.#working = Promise.all([this.#working, renewing]).then(() => {});
			},
		});
	}

	#plan(delay: number): void {
		if (this.#isStopped) return;
		this.#timer = setTimeout(() => {
			this.#working = this.#keep();
		}, delay);
	}

	async #keep(): Promise<void> {
		try {
			this.#trust.begin();
			this.#askedAt = performance.now();
			await this.#renew();
			this.#askedAt = undefined;
			await this.#parts.onRenewed({ isTrusted: this.#trust.isGiven() });
			this.#plan(this.#interval);
		} catch (error) {
			this.#renewals.record(1, "failed");
			this.#parts.logger.error("leases could not be kept", { error });
			this.#trust.lose();
			this.#askedAt = undefined;
			// The others, too, have to find it again first, and give everybody time to renew then.
			if (servesNobody(error)) this.#servedNobodyUntil = this.#parts.clock.steady() + this.#interval * 1_000;
			this.#letGo();
			this.#plan(this.#patience);
		}
	}

	/** Renew what is held; whatever is not this node's any more must stop. */
	async #renew(): Promise<void> {
		const { storage, nodeId, leasing, runs } = this.#parts;
		const held = runs.held();
		if (held.size === 0) return;
		const expires = leasing.expiry();
		// What carries this node's name but does not run here, because storage was away when it ended, must run out.
		const renewed = await storage.claim(
			"execution",
			{ where: { id: { in: [...held.keys()] }, owner: nodeId, status: { in: heldStatuses } }, limit: held.size },
			{ lease_expires_at: expires },
		);
		this.#renewals.record(renewed.length, "renewed");
		const fences = new Map(renewed.map(({ id, fence }) => [id, fence]));
		for (const [id, { fence }] of held) {
			if (fences.get(id) === fence) runs.prolong(id, expires);
			// A run that has just ended is not held in storage either; it is gone from here by then.
			else if (runs.has(id)) await this.#renewOne(id, fence, expires);
		}
		for (const execution of renewed) this.#follow(execution);
	}

	/** A claim passes over what a write of the run itself, such as one of its output, keeps locked at that moment. */
	async #renewOne(id: string, fence: string | null, expires: string): Promise<void> {
		const { storage, nodeId, runs } = this.#parts;
		const renewed: ExecutionEntity | undefined = await storage.update(
			"execution",
			id,
			{ lease_expires_at: expires },
			{ fence, owner: nodeId },
		);
		if (renewed === undefined) this.#lose(id);
		else runs.prolong(id, expires);
	}

	/** A renewal that has had no answer for long may never get one. */
	#watchRenewal(): void {
		if (this.#askedAt === undefined || performance.now() - this.#askedAt <= this.#patience) return;
		const asked = this.#askedAt;
		// After this process stood still the answer may have come, and be the next to be read.
		setImmediate(() => {
			if (this.#askedAt === asked) this.#letGo();
		});
	}

	/**
	 * What could not be renewed in time is somebody else's, or soon will be. It ends here although the storage cannot be asked: the work
	 * would be done twice otherwise.
	 */
	#letGo(): void {
		const { clock, leasing, runs, logger } = this.#parts;
		if (clock.steady() < this.#servedNobodyUntil) return;
		for (const [id, { leaseExpiresAt }] of runs.held()) {
			if (!leasing.hasRunOut(leaseExpiresAt)) continue;
			logger.warn("lease could not be renewed in time, the run ends here", { execution_id: id });
			this.#lose(id);
		}
	}

	#lose(id: string): void {
		this.#lost.record(1);
		this.#parts.runs.lose(id);
	}

	/** Tell a run what somebody has asked of it; false when its status says nothing of that kind. */
	#follow({ id, status }: Pick<ExecutionEntity, "id" | "status">): boolean {
		if (status === "canceling") this.#parts.runs.abort(id, new RunAborted("cancel", "canceled by user"));
		else if (status === "pausing") this.#parts.runs.pause(id);
		else return false;
		return true;
	}
}

/** The storage has said itself that it is away, for everybody. */
function servesNobody(error: unknown): boolean {
	return isSvcError(error, "SVC_UNAVAILABLE") && error.facts["refused"] === true;
}
