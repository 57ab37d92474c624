import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import {
	type EventBus,
	type ExecutionEntity,
	isSvcError,
	type Logger,
	RunAborted,
	type Storage,
	type Where,
} from "../../contract/index.ts";
import { type EngineClock, toTimestamp } from "../basics/clock.ts";
import type { Executor } from "../runs/executor.ts";
import { createBusWatch } from "../work/bus-watch.ts";
import { toAbandonedBefore, toExpiry, toRenewalInterval } from "../work/lease-time.ts";
import { createLeaseTrust } from "../work/lease-trust.ts";
import type { Endings } from "./endings.ts";
import { eventNames, publishInterrupt, publishUpdated, toExecutionId, toInterruptStatus } from "./execution-events.ts";
import { heldStatuses } from "./status.ts";
import { applied, toResultPatch, toStatusPatch } from "./transition.ts";

export interface LeaseOptions {
	readonly storage: Storage;
	readonly eventBus: EventBus;
	readonly clock: EngineClock;
	readonly logger: Logger;
	readonly executor: Pick<Executor, "runs" | "recovers">;
	readonly nodeId: string;
	readonly endings: Endings;
	/** Seconds. */
	readonly lease: number;
	/** Run an execution that a node which went away has scheduled, or go on with its run. */
	readonly adopt: (execution: ExecutionEntity) => void;
}

/**
 * Keeps the leases of this node's runs and takes over what nodes that went away have left (architecture 4): what was only
 * scheduled goes on here, and so does what its runner can find again; what else was running ends `abandoned`, or `canceled` when
 * that was under way.
 */
export interface Leases {
	/** Renews what this node holds from now on. */
	start(): Promise<void>;
	stop(): Promise<void>;
	readonly recovery: {
		/** Takes over at once what an earlier process left, when no other process can hold anything; then keeps watch. */
		start(): Promise<void>;
		/** Takes nothing over any more. What cannot go on is still ended. */
		stop(): Promise<void>;
	};
}

/** Milliseconds after which leases that could not be renewed are renewed again: others wait no longer than they must. */
const longestRetry = 1_000;

export function createLeases(options: LeaseOptions): Leases {
	const { storage, clock, executor, nodeId } = options;
	let isStopped = false;
	let timer: NodeJS.Timeout | undefined;
	let watching: NodeJS.Timeout | undefined;
	/** When a renewal was begun that has not been answered yet. A process that stood still asks first, and may be in time. */
	let askedAt: number | undefined;
	let working: Promise<void> = Promise.resolve();
	let isRecovering = false;
	const trust = createLeaseTrust(options.lease);
	/** Microseconds of steady time until which nobody can have taken anything over, as the storage served nobody. */
	let servedNobodyUntil = 0;
	/** Fences of take-overs whose outcome is not known, by execution. */
	const unsure = new Map<string, string>();
	const interval = toRenewalInterval(options.lease);
	const patience = Math.min(interval, longestRetry);

	const expiry = () => toExpiry(clock, options.lease);

	/** Renew what is held; whatever is not this node's any more must stop. */
	async function renew(): Promise<void> {
		const held = executor.runs.held();
		if (held.size === 0) return;
		const expires = expiry();
		// What carries this node's name but does not run here, because storage was away when it ended, must run out.
		const renewed = await storage.claim(
			"execution",
			{ where: { id: { in: [...held.keys()] }, owner: nodeId, status: { in: heldStatuses } }, limit: held.size },
			{ lease_expires_at: expires },
		);
		const fences = new Map(renewed.map(({ id, fence }) => [id, fence]));
		for (const [id, { fence }] of held) {
			if (fences.get(id) === fence) executor.runs.prolong(id, expires);
			// A run that has just ended is not held in storage either; it is gone from the executor by then.
			else if (executor.runs.has(id)) await renewOne(id, fence, expires);
		}
		for (const { id, status } of renewed) if (status === "canceling") abortCanceled(id);
	}

	/** A claim passes over what a write of the run itself, such as one of its output, keeps locked at that moment. */
	async function renewOne(id: string, fence: string | null, expires: string): Promise<void> {
		const renewed = await storage.update("execution", id, { lease_expires_at: expires }, { fence, owner: nodeId });
		if (renewed === undefined) executor.runs.lose(id);
		else executor.runs.prolong(id, expires);
	}

	/** A renewal that has had no answer for long may never get one. */
	function watchRenewal(): void {
		if (askedAt === undefined || performance.now() - askedAt <= patience) return;
		const asked = askedAt;
		// After this process stood still the answer may have come, and be the next to be read.
		setImmediate(() => {
			if (askedAt === asked) letGo();
		});
	}

	/**
	 * What could not be renewed in time is somebody else's, or soon will be. It ends here although the storage cannot be asked: the work
	 * would be done twice otherwise.
	 */
	function letGo(): void {
		if (storage.capabilities.shared !== true || clock.steady() < servedNobodyUntil) return;
		const now = toTimestamp(clock.steady());
		for (const [id, { leaseExpiresAt }] of executor.runs.held()) {
			if (leaseExpiresAt >= now) continue;
			options.logger.warn("lease could not be renewed in time, the run ends here", { execution_id: id });
			executor.runs.lose(id);
		}
	}

	function abortCanceled(id: string): void {
		executor.runs.abort(id, new RunAborted("cancel", "canceled by user"));
	}

	/** Take over what matches: executions whose holder is gone. */
	async function sweep(where: Where<ExecutionEntity>): Promise<void> {
		const left = await storage.find("execution", { where: { ...where, status: { in: heldStatuses } } });
		for (const execution of left) {
			if (execution.status !== "scheduled" && !executor.recovers(execution)) await end(execution);
			else if (isRecovering) await takeOver(execution);
		}
	}

	/** Take over what a node on this machine has left to go on without it. */
	async function findLeft(): Promise<void> {
		const left = await storage.find("execution", { where: { owner: null, status: { in: heldStatuses } } });
		for (const execution of left) {
			if (execution.run_state?.["hostname"] === hostname() && executor.recovers(execution)) await takeOver(execution);
		}
	}

	async function takeOver(execution: ExecutionEntity): Promise<void> {
		const fence = randomUUID();
		const patch = { owner: nodeId, fence, lease_expires_at: expiry() };
		// Until the answer is there.
		unsure.set(execution.id, fence);
		const taken = await storage.update("execution", execution.id, patch, { status: execution.status, fence: execution.fence });
		unsure.delete(execution.id);
		if (taken !== undefined) adopt(taken);
	}

	function adopt(taken: ExecutionEntity): void {
		options.logger.info("execution taken over", { execution_id: taken.id });
		options.adopt(taken);
	}

	/** Take-overs whose answer was lost may have happened. */
	async function settleUnsure(): Promise<void> {
		for (const [id, fence] of unsure) {
			const stored = await storage.get("execution", id);
			unsure.delete(id);
			if (stored?.fence === fence && heldStatuses.includes(stored.status)) adopt(stored);
		}
	}

	async function end(execution: ExecutionEntity): Promise<void> {
		const canceled = execution.status === "canceling";
		const result = canceled
			? { ...execution.result }
			: { ...execution.result, failed: true, succeeded: false, error: "the node that ran the action went away" };
		const patch = {
			...toStatusPatch(execution, canceled ? "canceled" : "abandoned", toTimestamp(clock.now())),
			...toResultPatch(result),
		};
		const ended = applied(execution, patch);
		const ending = await options.endings.draft(ended);
		try {
			// What its run was given goes with it; whoever renewed the lease in the meantime keeps both.
			await storage.write([
				{ update: "execution", id: execution.id, patch, expected: { status: execution.status, fence: execution.fence } },
				...options.endings.takeBack(execution),
				...ending.operations,
			]);
		} catch (error) {
			if (isSvcError(error, "SVC_CONFLICT")) return;
			throw error;
		}
		ending.announce();
		publishUpdated(options.eventBus, ended);
		publishInterrupt(options.eventBus, ended);
		options.logger.warn("execution ended for a node that went away", { execution_id: ended.id, status: ended.status });
	}

	async function keep(): Promise<void> {
		let delay = interval;
		try {
			trust.begin();
			askedAt = performance.now();
			await renew();
			askedAt = undefined;
			await settleUnsure();
			if (trust.isGiven()) await sweep({ lease_expires_at: { lt: toAbandonedBefore(clock, options.lease) } });
		} catch (error) {
			options.logger.error("leases could not be kept", { error });
			trust.lose();
			askedAt = undefined;
			// The others, too, have to find it again first, and give everybody time to renew then.
			if (isSvcError(error, "SVC_UNAVAILABLE") && error.facts["refused"] === true) servedNobodyUntil = clock.steady() + interval * 1_000;
			letGo();
			delay = patience;
		}
		plan(delay);
	}

	function plan(delay: number): void {
		if (isStopped) return;
		timer = setTimeout(() => {
			working = keep();
		}, delay);
	}

	/** Follows changes made elsewhere to what runs here: a cancel, or a final status set from outside. */
	const watch = createBusWatch({
		...options,
		names: [eventNames.runInterrupt],
		purpose: "cancels",
		filter: (event) => executor.runs.has(toExecutionId(event) ?? ""),
		onEvent(event) {
			const id = toExecutionId(event) ?? "";
			if (toInterruptStatus(event) === "canceling") abortCanceled(id);
			else if (executor.runs.has(id)) executor.runs.lose(id);
		},
		// A renewal shows what is canceled, and what has been ended.
		onGap() {
			const renewing = renew().catch((error: unknown) => options.logger.error("leases could not be kept", { error }));
			working = Promise.all([working, renewing]).then(() => {});
		},
	});

	return {
		async start() {
			await watch.start();
			plan(interval);
			// By a timer of its own: a renewal may wait for an answer for longer than the lease.
			watching = setInterval(watchRenewal, patience);
		},
		async stop() {
			isStopped = true;
			watch.stop();
			clearTimeout(timer);
			clearInterval(watching);
			await working;
		},
		recovery: {
			async start() {
				isRecovering = true;
				// A storage that only one process can use holds nothing of a living node but this one's.
				if (storage.capabilities.shared !== true) await sweep({ owner: { not: nodeId } });
				else await findLeft();
			},
			async stop() {
				isRecovering = false;
				await working;
			},
		},
	};
}
