import { randomUUID } from "node:crypto";
import { append, type EventBus, type ExecutionEntity, isSvcError, type Logger, type Storage, type Where } from "../../contract/index.ts";
import { type EngineClock, toTimestamp } from "../basics/clock.ts";
import { toExpiry } from "../work/lease-time.ts";
import { publishCreated, publishUpdated } from "./execution-events.ts";
import type { Queues, Starter } from "./queues.ts";
import { applied, type ExecutionPatch } from "./transition.ts";

export interface SchedulerOptions {
	readonly storage: Storage;
	readonly eventBus: EventBus;
	readonly clock: EngineClock;
	readonly logger: Logger;
	readonly nodeId: string;
	/** Most executions at once. */
	readonly poolSize: number;
	/** Seconds. */
	readonly pollInterval: number;
	/** Seconds. */
	readonly lease: number;
	/** Tell schedulers of other nodes that something waits to be claimed; `delayed` when it is not due yet. */
	readonly announce: (work: { readonly delayed: boolean }) => void;
	/** Executions that must wait, which nobody may claim otherwise. */
	readonly queues: () => Queues;
	/** Run a claimed execution to its end; never rejects. */
	readonly run: (execution: ExecutionEntity) => Promise<void>;
	/** Whether an execution runs here. */
	readonly holds: (executionId: string) => boolean;
}

/** Claims executions that are due and hands them to `run`, at most `poolSize` at a time. */
export interface Scheduler {
	/** Begin to claim; also again, after `stop`. */
	start(): void;
	/** Perhaps there is something to claim. Does nothing unless started. */
	wake(work?: { readonly delayed?: boolean }): void;
	/**
	 * Let `store` keep a new execution, tell of it, and see to its being run. When there is a place for it at once it is stored as
	 * already claimed, which saves the claim.
	 */
	admit(execution: ExecutionEntity, store: (entity: ExecutionEntity) => Promise<void>): Promise<void>;
	/** Tell of a new execution that has been stored, and see to its being run. */
	announce(execution: ExecutionEntity): void;
	/** Run an execution that is already claimed by this node. */
	adopt(execution: ExecutionEntity): void;
	/** Claims nothing from now on; resolves when claims under way are done. Runs go on. */
	stop(): Promise<void>;
	/** Resolves when nothing runs any more. */
	idle(): Promise<void>;
}

/** Claims are small, so that the first of many starts soon and several nodes share the work. */
const claimLimit = 16;

/**
 * What is to be run as soon as it is there. Whether it is due by the clock of this node is not asked: the one that took it in may have
 * another clock.
 */
const atOnce: Where<ExecutionEntity> = { status: "requested", delay: null };

export function createScheduler(options: SchedulerOptions): Scheduler {
	const { storage, clock, queues } = options;
	const running = new Set<Promise<void>>();
	/** Being stored as claimed. */
	const admitting = new Set<Promise<void>>();
	/** Places kept for what is being claimed from queues. */
	let kept = 0;
	/** Perhaps something waits in storage, and what is new must wait behind it. */
	let isBehind = true;
	/** Fences of claims whose outcome is not known: what they have claimed is found by them. */
	const unsure = new Set<string>();
	let timer: NodeJS.Timeout | undefined;
	let looking: Promise<void> | undefined;
	/** Woken while looking. */
	let again = false;
	/** Whether the next look is also at what is requested: not when only queues are to be looked at. */
	let lookAtRequested = false;
	/** Whether the next look is also at what is delayed; most are not, as that costs three more statements. */
	let lookAtDelayed = false;
	let stopped = true;
	let isHeard = false;
	/** Whether queues were looked at first last time. */
	let queuesFirst = false;

	/** Move some of `what` to scheduled; each claim has a fence of its own. */
	async function claim(what: Where<ExecutionEntity>): Promise<number> {
		const limit = Math.min(claimLimit, places());
		if (limit <= 0) {
			isBehind = true;
			return 0;
		}
		const patch = toClaim();
		// Until the answer is there.
		unsure.add(patch.fence);
		const claimed = await storage.claim(
			"execution",
			{ where: { ...what, queue: null }, orderBy: [["due_timestamp", "asc"]], limit },
			patch,
		);
		unsure.delete(patch.fence);
		if (what === atOnce && claimed.length < limit) isBehind = false;
		for (const execution of claimed) {
			publishUpdated(options.eventBus, execution);
			adopt(execution);
		}
		return claimed.length;
	}

	/** Claims whose answer was lost may have happened. */
	async function findUnsure(): Promise<void> {
		if (unsure.size === 0) return;
		const fences = [...unsure];
		const found = await storage.find("execution", { where: { status: "scheduled", fence: { in: fences } } });
		for (const fence of fences) unsure.delete(fence);
		for (const execution of found) if (!options.holds(execution.id)) adopt(execution);
	}

	function toClaim(): ExecutionPatch & { readonly fence: string } {
		return {
			status: "scheduled",
			log: append({ status: "scheduled", timestamp: toTimestamp(clock.now()) }),
			owner: options.nodeId,
			fence: randomUUID(),
			lease_expires_at: toExpiry(clock, options.lease),
		};
	}

	function places(): number {
		return options.poolSize - running.size - admitting.size - kept;
	}

	const starter: Starter = {
		places: () => (stopped ? 0 : Math.max(0, places())),
		async start(executions, store) {
			const patch = { ...toClaim(), queue: null };
			kept += executions.length;
			// Until the answer is there.
			unsure.add(patch.fence);
			await store(patch)
				.catch((error: unknown) => {
					if (!isSvcError(error, "SVC_UNAVAILABLE")) unsure.delete(patch.fence);
					throw error;
				})
				.finally(() => {
					kept -= executions.length;
				});
			unsure.delete(patch.fence);
			for (const execution of executions) {
				const claimed = applied(execution, patch);
				publishUpdated(options.eventBus, claimed);
				adopt(claimed);
			}
		},
		release: () => wake({ delayed: true }),
	};

	/** What is not due yet shows that it waits. */
	async function delay(): Promise<void> {
		const due = toTimestamp(clock.steady());
		const delayed = await storage.claim(
			"execution",
			// Only what was asked to wait: what comes in while this is on its way to the storage is due later than `now` as well.
			{ where: { status: "requested", delay: { not: null }, due_timestamp: { gt: due } }, limit: 100 },
			{ status: "delayed", log: append({ status: "delayed", timestamp: toTimestamp(clock.now()) }) },
		);
		for (const execution of delayed) publishUpdated(options.eventBus, execution);
	}

	async function look(): Promise<void> {
		do {
			const everything = lookAtDelayed;
			const requested = lookAtRequested;
			again = false;
			lookAtDelayed = false;
			lookAtRequested = false;
			await findUnsure();
			const begun = clock.steady();
			if (everything) await queues().survey();
			// Neither may take every place for ever.
			queuesFirst = !queuesFirst;
			if (queuesFirst && !stopped) await queues().look(starter);
			while (requested && !stopped && (await claim(atOnce)) === claimLimit);
			if (!queuesFirst && !stopped) await queues().look(starter);
			if (everything && !stopped) {
				// Nothing that has come due since the survey, which puts into queues what belongs there.
				const due_timestamp = { lte: toTimestamp(begun) };
				await claim({ status: "delayed", due_timestamp });
				await claim({ status: "requested", delay: { not: null }, due_timestamp });
				await delay();
				await planNext();
			}
		} while (again && !stopped);
	}

	/** Look again at the poll interval, or sooner when a delayed execution is due. */
	async function planNext(): Promise<void> {
		const [next] = await storage.find("execution", {
			where: { status: "delayed", queue: null },
			orderBy: [["due_timestamp", "asc"]],
			limit: 1,
			fields: ["due_timestamp"],
		});
		const times = [next?.due_timestamp, queues().nextDue()].flatMap((time) => time ?? []);
		plan(Math.min(options.pollInterval * 1_000, ...times.map((time) => Math.max(1, Date.parse(time) + 1 - clock.steady() / 1_000))));
	}

	function plan(milliseconds: number): void {
		clearTimeout(timer);
		if (!stopped) timer = setTimeout(() => wake({ delayed: true }), milliseconds);
	}

	function wake({ requested = true, delayed = false } = {}): void {
		if (stopped) return;
		again = true;
		lookAtRequested ||= requested;
		lookAtDelayed ||= delayed;
		if (looking !== undefined) return;
		looking = look()
			.catch((error: unknown) => {
				options.logger.error("looking for due executions failed", { error });
				again = false;
				plan(options.pollInterval * 1_000);
			})
			.finally(() => {
				looking = undefined;
				if (again) wake({ requested: lookAtRequested });
			});
	}

	async function admit(execution: ExecutionEntity, store: (entity: ExecutionEntity) => Promise<void>): Promise<void> {
		const queue = queues().queueOf(execution.action_ref);
		if (queue !== null) {
			const queued = { ...execution, queue };
			await store(queued);
			announce(queued);
			return;
		}
		if (stopped || isBehind || places() <= 0 || execution.delay !== null) {
			isBehind ||= execution.delay === null;
			await store(execution);
			announce(execution);
			return;
		}
		const claim = toClaim();
		const claimed = applied(execution, claim);
		const storing = store(claimed).then(() => {
			publishCreated(options.eventBus, execution);
			publishUpdated(options.eventBus, claimed);
			adopt(claimed);
		});
		admitting.add(storing);
		storing.catch((error: unknown) => {
			if (isSvcError(error, "SVC_UNAVAILABLE")) unsure.add(claim.fence);
		});
		await storing.finally(() => {
			admitting.delete(storing);
			if (isBehind || queues().isLookDue()) wake({ requested: isBehind });
		});
	}

	function announce(execution: ExecutionEntity): void {
		publishCreated(options.eventBus, execution);
		const delayed = execution.delay !== null;
		const isQueued = execution.queue !== null;
		if (execution.queue !== null) queues().note(execution.queue);
		else isBehind ||= !delayed;
		wake({ requested: !isQueued, delayed });
		// Elsewhere, who looks at what is delayed looks at queues as well.
		options.announce({ delayed: delayed || isQueued });
	}

	function adopt(execution: ExecutionEntity): void {
		const run = options.run(execution).finally(() => {
			running.delete(run);
			if (isBehind || queues().isLookDue()) wake({ requested: isBehind });
		});
		running.add(run);
	}

	return {
		start() {
			stopped = false;
			if (!isHeard) queues().onLookDue(({ survey }) => wake({ requested: survey, delayed: survey }));
			isHeard = true;
			wake({ delayed: true });
		},
		wake,
		admit,
		announce,
		adopt,
		async stop() {
			stopped = true;
			clearTimeout(timer);
			await Promise.allSettled([looking, ...admitting]);
		},
		async idle() {
			while (running.size > 0) await Promise.all(running);
		},
	};
}
