import type { BusEvent } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { createReconnectingSubscription, type ReconnectingSubscription } from "../../kernel/coordination/reconnecting-subscription.ts";
import { eventNames, readEventExecution } from "../../kernel/executions/execution-events.ts";
import { heldStatuses } from "../../kernel/executions/status.ts";
import type { ExecutionQueues, QueuedExecutionStarter } from "../../kernel/scheduling/execution-queues-api.ts";
import type { AttributeKeys } from "./attribute-keys.ts";
import type { PolicyIndex } from "./policy-index.ts";
import { concurrencyTypes } from "./policy-types.ts";
import { pollQueue, type QueuePoll } from "./queue-admission.ts";
import { readNextDue, readQueues, readUnqueued, type UnqueuedExecution, waitingStatuses } from "./queued-executions.ts";

export interface QueuesDependencies extends Omit<QueuePoll, "queue" | "starter" | "deep">, Uses<"logger"> {
	readonly index: PolicyIndex;
	readonly attributeKeys: AttributeKeys;
}

type LookListener = Parameters<ExecutionQueues["onPollDue"]>[0];

/**
 * Queues of executions that wait until the concurrency policies of their action let them start. Each has the ref of its action as name.
 * Tracks the queues that are marked for a poll.
 */
export class ActionQueues implements ExecutionQueues {
	readonly #parts: QueuesDependencies;
	/** Queues marked for a poll. `deep` means that the poll must check all waiting executions. */
	readonly #due = new Map<string, { readonly deep: boolean }>();
	readonly #listeners: LookListener[] = [];
	readonly #watch: ReconnectingSubscription;
	#nextDue: string | undefined;
	/** True if policies have changed since the last scan. */
	#isNew = true;
	#isWatching = false;
	#isStarted = false;

	constructor(parts: QueuesDependencies) {
		this.#parts = parts;
		this.#watch = createReconnectingSubscription({
			...parts,
			names: [eventNames.executionCreate, eventNames.executionUpdate],
			purpose: "executions limited by policies",
			filter: (event) => this.#concernsQueue(event),
			onEvent: (event) => this.markForPoll(readEventExecution(event).action_ref),
			onGap: () => this.#tell(true),
		});
		parts.index.onChange(() => {
			this.#isNew = true;
			void this.#attend().catch((error: unknown) => parts.logger.error("following limited executions failed", { error }));
			this.#tell(true);
		});
	}

	queueOf(ref: string): string | null {
		return this.#parts.index.has(ref, concurrencyTypes) ? ref : null;
	}

	async look(starter: QueuedExecutionStarter): Promise<void> {
		for (const [queue, { deep }] of [...this.#due]) {
			this.#due.delete(queue);
			let isLeft = true;
			try {
				isLeft = await pollQueue({ ...this.#parts, queue, starter, deep });
			} finally {
				if (isLeft && !this.#due.has(queue)) this.#due.set(queue, { deep });
			}
		}
	}

	isPollDue(): boolean {
		return this.#due.size > 0;
	}

	nextDue(): string | undefined {
		return this.#nextDue;
	}

	onPollDue(listener: LookListener): void {
		this.#listeners.push(listener);
	}

	async start(): Promise<void> {
		this.#isStarted = true;
		await this.#attend();
	}

	stop(): void {
		this.#isStarted = false;
		this.#isWatching = false;
		this.#watch.stop();
	}

	markForPoll(queue: string): void {
		if (!this.#due.has(queue)) this.#due.set(queue, { deep: false });
		this.#tell(false);
	}

	async enqueueWaiting(): Promise<void> {
		await this.#hold(await readUnqueued(this.#parts.storage));
	}

	async scan({ released }: Parameters<ExecutionQueues["scan"]>[0]): Promise<void> {
		await this.#holdStrays(released);
		const times: string[] = [];
		for (const queue of await readQueues(this.#parts.storage)) {
			this.#due.set(queue, { deep: true });
			const next = await readNextDue(this.#parts, queue);
			if (next !== undefined) times.push(next);
		}
		this.#nextDue = times.sort()[0];
	}

	#tell(survey: boolean): void {
		for (const listener of this.#listeners) listener({ survey });
	}

	/** Returns true for events of new executions, and of ones that may free capacity because they no longer have a lease. */
	#concernsQueue(event: BusEvent): boolean {
		const { action_ref, status } = readEventExecution(event);
		return this.#parts.index.has(action_ref, concurrencyTypes) && status !== "delayed" && !heldStatuses.includes(status);
	}

	/** Moves executions into the queue of their action. Resolves with true if there were any. */
	async #hold(outside: readonly UnqueuedExecution[]): Promise<boolean> {
		const ids = new Map<string, string[]>();
		for (const { id, action_ref } of outside) {
			if (this.#parts.index.has(action_ref, concurrencyTypes)) ids.set(action_ref, [...(ids.get(action_ref) ?? []), id]);
		}
		for (const [queue, chosen] of ids) {
			const where = { id: { in: chosen }, status: { in: waitingStatuses }, queue: null };
			await this.#parts.storage.claim("execution", { where, limit: chosen.length }, { queue });
		}
		return ids.size > 0;
	}

	/**
	 * Moves executions that a node stored before it knew of a policy into their queues. After a change of policies, checks all waiting
	 * executions. Otherwise checks only due ones, because a node may have been about to store them when the policies changed.
	 */
	async #holdStrays(released: boolean): Promise<void> {
		const everything = this.#isNew;
		this.#isNew = false;
		if (this.#parts.index.actionsWith(concurrencyTypes).length === 0) return;
		if (everything) await this.enqueueWaiting();
		const due = toTimestamp(this.#parts.clock.steady());
		while (await this.#hold(await readUnqueued(this.#parts.storage, { due, released })));
	}

	/** Subscribes to the events only while a concurrency policy exists, because there are events for every execution of every node. */
	async #attend(): Promise<void> {
		const isNeeded = this.#isStarted && this.#parts.index.actionsWith(concurrencyTypes).length > 0;
		if (isNeeded === this.#isWatching) return;
		this.#isWatching = isNeeded;
		if (isNeeded) await this.#watch.start();
		else this.#watch.stop();
	}
}
