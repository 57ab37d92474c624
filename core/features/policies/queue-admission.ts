import { append, isSvcError, type PolicyEntity, type WriteOperation } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import { publishUpdated } from "../../kernel/executions/execution-events.ts";
import { toResultPatch, toStatusPatch } from "../../kernel/executions/status.ts";
import { applyTransition, type TransitionDependencies } from "../../kernel/executions/transition.ts";
import type { QueuedExecutionStarter } from "../../kernel/scheduling/execution-queues-api.ts";
import type { AttributeKeys } from "./attribute-keys.ts";
import { measureRemainingCapacity, type RemainingCapacity } from "./concurrency-limit.ts";
import { concurrencyTypes } from "./policy-types.ts";
import { type QueuedExecutionDependencies, readDue, readWhole, type Waiting } from "./queued-executions.ts";

export interface QueuePoll extends TransitionDependencies, QueuedExecutionDependencies {
	readonly attributeKeys: AttributeKeys;
	readonly queue: string;
	readonly starter: QueuedExecutionStarter;
	/** True to check all waiting executions, false to check only the first page. */
	readonly deep: boolean;
}

const firstPage = 100;
const deepPage = 1_000;

/**
 * Polls the queue of an action. Checks the waiting executions in the order in which they are due: starts those that may start, and cancels
 * or holds the others. Resolves with true if more could have started if this node had more free slots.
 *
 * Any number of nodes may poll at the same time. A node reads the turn of each policy, counts the active executions after that, and
 * increments the turns in the write that starts executions. If another node has started executions in the meantime, a turn has changed and
 * the write fails. So no limit is exceeded. Executions that end in the meantime only increase the capacity.
 */
export async function pollQueue(look: QueuePoll): Promise<boolean> {
	const { storage, queue, starter } = look;
	for (;;) {
		const first = await readDue(look, queue, { offset: 0, limit: firstPage });
		if (first.length === 0) return false;
		const where = { resource_ref: queue, policy_type: { in: concurrencyTypes }, enabled: true };
		const policies = await storage.find("policy", { where });
		if (policies.length === 0) {
			await letGo(look);
			return false;
		}
		const room = await measureRemainingCapacity(look, queue, policies);
		const verdicts = await judge({ room, policies, places: starter.freeSlots(), pages: readPages(look, first) });
		if (!(await start(look, verdicts.start, policies))) continue;
		await cancel(look, verdicts.cancel);
		await hold(look, verdicts);
		const hasMoved = verdicts.start.length + verdicts.cancel.length > 0;
		if (!hasMoved || !verdicts.hasMore) return verdicts.lacksPlace;
	}
}

async function* readPages(look: QueuePoll, first: readonly Waiting[]) {
	let isLast = first.length < firstPage;
	yield { waiting: first, isLast };
	for (let offset = firstPage; look.deep && !isLast; offset += deepPage) {
		const waiting = await readDue(look, look.queue, { offset, limit: deepPage });
		isLast = waiting.length < deepPage;
		yield { waiting, isLast };
	}
}

/** Starts executions. Resolves with false if another node changed the queue first or slots are no longer free; the caller polls again. */
async function start(look: QueuePoll, chosen: readonly Waiting[], policies: readonly PolicyEntity[]): Promise<boolean> {
	const { storage, queue, starter } = look;
	const waiting = await readWhole(storage, queue, chosen);
	const executions = waiting.slice(0, starter.freeSlots());
	const turns = policies.map(
		({ id, turn }): WriteOperation => ({ update: "policy", id, patch: { turn: turn + 1 }, expected: { turn, enabled: true } }),
	);
	try {
		if (executions.length > 0) {
			await starter.start(executions, (patch) => {
				const starts = executions.map(
					({ id, status }): WriteOperation => ({ update: "execution", id, patch, expected: { status, queue } }),
				);
				return storage.write([...turns, ...starts]);
			});
		}
		return executions.length === chosen.length;
	} catch (error) {
		if (isSvcError(error, "SVC_CONFLICT")) return false;
		throw error;
	}
}

async function cancel(look: QueuePoll, chosen: AdmissionDecisions["cancel"]): Promise<void> {
	const { storage, queue, clock } = look;
	const policies = new Map(chosen.map(({ id, policy }) => [id, policy.ref]));
	for (const execution of await readWhole(storage, queue, chosen)) {
		const policy = policies.get(execution.id) ?? "";
		const result = { message: `Action canceled by policy "${policy}".`, policy };
		const patch = { ...toStatusPatch(execution, "canceled", toTimestamp(clock.now())), ...toResultPatch(result) };
		await applyTransition(look, execution, patch, { status: execution.status, queue });
	}
}

/** Changes the status of held executions to `delayed`, only once for each, to show that they wait. */
async function hold({ storage, eventBus, clock, queue }: QueuePoll, { hold: held, isClosed }: AdmissionDecisions): Promise<void> {
	const timestamp = toTimestamp(clock.now());
	const ids = held.filter(({ status }) => status === "requested").map(({ id }) => id);
	const which = isClosed ? { due_timestamp: { lte: toTimestamp(clock.steady()) } } : { id: { in: ids } };
	const where = { queue, status: "requested", ...which } as const;
	// Usually there are none, and a read costs less than a write.
	if ((await storage.find("execution", { where, limit: 1, fields: [] })).length === 0) return;
	const patch = { status: "delayed", log: append({ status: "delayed", timestamp }) } as const;
	const delayed = await storage.claim("execution", { where, limit: deepPage }, patch);
	for (const execution of delayed) publishUpdated(eventBus, execution);
}

/** Releases all executions of the queue, because no policy limits them any more. */
async function letGo({ storage, queue, starter }: QueuePoll): Promise<void> {
	const release = () => storage.claim("execution", { where: { queue }, limit: deepPage }, { queue: null });
	while ((await release()).length === deepPage);
	starter.release();
}

/** Decisions on waiting executions. */
interface AdmissionDecisions {
	readonly start: readonly Waiting[];
	readonly cancel: readonly { readonly id: string; readonly policy: PolicyEntity }[];
	readonly hold: readonly Waiting[];
	/** True if none of the later executions could start or be canceled. */
	readonly isClosed: boolean;
	/** True if the next execution could have started if this node had a free slot. The executions after it were not checked. */
	readonly lacksPlace: boolean;
	/** True if there are further executions that were not checked. */
	readonly hasMore: boolean;
}

interface JudgeInput {
	readonly room: RemainingCapacity;
	readonly policies: readonly PolicyEntity[];
	/** Number of free slots of this node. */
	readonly places: number;
	/** Pages of waiting executions in the order in which they start. */
	readonly pages: AsyncIterable<{ readonly waiting: readonly Waiting[]; readonly isLast: boolean }>;
}

/** Decides which executions may start, one after another. Each decision assumes that those before it have started. */
async function judge({ room, policies, places, pages }: JudgeInput): Promise<AdmissionDecisions> {
	const start: Waiting[] = [];
	const cancel: { id: string; policy: PolicyEntity }[] = [];
	const hold: Waiting[] = [];
	const mayCancel = policies.some(isCanceling);
	const end = (how: Partial<AdmissionDecisions>): AdmissionDecisions => ({
		start,
		cancel,
		hold,
		isClosed: false,
		lacksPlace: false,
		hasMore: false,
		...how,
	});
	let hasMore = false;
	for await (const { waiting: page, isLast } of pages) {
		await room.prepare(page.map(({ id }) => id));
		for (const waiting of page) {
			const inTheWay = room.inTheWay(waiting.id);
			const canceling = inTheWay.find(isCanceling);
			if (canceling !== undefined) cancel.push({ id: waiting.id, policy: canceling });
			else if (inTheWay.length > 0) {
				hold.push(waiting);
				// All later executions would be held as well.
				if (room.isClosed() && !mayCancel) return end({ isClosed: true });
			} else if (start.length >= places) return end({ lacksPlace: true });
			else {
				room.take(waiting.id);
				start.push(waiting);
			}
		}
		hasMore = !isLast;
	}
	return end({ hasMore });
}

function isCanceling({ parameters }: PolicyEntity): boolean {
	return parameters["action"] === "cancel";
}
