import { randomUUID } from "node:crypto";
import type { EventBus, Logger, Storage, TriggerInstanceEntity } from "../../contract/index.ts";
import { type EngineClock, toTimestamp } from "../basics/clock.ts";
import { createBusWatch } from "../work/bus-watch.ts";
import { toAbandonedBefore, toExpiry } from "../work/lease-time.ts";
import { outlastOutage } from "../work/outage.ts";
import type { Reactor } from "./reactor.ts";

export interface ProcessorParts {
	readonly storage: Storage;
	readonly eventBus: EventBus;
	readonly clock: EngineClock;
	readonly logger: Logger;
	readonly reactor: () => Reactor;
	readonly nodeId: string;
	/** Most events at once. */
	readonly poolSize: number;
	/** Seconds. */
	readonly pollInterval: number;
	/** Seconds. */
	readonly lease: number;
}

/** Claims events and has them processed, at most `poolSize` at a time. */
export interface Processor {
	/** Takes over at once what an earlier process left, when no other process can hold anything. Also again, after `stop`. */
	start(): Promise<void>;
	/** Something has been stored: look for it, here and on other nodes. */
	wake(): void;
	/** The event as it is to be stored when nothing will be done about it, which saves its processing; undefined otherwise. */
	dismiss(instance: TriggerInstanceEntity): Promise<TriggerInstanceEntity | undefined>;
	/**
	 * The event as it is to be stored when there is a place for it at once, which saves its claim; undefined otherwise. Call
	 * `settle` afterwards in any case.
	 */
	reserve(instance: TriggerInstanceEntity): Reservation | undefined;
	/** Claims nothing from now on; resolves when what is claimed is done. */
	stop(): Promise<void>;
}

export interface Reservation {
	readonly claimed: TriggerInstanceEntity;
	/** `unsure`: the answer was lost, so that it may be stored or not. */
	settle(outcome: "stored" | "refused" | "unsure"): void;
}

const eventName = "svc.trigger_instance__pending";
/** Events claimed with one write; those that wait for a place are few enough to be held in memory. */
const claimLimit = 64;

export function createProcessor(parts: ProcessorParts): Processor {
	const { storage, eventBus, clock, logger, nodeId } = parts;
	const running = new Set<Promise<void>>();
	const queue: TriggerInstanceEntity[] = [];
	let reserved = 0;
	/** Perhaps something waits in storage, and what is new must wait behind it. */
	let isBehind = true;
	let looking: Promise<void> | undefined;
	/** Woken while looking. */
	let again = false;
	let timer: NodeJS.Timeout | undefined;
	let stopped = true;

	const toLease = () => ({
		status: "processing" as const,
		owner: nodeId,
		fence: randomUUID(),
		lease_expires_at: toExpiry(clock, parts.lease),
	});
	const watch = createBusWatch({
		...parts,
		names: [eventName],
		purpose: "trigger instances of other nodes",
		filter: ({ data }) => data["node_id"] !== nodeId,
		onEvent: look,
		onGap: look,
	});
	/** Fences of claims whose outcome is not known: what they have claimed is found by them. */
	const unsure = new Set<string>();
	const places = () => parts.poolSize - running.size - queue.length - reserved;

	async function claim(): Promise<void> {
		await findUnsure();
		while (!stopped && places() > 0) {
			const lease = toLease();
			// Until the answer is there.
			unsure.add(lease.fence);
			const claimed = await storage.claim(
				"trigger_instance",
				{ where: { status: "pending" }, orderBy: [["occurrence_time", "asc"]], limit: claimLimit },
				{ ...lease, attempt: 1 },
			);
			unsure.delete(lease.fence);
			isBehind = claimed.length === claimLimit;
			queue.push(...claimed);
			fill();
			if (!isBehind) return;
		}
		isBehind = true;
	}

	/** Claims whose answer was lost may have happened. */
	async function findUnsure(): Promise<void> {
		if (unsure.size === 0) return;
		const fences = [...unsure];
		queue.push(...(await storage.find("trigger_instance", { where: { status: "processing", fence: { in: fences } } })));
		for (const fence of fences) unsure.delete(fence);
		fill();
	}

	/** Claim again what somebody claimed and did not bring to its end. */
	async function takeOver(where: { readonly owner: { readonly not: string } } | { readonly lease_expires_at: { readonly lt: string } }) {
		const left = await storage.find("trigger_instance", { where: { status: "processing", ...where }, limit: claimLimit });
		for (const { id, attempt, fence } of left) {
			const taken = await storage.update("trigger_instance", id, { ...toLease(), attempt: attempt + 1 }, { status: "processing", fence });
			if (taken === undefined) continue;
			logger.info("trigger instance taken over", { trigger_instance_id: id, attempt: taken.attempt });
			queue.push(taken);
		}
		fill();
		return left.length;
	}

	function fill(): void {
		while (running.size + reserved < parts.poolSize) {
			const next = queue.shift();
			if (next === undefined) return;
			begin(next);
		}
	}

	function begin(instance: TriggerInstanceEntity): void {
		const work = processHeld(instance)
			.catch((error: unknown) => logger.warn("processing of a trigger instance is put off", { trigger_instance_id: instance.id, error }))
			.finally(() => {
				running.delete(work);
				fill();
				if (isBehind) look();
			});
		running.add(work);
	}

	async function processHeld(instance: TriggerInstanceEntity): Promise<void> {
		let { lease_expires_at: expires } = instance;
		const keep = async () => {
			const now = clock.steady();
			if (expires !== null && toTimestamp(now + (parts.lease * 2_000_000) / 3) < expires) return true;
			const renewed = toExpiry(clock, parts.lease);
			const expected = { status: "processing", fence: instance.fence } as const;
			if ((await storage.update("trigger_instance", instance.id, { lease_expires_at: renewed }, expected)) === undefined) return false;
			expires = renewed;
			return true;
		};
		const attempt = async (isRetry: boolean) => {
			// It may have waited for its place for long.
			if (!(await keep())) return;
			// What was done about it before the storage went away is read again.
			await parts.reactor().react(isRetry ? { ...instance, attempt: Math.max(instance.attempt, 2) } : instance, { keep });
		};
		await outlastOutage(attempt, {
			isOver: () => stopped,
			onOutage: (error) => logger.warn("a trigger instance waits for the storage", { trigger_instance_id: instance.id, error }),
		});
	}

	function look(): void {
		if (stopped) return;
		again = true;
		looking ??= lookRepeatedly().finally(() => {
			looking = undefined;
			if (again) look();
		});
	}

	async function lookRepeatedly(): Promise<void> {
		try {
			while (again && !stopped) {
				again = false;
				await claim();
			}
		} catch (error) {
			again = false;
			logger.error("looking for trigger instances failed", { error });
		}
	}

	async function poll(): Promise<void> {
		try {
			if (places() > 0) await takeOver({ lease_expires_at: { lt: toAbandonedBefore(clock, parts.lease) } });
		} catch (error) {
			logger.error("looking for abandoned trigger instances failed", { error });
		}
		look();
		plan();
	}

	function plan(): void {
		if (!stopped) timer = setTimeout(() => void poll(), parts.pollInterval * 1_000);
	}

	return {
		async start() {
			await watch.start();
			stopped = false;
			// A storage that only one process can use holds nothing of a living node but this one's.
			if (storage.capabilities.shared !== true) while ((await takeOver({ owner: { not: nodeId } })) === claimLimit);
			look();
			plan();
		},
		wake() {
			look();
			if (eventBus.capabilities.shared === true) eventBus.publish(eventName, { node_id: nodeId });
		},
		async dismiss(instance) {
			// What cannot be told now is told when the event is processed.
			const isDismissed = await parts
				.reactor()
				.concernsNobody(instance)
				.catch(() => false);
			return isDismissed ? { ...instance, status: "processed" } : undefined;
		},
		reserve(instance) {
			if (stopped || isBehind || places() <= 0) return undefined;
			reserved += 1;
			const claimed = { ...instance, ...toLease(), attempt: 1 };
			return {
				claimed,
				settle(outcome) {
					reserved -= 1;
					if (outcome === "unsure") unsure.add(claimed.fence);
					if (outcome === "stored") begin(claimed);
					else fill();
				},
			};
		},
		async stop() {
			stopped = true;
			clearTimeout(timer);
			watch.stop();
			await looking;
			while (running.size > 0) await Promise.all(running);
		},
	};
}
