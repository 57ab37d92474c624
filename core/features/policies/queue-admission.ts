import { append, isSvcError, type PolicyEntity, type WriteOperation } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import { publishUpdated } from "../../kernel/executions/execution-events.ts";
import { toResultPatch, toStatusPatch } from "../../kernel/executions/status.ts";
import { applyTransition, type TransitionOptions } from "../../kernel/executions/transition.ts";
import type { QueuedExecutionStarter } from "../../kernel/scheduling/execution-queues.ts";
import type { AttributeKeys } from "./attribute-keys.ts";
import { measureRoom, type Room } from "./concurrency-limit.ts";
import { concurrencyTypes } from "./policy-types.ts";
import { type QueuedExecutionDependencies, readDue, readWhole, type Waiting } from "./queued-executions.ts";

export interface QueueLook extends TransitionOptions, QueuedExecutionDependencies {
	readonly attributeKeys: AttributeKeys;
	readonly queue: string;
	readonly starter: QueuedExecutionStarter;
	/** Look at everything that waits rather than at the first of it. */
	readonly deep: boolean;
}

const firstPage = 100;
const deepPage = 1_000;

/**
 * Look at the executions of an action that wait for its policies, in the order they are due: start what may start, cancel or
 * hold back the rest. True when more could have started here, had there been a place.
 *
 * Any number of nodes may look at the same time. Whoever starts something counts what is active after it has read the turn of
 * each policy, and moves the turns on in the write that starts: had anybody else started something meanwhile, a turn would have
 * moved, and the write would fail. Whatever ends meanwhile only makes room.
 */
export async function lookAtQueue(look: QueueLook): Promise<boolean> {
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
		const room = await measureRoom(look, queue, policies);
		const verdicts = await judge({ room, policies, places: starter.freeSlots(), pages: readPages(look, first) });
		if (!(await start(look, verdicts.start, policies))) continue;
		await cancel(look, verdicts.cancel);
		await hold(look, verdicts);
		const hasMoved = verdicts.start.length + verdicts.cancel.length > 0;
		if (!hasMoved || !verdicts.hasMore) return verdicts.lacksPlace;
	}
}

async function* readPages(look: QueueLook, first: readonly Waiting[]) {
	let isLast = first.length < firstPage;
	yield { waiting: first, isLast };
	for (let offset = firstPage; look.deep && !isLast; offset += deepPage) {
		const waiting = await readDue(look, look.queue, { offset, limit: deepPage });
		isLast = waiting.length < deepPage;
		yield { waiting, isLast };
	}
}

/** False when somebody else was faster, or a place has gone: look again. */
async function start(look: QueueLook, chosen: readonly Waiting[], policies: readonly PolicyEntity[]): Promise<boolean> {
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

async function cancel(look: QueueLook, chosen: Verdicts["cancel"]): Promise<void> {
	const { storage, queue, clock } = look;
	const policies = new Map(chosen.map(({ id, policy }) => [id, policy.ref]));
	for (const execution of await readWhole(storage, queue, chosen)) {
		const policy = policies.get(execution.id) ?? "";
		const result = { message: `Action canceled by policy "${policy}".`, policy };
		const patch = { ...toStatusPatch(execution, "canceled", toTimestamp(clock.now())), ...toResultPatch(result) };
		await applyTransition(look, execution, patch, { status: execution.status, queue });
	}
}

/** What is held back shows that it waits, once. */
async function hold({ storage, eventBus, clock, queue }: QueueLook, { hold: held, isClosed }: Verdicts): Promise<void> {
	const timestamp = toTimestamp(clock.now());
	const ids = held.filter(({ status }) => status === "requested").map(({ id }) => id);
	const which = isClosed ? { due_timestamp: { lte: toTimestamp(clock.steady()) } } : { id: { in: ids } };
	const where = { queue, status: "requested", ...which } as const;
	// Most of the time there is none, and reading is cheaper than writing.
	if ((await storage.find("execution", { where, limit: 1, fields: [] })).length === 0) return;
	const patch = { status: "delayed", log: append({ status: "delayed", timestamp }) } as const;
	const delayed = await storage.claim("execution", { where, limit: deepPage }, patch);
	for (const execution of delayed) publishUpdated(eventBus, execution);
}

/** No policy has a say any more. */
async function letGo({ storage, queue, starter }: QueueLook): Promise<void> {
	const release = () => storage.claim("execution", { where: { queue }, limit: deepPage }, { queue: null });
	while ((await release()).length === deepPage);
	starter.release();
}

/** What becomes of executions that wait. */
interface Verdicts {
	readonly start: readonly Waiting[];
	readonly cancel: readonly { readonly id: string; readonly policy: PolicyEntity }[];
	readonly hold: readonly Waiting[];
	/** Whether nothing behind them could start, or be canceled. */
	readonly isClosed: boolean;
	/** Whether the next one might have started here, had there been a place. Nothing behind it was looked at. */
	readonly lacksPlace: boolean;
	/** Whether there is more that was not looked at. */
	readonly hasMore: boolean;
}

interface JudgeInput {
	readonly room: Room;
	readonly policies: readonly PolicyEntity[];
	/** Executions that may start on this node. */
	readonly places: number;
	/** In the order in which they start. */
	readonly pages: AsyncIterable<{ readonly waiting: readonly Waiting[]; readonly isLast: boolean }>;
}

/** Decide what may start: each in its turn, as if those before it had started. */
async function judge({ room, policies, places, pages }: JudgeInput): Promise<Verdicts> {
	const start: Waiting[] = [];
	const cancel: { id: string; policy: PolicyEntity }[] = [];
	const hold: Waiting[] = [];
	const mayCancel = policies.some(isCanceling);
	const end = (how: Partial<Verdicts>): Verdicts => ({ start, cancel, hold, isClosed: false, lacksPlace: false, hasMore: false, ...how });
	let hasMore = false;
	for await (const { waiting: page, isLast } of pages) {
		await room.prepare(page.map(({ id }) => id));
		for (const waiting of page) {
			const inTheWay = room.inTheWay(waiting.id);
			const canceling = inTheWay.find(isCanceling);
			if (canceling !== undefined) cancel.push({ id: waiting.id, policy: canceling });
			else if (inTheWay.length > 0) {
				hold.push(waiting);
				// What is behind it would be held as well.
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
