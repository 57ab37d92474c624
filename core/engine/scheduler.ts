import { randomUUID } from "node:crypto";
import { append, type Clock, type EventBus, type ExecutionEntity, type Logger, type Storage } from "../contract/index.ts";
import { toTimestamp } from "./clock.ts";
import { publishCreated, publishUpdated } from "./execution-events.ts";
import { applied, type ExecutionPatch } from "./transition.ts";

export interface SchedulerOptions {
	readonly storage: Storage;
	readonly eventBus: EventBus;
	readonly clock: Clock;
	readonly logger: Logger;
	readonly nodeId: string;
	/** Most executions at once. */
	readonly poolSize: number;
	/** Seconds. */
	readonly pollInterval: number;
	/** Seconds. */
	readonly lease: number;
	/** Run a claimed execution to its end; never rejects. */
	readonly run: (execution: ExecutionEntity) => Promise<void>;
}

/** Claims executions that are due and hands them to `run`, at most `poolSize` at a time. */
export interface Scheduler {
	start(): void;
	/**
	 * Let `store` keep a new execution, tell of it, and see to its being run. When there is a place for it at once it is stored as
	 * already claimed, which saves the claim.
	 */
	admit(execution: ExecutionEntity, store: (entity: ExecutionEntity) => Promise<void>): Promise<void>;
	/** Run an execution that is already claimed by this node. */
	adopt(execution: ExecutionEntity): void;
	/** Claims nothing from now on; resolves when claims under way are done. Runs go on. */
	stop(): Promise<void>;
	/** Resolves when nothing runs any more. */
	idle(): Promise<void>;
}

/** Claims are small, so that the first of many starts soon and several nodes share the work. */
const claimLimit = 16;

export function createScheduler(options: SchedulerOptions): Scheduler {
	const { storage, clock } = options;
	const running = new Set<Promise<void>>();
	/** Being stored as claimed. */
	const admitting = new Set<Promise<void>>();
	/** Perhaps something waits in storage, and what is new must wait behind it. */
	let isBehind = true;
	let timer: NodeJS.Timeout | undefined;
	let looking: Promise<void> | undefined;
	/** Woken while looking. */
	let again = false;
	/** Whether the next look is also at what is delayed; most are not, as that costs three more statements. */
	let lookAtDelayed = false;
	let stopped = true;

	/** Move what is due and has `status` to scheduled; each claim has a fence of its own. */
	async function claim(status: "requested" | "delayed"): Promise<number> {
		const now = clock.now();
		const limit = Math.min(claimLimit, places());
		if (limit <= 0) {
			isBehind = true;
			return 0;
		}
		const claimed = await storage.claim(
			"execution",
			{ where: { status, due_timestamp: { lte: toTimestamp(now) } }, orderBy: [["due_timestamp", "asc"]], limit },
			toClaim(now),
		);
		if (status === "requested" && claimed.length < limit) isBehind = false;
		for (const execution of claimed) {
			publishUpdated(options.eventBus, execution);
			adopt(execution);
		}
		return claimed.length;
	}

	function toClaim(now: number): ExecutionPatch {
		return {
			status: "scheduled",
			log: append({ status: "scheduled", timestamp: toTimestamp(now) }),
			owner: options.nodeId,
			fence: randomUUID(),
			lease_expires_at: toTimestamp(now + options.lease * 1_000_000),
		};
	}

	function places(): number {
		return options.poolSize - running.size - admitting.size;
	}

	/** What is not due yet shows that it waits. */
	async function delay(): Promise<void> {
		const now = toTimestamp(clock.now());
		const delayed = await storage.claim(
			"execution",
			{ where: { status: "requested", due_timestamp: { gt: now } }, limit: 100 },
			{ status: "delayed", log: append({ status: "delayed", timestamp: now }) },
		);
		for (const execution of delayed) publishUpdated(options.eventBus, execution);
	}

	async function look(): Promise<void> {
		do {
			const everything = lookAtDelayed;
			again = false;
			lookAtDelayed = false;
			while (!stopped && (await claim("requested")) === claimLimit);
			if (everything && !stopped) {
				await claim("delayed");
				await delay();
				await planNext();
			}
		} while (again && !stopped);
	}

	/** Look again at the poll interval, or sooner when a delayed execution is due. */
	async function planNext(): Promise<void> {
		const [next] = await storage.find("execution", {
			where: { status: "delayed" },
			orderBy: [["due_timestamp", "asc"]],
			limit: 1,
			fields: ["due_timestamp"],
		});
		const interval = options.pollInterval * 1_000;
		plan(next === undefined ? interval : Math.min(interval, Math.max(1, Date.parse(next.due_timestamp) + 1 - clock.now() / 1_000)));
	}

	function plan(milliseconds: number): void {
		clearTimeout(timer);
		if (!stopped) timer = setTimeout(() => wake({ delayed: true }), milliseconds);
	}

	function wake({ delayed = false } = {}): void {
		if (stopped) return;
		again = true;
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
				if (again) wake();
			});
	}

	async function admit(execution: ExecutionEntity, store: (entity: ExecutionEntity) => Promise<void>): Promise<void> {
		if (stopped || isBehind || places() <= 0 || execution.delay !== null) {
			isBehind ||= execution.delay === null;
			await store(execution);
			publishCreated(options.eventBus, execution);
			wake({ delayed: execution.delay !== null });
			return;
		}
		const claimed = applied(execution, toClaim(clock.now()));
		const storing = store(claimed).then(() => {
			publishCreated(options.eventBus, execution);
			publishUpdated(options.eventBus, claimed);
			adopt(claimed);
		});
		admitting.add(storing);
		await storing.finally(() => {
			admitting.delete(storing);
			if (isBehind) wake();
		});
	}

	function adopt(execution: ExecutionEntity): void {
		const run = options.run(execution).finally(() => {
			running.delete(run);
			if (isBehind) wake();
		});
		running.add(run);
	}

	return {
		start() {
			stopped = false;
			wake({ delayed: true });
		},
		admit,
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
