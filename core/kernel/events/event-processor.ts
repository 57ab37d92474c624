import type { Clock, EventBus, Instrument, Logger, Storage, TraceEntity, TriggerInstanceEntity, Where } from "../../contract/index.ts";
import { Looks } from "../../lib/poll-loop.ts";
import { outlastOutage } from "../../lib/retry-while-unavailable.ts";
import { type BusWatch, createBusWatch } from "../coordination/bus-listener.ts";
import { Frontier } from "../coordination/claim-cursor.ts";
import { type Claim, Claiming, type Reservation } from "../coordination/claimer.ts";
import { LapsedLeases } from "../coordination/expired-leases.ts";
import { HeldLease } from "../coordination/lease.ts";
import type { Leasing } from "../coordination/lease-duration.ts";
import { eventOutcomes } from "../telemetry/engine-metrics.ts";
import type { TelemetryHub } from "../telemetry/telemetry-hub.ts";
import type { Reactor, StoreEvent } from "./event-handler.ts";

export interface ProcessorParts {
	readonly storage: Storage;
	readonly eventBus: EventBus;
	readonly clock: Clock;
	readonly leasing: Leasing;
	readonly hub: TelemetryHub;
	readonly logger: Logger;
	readonly reactor: () => Reactor;
	readonly nodeId: string;
	/** Most events at once. */
	readonly poolSize: number;
	/** Seconds. */
	readonly pollInterval: number;
}

const eventName = "svc.trigger_instance__pending";
/** Events claimed with one write; those that wait for a place are few enough to be held in memory. */
const claimLimit = 64;

function pending(frontier: Frontier): Claim<"trigger_instance"> {
	const where = { status: "pending", occurrence_time: frontier.ahead() } as const;
	return { where, orderBy: [["occurrence_time", "asc"]], reach: ({ occurrence_time }) => frontier.reach(occurrence_time) };
}

/** Claims events and has them processed, at most `poolSize` at a time. */
export class Processor {
	readonly #parts: ProcessorParts;
	readonly #claiming: Claiming<"trigger_instance">;
	readonly #looks: Looks;
	readonly #watch: BusWatch;
	readonly #frontier = new Frontier();
	readonly #lapsed: LapsedLeases;
	readonly #outcomes: Instrument;
	readonly #processing: Instrument;
	/** Whether the next look is also for what others have left. */
	#looksForLeft = false;

	constructor(parts: ProcessorParts) {
		this.#parts = parts;
		this.#lapsed = new LapsedLeases(parts.leasing);
		this.#claiming = new Claiming({
			...parts,
			kind: "trigger_instance",
			claimLimit,
			claimsAhead: true,
			toClaim: () => ({ status: "processing", attempt: 1 }),
			claimed: { status: "processing" },
			work: (instance) => this.#process(instance),
			onTakenOver: ({ id, attempt }) => parts.logger.info("trigger instance taken over", { trigger_instance_id: id, attempt }),
			onRoom: () => {
				if (this.#claiming.isBehind) this.#looks.wake();
			},
		});
		this.#outcomes = parts.hub.counter(eventOutcomes);
		this.#processing = parts.hub.histogram({
			name: "svc_trigger_instance_processing_seconds",
			help: "From an event to the end of what was done about it. Events that concern nobody are left out.",
			buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 60],
		});
		this.#looks = new Looks({
			look: () => this.#look(),
			onError: (error) => parts.logger.error("looking for trigger instances failed", { error }),
		});
		const look = () => this.#looks.wake();
		this.#watch = createBusWatch({
			...parts,
			names: [eventName],
			purpose: "trigger instances of other nodes",
			filter: ({ data }) => data["node_id"] !== parts.nodeId,
			onEvent: look,
			onGap: look,
		});
	}

	/** Takes over at once what an earlier process left, when no other process can hold anything. Also again, after `stop`. */
	async start(): Promise<void> {
		const { leasing } = this.#parts;
		await this.#watch.start();
		this.#claiming.open();
		this.#looks.start();
		if (!leasing.isShared) while ((await this.#takeOver(leasing.left())) === claimLimit);
		this.#looks.wake();
		this.#plan();
	}

	/** Something has been stored: look for it, here and on other nodes. */
	wake(): void {
		const { eventBus, nodeId } = this.#parts;
		this.#looks.wake();
		if (eventBus.capabilities.shared === true) eventBus.publish(eventName, { node_id: nodeId });
	}

	/**
	 * Do about a new event what is to be done, in the write that stores it, which saves the writes of its processing. Needs a place, so that
	 * events that come in faster than they are worked off are stored first. False: nothing is stored.
	 */
	async actAtOnce(instance: TriggerInstanceEntity, trace: TraceEntity | undefined, store: StoreEvent): Promise<boolean> {
		// What cannot be told now is told when the event is processed.
		const look = await this.#parts
			.reactor()
			.lookFirst(instance)
			.catch(() => undefined);
		if (look === undefined) return false;
		if (look.concernsNobody) return this.#told("dismissed", await look.act(trace, store));
		const place = this.#claiming.reserve();
		if (place === undefined) return false;
		try {
			const hasActed = await look.act(trace, store);
			// That it is processed is told of what is stored.
			if (hasActed) this.#measure(instance);
			return this.#told("acted", hasActed);
		} finally {
			// It was never claimed.
			place.giveBack();
		}
	}

	/** A new event: as already claimed when there is a place for it at once, which saves its claim. */
	reserve(instance: TriggerInstanceEntity): Reservation<TriggerInstanceEntity> {
		const place = this.#claiming.reserve();
		if (place === undefined) return this.#toStoreOnly(instance);
		const claimed = { ...instance, ...place.claim } as TriggerInstanceEntity;
		return { entity: claimed, settle: (outcome) => place.settle(outcome, [claimed]) };
	}

	/** Claims nothing from now on; resolves when what is claimed is done. */
	async stop(): Promise<void> {
		this.#claiming.close();
		this.#watch.stop();
		await this.#looks.stop();
		await this.#claiming.settled();
		await this.#claiming.idle();
	}

	#toStoreOnly(instance: TriggerInstanceEntity): Reservation<TriggerInstanceEntity> {
		return {
			entity: instance,
			settle: (outcome) => {
				if (outcome === "stored") this.wake();
			},
		};
	}

	async #look(): Promise<void> {
		if (this.#looksForLeft) await this.#lookForLeft();
		await this.#claiming.settleUnsure();
		// Not up to now: what has happened may be told of later.
		if (await this.#claiming.claimAll(() => pending(this.#frontier))) this.#frontier.done();
	}

	/** Apart from the look for what is new, which must go on when this fails. */
	async #lookForLeft(): Promise<void> {
		this.#looksForLeft = false;
		try {
			if (this.#claiming.places() > 0) await this.#lapsed.look(async (lapsed) => (await this.#takeOver(lapsed)) < claimLimit);
		} catch (error) {
			this.#parts.logger.error("looking for abandoned trigger instances failed", { error });
		}
		this.#plan();
	}

	#plan(): void {
		this.#looks.plan(this.#parts.pollInterval * 1_000, () => {
			this.#looksForLeft = true;
			this.#looks.wake();
		});
	}

	/** Claim again what somebody claimed and did not bring to its end: how many there were. */
	async #takeOver(where: Where<TriggerInstanceEntity>): Promise<number> {
		const left = await this.#parts.storage.find("trigger_instance", { where: { status: "processing", ...where }, limit: claimLimit });
		for (const instance of left) await this.#claiming.takeOver(instance, { attempt: instance.attempt + 1 });
		return left.length;
	}

	async #process(instance: TriggerInstanceEntity): Promise<void> {
		const { logger, leasing, reactor } = this.#parts;
		const { id, fence, lease_expires_at } = instance;
		const fields = { trigger_instance_id: id };
		const taken = { fence: fence ?? "", lease_expires_at };
		const lease = new HeldLease(leasing, { kind: "trigger_instance", id, taken, expected: { status: "processing" } });
		const attempt = async (isRetry: boolean) => {
			// It may have waited for its place for long.
			if (!(await lease.keep())) return;
			// What was done about it before the storage went away is read again.
			await reactor().react(isRetry ? { ...instance, attempt: Math.max(instance.attempt, 2) } : instance, lease);
			this.#count(instance);
		};
		try {
			await outlastOutage(attempt, {
				isOver: () => !this.#looks.isOn,
				onOutage: (error) => logger.warn("a trigger instance waits for the storage", { ...fields, error }),
			});
		} catch (error) {
			logger.warn("processing of a trigger instance is put off", { ...fields, error });
		}
	}

	#count(instance: TriggerInstanceEntity): void {
		this.#parts.hub.processed(instance);
		this.#measure(instance);
	}

	#told(outcome: string, isStored: boolean): boolean {
		if (isStored) this.#outcomes.record(1, outcome);
		return isStored;
	}

	#measure(instance: TriggerInstanceEntity): void {
		const { clock } = this.#parts;
		this.#processing.record(Math.max(0, (clock.now() / 1_000 - Date.parse(instance.occurrence_time)) / 1_000));
	}
}
