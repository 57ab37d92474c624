import type { ExecutionEntity } from "../../contract/index.ts";
import type { ExecutionPatch } from "../executions/status.ts";

/** Functions of the scheduler of this node that the queues call. */
export interface QueuedExecutionStarter {
	/** Returns the number of free slots; 0 if the scheduler is stopped. */
	freeSlots(): number;
	/**
	 * Starts executions from a queue. Reserves slots for them, calls `store` to store the patch that claims them and removes them from the
	 * queue, then runs them. Rejects with the error of `store`.
	 */
	start(executions: readonly ExecutionEntity[], store: (claim: ExecutionPatch) => Promise<void>): Promise<void>;
	/** Makes the scheduler claim executions that were released from a queue, because no limit applies to them any more. */
	release(): void;
}

/** Queues of executions that must wait until a limit allows them to start. A feature provides the queues, and the scheduler polls them. */
export interface ExecutionQueues {
	/** Returns the queue in which a new execution of the action waits; null if any node may claim it at once. */
	queueOf(actionRef: string): string | null;
	/** Moves every waiting execution that is not in the queue of its action into that queue. */
	enqueueWaiting(): Promise<void>;
	/** Marks a queue for the next poll, because a new execution waits in it. */
	markForPoll(queue: string): void;
	/**
	 * Scans the storage for queues with waiting executions, and marks them for the next poll. Also moves executions into their queue that
	 * another node has stored outside it, before that node knew the queue. `released`: true if released executions are checked as well.
	 */
	scan(poll: { readonly released: boolean }): Promise<void>;
	/** Polls the marked queues: starts the executions that the limits allow, as far as slots are free. */
	look(starter: QueuedExecutionStarter): Promise<void>;
	/** Returns true if a queue is marked for a poll. */
	isPollDue(): boolean;
	/** Returns the time at which the next execution in a queue is due, as of the last scan; undefined if none is. */
	nextDue(): string | undefined;
	/** Registers a listener that is called when a queue is marked for a poll. `survey`: true if a scan is required as well. */
	onPollDue(listener: (due: { readonly survey: boolean }) => void): void;
}

/** Default if no feature provides queues: no execution is queued. */
export const noExecutionQueues: ExecutionQueues = {
	queueOf: () => null,
	enqueueWaiting: async () => undefined,
	markForPoll: () => undefined,
	scan: async () => undefined,
	look: async () => undefined,
	isPollDue: () => false,
	nextDue: () => undefined,
	onPollDue: () => undefined,
};
