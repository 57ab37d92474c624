import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import {
	type BusEvent,
	type Clock,
	type EventBus,
	type ExecutionEntity,
	isSvcError,
	type Logger,
	RunAborted,
	type Storage,
	type Where,
} from "../contract/index.ts";
import { toTimestamp } from "./clock.ts";
import { eventNames, publishUpdated, toEventEntity, toExecutionId } from "./execution-events.ts";
import type { Executor } from "./executor.ts";
import { heldStatuses, isCompleted } from "./status.ts";
import { applied, toResultPatch, toStatusPatch } from "./transition.ts";
import type { Completions } from "./triggers/completions.ts";

export interface LeaseOptions {
	readonly storage: Storage;
	readonly eventBus: EventBus;
	readonly clock: Clock;
	readonly logger: Logger;
	readonly executor: Executor;
	readonly nodeId: string;
	readonly completions: Completions;
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
	/** Takes over at once what an earlier process left, when no other process can hold anything; then keeps watch. */
	start(): Promise<void>;
	stop(): Promise<void>;
}

export function createLeases(options: LeaseOptions): Leases {
	const { storage, clock, executor, nodeId } = options;
	const watching = new AbortController();
	let timer: NodeJS.Timeout | undefined;
	let working: Promise<void> = Promise.resolve();

	const expiry = () => toTimestamp(clock.now() + options.lease * 1_000_000);

	/** Renew what is held; whatever is not this node's any more must stop. */
	async function renew(): Promise<void> {
		const held = executor.held();
		if (held.size === 0) return;
		const expires = expiry();
		// What carries this node's name but does not run here, because storage was away when it ended, must run out.
		const renewed = await storage.claim(
			"execution",
			{ where: { id: { in: [...held.keys()] }, owner: nodeId, status: { in: heldStatuses } }, limit: held.size },
			{ lease_expires_at: expires },
		);
		const fences = new Map(renewed.map(({ id, fence }) => [id, fence]));
		for (const [id, fence] of held) {
			if (fences.get(id) === fence) executor.prolong(id, expires);
			// A run that has just ended is not held in storage either; it is gone from the executor by then.
			else if (executor.holds(id)) await check(id, fence);
		}
		for (const execution of renewed) if (execution.status === "canceling") abortCanceled(execution);
	}

	async function check(id: string, fence: string | null): Promise<void> {
		const stored = await storage.get("execution", id);
		if (stored?.fence !== fence) executor.lose(id);
	}

	function abortCanceled(execution: ExecutionEntity): void {
		executor.abort(execution.id, new RunAborted("cancel", "canceled by user"));
	}

	/** Take over what matches: executions whose holder is gone. */
	async function sweep(where: Where<ExecutionEntity>): Promise<void> {
		const left = await storage.find("execution", { where: { ...where, status: { in: heldStatuses } } });
		for (const execution of left) {
			if (execution.status === "scheduled" || executor.recovers(execution)) await takeOver(execution);
			else await end(execution);
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
		const patch = { owner: nodeId, fence: randomUUID(), lease_expires_at: expiry() };
		const taken = await storage.update("execution", execution.id, patch, { status: execution.status, fence: execution.fence });
		if (taken === undefined) return;
		options.logger.info("execution taken over", { execution_id: execution.id });
		options.adopt(taken);
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
		const completion = await options.completions.draft(ended);
		try {
			// The token of its action goes with it; whoever renewed the lease in the meantime keeps both.
			await storage.write([
				{ update: "execution", id: execution.id, patch, expected: { status: execution.status, fence: execution.fence } },
				{ remove: "token", where: { id: execution.liveaction_id } },
				...completion.operations,
			]);
		} catch (error) {
			if (isSvcError(error, "SVC_CONFLICT")) return;
			throw error;
		}
		completion.announce();
		publishUpdated(options.eventBus, ended);
		options.logger.warn("execution ended for a node that went away", { execution_id: ended.id, status: ended.status });
	}

	async function keep(): Promise<void> {
		try {
			await renew();
			await sweep({ lease_expires_at: { lt: toTimestamp(clock.now()) } });
		} catch (error) {
			options.logger.error("leases could not be kept", { error });
		}
		plan();
	}

	function plan(): void {
		if (watching.signal.aborted) return;
		timer = setTimeout(
			() => {
				working = keep();
			},
			(options.lease * 1_000) / 3,
		);
	}

	/** Follow changes made elsewhere to what runs here: a cancel, or a final status set from outside. */
	async function watch(): Promise<void> {
		const events = await options.eventBus.subscribe([eventNames.executionUpdate], {
			signal: watching.signal,
			filter: (event) => {
				const id = toExecutionId(event);
				if (id === undefined || !executor.holds(id)) return false;
				const { status } = toEventEntity(event);
				return status === "canceling" || isCompleted(status);
			},
		});
		void obey(events).catch(async (error: unknown) => {
			options.logger.warn("watching for cancels was interrupted", { error });
			// What was missed shows at the next renewal.
			await watch().catch((failure: unknown) => options.logger.error("watching for cancels ended", { error: failure }));
		});
	}

	async function obey(events: AsyncIterable<BusEvent>): Promise<void> {
		for await (const event of events) {
			const entity = toEventEntity(event);
			if (entity.status === "canceling") abortCanceled(entity);
			else if (executor.holds(entity.id)) executor.lose(entity.id);
		}
	}

	return {
		async start() {
			await watch();
			// A storage that only one process can use holds nothing of a living node but this one's.
			if (storage.capabilities.shared !== true) await sweep({ owner: { not: nodeId } });
			else await findLeft();
			plan();
		},
		async stop() {
			watching.abort();
			clearTimeout(timer);
			await working;
		},
	};
}
