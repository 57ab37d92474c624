import type { BusEvent, Logger } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import { eventNames, toEventEntity } from "../../kernel/executions/execution-events.ts";
import type { Queues } from "../../kernel/executions/queues.ts";
import { heldStatuses } from "../../kernel/executions/status.ts";
import { createBusWatch } from "../../kernel/work/bus-watch.ts";
import type { AttributeKeys } from "./attribute-keys.ts";
import type { PolicyIndex } from "./policy-index.ts";
import { concurrencyTypes } from "./policy-types.ts";
import { lookAtQueue, type QueueLook } from "./queue-look.ts";
import { type Outside, readNextDue, readOutside, readQueues, waitingStatuses } from "./waiting.ts";

export interface QueuesParts extends Omit<QueueLook, "queue" | "starter" | "deep"> {
	readonly index: PolicyIndex;
	readonly attributeKeys: AttributeKeys;
	readonly logger: Logger;
}

/** Executions that wait until the concurrency policies of their action let them start: a queue an action, named by its ref. */
export interface PolicyQueues extends Queues {
	start(): Promise<void>;
	stop(): void;
}

export function createQueues(parts: QueuesParts): PolicyQueues {
	const { storage, index } = parts;
	/** Queues to look at, and whether at everything in them. */
	const due = new Map<string, { readonly deep: boolean }>();
	const listeners: ((due: { readonly survey: boolean }) => void)[] = [];
	let nextDue: string | undefined;
	/** Whether policies have changed since the last survey. */
	let isNew = true;

	function tell(survey: boolean): void {
		for (const listener of listeners) listener({ survey });
	}

	function note(queue: string): void {
		if (!due.has(queue)) due.set(queue, { deep: false });
		tell(false);
	}

	/** New executions, and the ends of others: only what is held counts. */
	function concernsQueue(event: BusEvent): boolean {
		const { action_ref, status } = toEventEntity(event);
		return index.has(action_ref, concurrencyTypes) && status !== "delayed" && !heldStatuses.includes(status);
	}

	/** Whether it found something. */
	async function hold(outside: readonly Outside[]): Promise<boolean> {
		const ids = new Map<string, string[]>();
		for (const { id, action_ref } of outside) {
			if (index.has(action_ref, concurrencyTypes)) ids.set(action_ref, [...(ids.get(action_ref) ?? []), id]);
		}
		for (const [queue, chosen] of ids) {
			const where = { id: { in: chosen }, status: { in: waitingStatuses }, queue: null };
			await storage.claim("execution", { where, limit: chosen.length }, { queue });
		}
		return ids.size > 0;
	}

	/** What a node has stored that did not know of a policy: at first everything, and later what it was about to store then. */
	async function holdStrays(): Promise<void> {
		const everything = isNew;
		isNew = false;
		if (index.actionsWith(concurrencyTypes).length === 0) return;
		if (everything) await takeHold();
		while (await hold(await readOutside(storage, { first: { due: toTimestamp(parts.clock.steady()) } })));
	}

	async function takeHold(): Promise<void> {
		await hold(await readOutside(storage, {}));
	}

	async function survey(): Promise<void> {
		await holdStrays();
		const times: string[] = [];
		for (const queue of await readQueues(storage)) {
			due.set(queue, { deep: true });
			const next = await readNextDue(parts, queue);
			if (next !== undefined) times.push(next);
		}
		nextDue = times.sort()[0];
	}

	const watch = createBusWatch({
		...parts,
		names: [eventNames.executionCreate, eventNames.executionUpdate],
		purpose: "executions that policies limit",
		filter: concernsQueue,
		onEvent: (event) => note(toEventEntity(event).action_ref),
		onGap: () => tell(true),
	});
	let isWatching = false;
	let isStarted = false;

	/** Follow the events only where there is something to wait for: they tell of every execution of every node. */
	async function attend(): Promise<void> {
		const isNeeded = isStarted && index.actionsWith(concurrencyTypes).length > 0;
		if (isNeeded === isWatching) return;
		isWatching = isNeeded;
		if (isNeeded) await watch.start();
		else watch.stop();
	}

	index.onChange(() => {
		isNew = true;
		void attend().catch((error: unknown) => parts.logger.error("executions that policies limit are not followed", { error }));
		tell(true);
	});

	return {
		queueOf: (ref) => (index.has(ref, concurrencyTypes) ? ref : null),
		takeHold,
		note,
		survey,
		async look(starter) {
			for (const [queue, { deep }] of [...due]) {
				due.delete(queue);
				let isLeft = true;
				try {
					isLeft = await lookAtQueue({ ...parts, queue, starter, deep });
				} finally {
					if (isLeft && !due.has(queue)) due.set(queue, { deep });
				}
			}
		},
		isLookDue: () => due.size > 0,
		nextDue: () => nextDue,
		onLookDue(listener) {
			listeners.push(listener);
		},
		async start() {
			isStarted = true;
			await attend();
		},
		stop() {
			isStarted = false;
			isWatching = false;
			watch.stop();
		},
	};
}
