import type { ExecutionEntity } from "../../contract/index.ts";
import type { ExecutionPatch } from "../executions/status.ts";

/** The scheduler of this node, as far as queues need it. */
export interface Starter {
	/** Executions that may start here now; 0 once it is stopped. */
	places(): number;
	/** Keep places for executions while `store` stores them with the patch that claims them and takes them out of their queue; then run them. */
	start(executions: readonly ExecutionEntity[], store: (claim: ExecutionPatch) => Promise<void>): Promise<void>;
	/** Executions have been let go from a queue. */
	release(): void;
}

/** Executions that must wait before anybody may claim them: what a feature that holds some back offers the scheduler. */
export interface Queues {
	/** Where a new execution of the action waits; null when it may be claimed at once. */
	queueOf(actionRef: string): string | null;
	/** Put into queues what waits outside although it should not. */
	takeHold(): Promise<void>;
	/** Something new waits in the queue. */
	note(queue: string): void;
	/**
	 * Find every queue to look at, and what other nodes, before they knew of a queue, have left outside; with `released` also what was let go
	 * from one. Next comes `look`.
	 */
	survey(look: { readonly released: boolean }): Promise<void>;
	/** Look where something may have changed. */
	look(starter: Starter): Promise<void>;
	/** Whether there is something to look at. */
	isLookDue(): boolean;
	/** When the next execution in a queue will be due, as of the last survey. */
	nextDue(): string | undefined;
	/** Call `listener` when there is something to look at. */
	onLookDue(listener: (due: { readonly survey: boolean }) => void): void;
}

/** Nothing waits for anything. */
export const noQueues: Queues = {
	queueOf: () => null,
	takeHold: async () => undefined,
	note: () => undefined,
	survey: async () => undefined,
	look: async () => undefined,
	isLookDue: () => false,
	nextDue: () => undefined,
	onLookDue: () => undefined,
};
