import type { ExecutionEntity, ExecutionStatus, Query, Storage } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";

/** Fields of a waiting execution that are needed to decide whether it may start. */
export type Waiting = Pick<ExecutionEntity, "id" | "status">;

export type UnqueuedExecution = Pick<ExecutionEntity, "id" | "action_ref">;

const outsidePage = 500;

interface FirstPage {
	readonly due: string;
	readonly released: boolean;
}

/** Statuses of waiting executions. */
export const waitingStatuses: readonly ExecutionStatus[] = ["requested", "delayed"];

export type QueuedExecutionDependencies = Uses<"storage" | "clock">;

/** Returns the due executions of a queue in the order in which they start. */
export function readDue(
	{ storage, clock }: QueuedExecutionDependencies,
	queue: string,
	page: { readonly offset: number; readonly limit: number },
): Promise<Waiting[]> {
	const where = { queue, status: { in: waitingStatuses }, due_timestamp: { lte: toTimestamp(clock.steady()) } };
	const orderBy = [
		["due_timestamp", "asc"],
		["id", "asc"],
	] as const;
	return storage.find("execution", { where, orderBy, ...page, fields: ["status"] });
}

/** Returns the time at which the next execution of a queue becomes due; undefined if there is none. */
export async function readNextDue({ storage, clock }: QueuedExecutionDependencies, queue: string): Promise<string | undefined> {
	const where = { queue, due_timestamp: { gt: toTimestamp(clock.steady()) } };
	const [next] = await storage.find("execution", { where, orderBy: [["due_timestamp", "asc"]], limit: 1, fields: ["due_timestamp"] });
	return next?.due_timestamp;
}

/** Returns the complete executions that still wait, in the given order. */
export async function readWhole(storage: Storage, queue: string, waiting: readonly Pick<Waiting, "id">[]): Promise<ExecutionEntity[]> {
	if (waiting.length === 0) return [];
	const ids = waiting.map(({ id }) => id);
	const found = await storage.find("execution", { where: { id: { in: ids }, queue, status: { in: waitingStatuses } } });
	const byId = new Map(found.map((execution) => [execution.id, execution]));
	return ids.flatMap((id) => byId.get(id) ?? []);
}

/**
 * Returns executions that wait outside of any queue: all of them, or the first page of each status by time. The query has no condition on
 * the action: with one, the database might read all executions of the action instead of only the waiting ones, which are few.
 *
 * @param first if given, reads only the first page of executions due at `due`; with `released`, also those that were held and then released
 *   from a queue, which have the status `delayed`
 */
export async function readUnqueued(storage: Storage, first?: FirstPage): Promise<UnqueuedExecution[]> {
	const found: UnqueuedExecution[] = [];
	for (const { where, orderBy } of outside(first)) {
		for (let offset = 0, isLast = false; !isLast; offset += outsidePage) {
			const page = await storage.find("execution", { where, orderBy, offset, limit: outsidePage, fields: ["action_ref"] });
			found.push(...page);
			isLast = first !== undefined || page.length < outsidePage;
		}
	}
	return found;
}

/**
 * Returns the queries of `readUnqueued`. Executions with a requested delay are read by due time, for which an index contains only them. All
 * others are due when they are requested, so they are read by `start_timestamp`.
 */
function outside(first: FirstPage | undefined): Pick<Required<Query<ExecutionEntity>>, "where" | "orderBy">[] {
	const statuses = first?.released === false ? waitingStatuses.filter((status) => status !== "delayed") : waitingStatuses;
	const due = first && { due_timestamp: { lte: first.due } };
	return [
		...statuses.map((status) => ({ where: { status, delay: null, queue: null }, orderBy: [["start_timestamp", "asc"]] as const })),
		...waitingStatuses.map((status) => ({
			where: { status, delay: { not: null }, queue: null, ...due },
			orderBy: [["due_timestamp", "asc"]] as const,
		})),
	];
}

/** Returns the names of queues with waiting executions. Needs one query for each queue, regardless of the number of executions. */
export async function readQueues(storage: Storage): Promise<string[]> {
	const names: string[] = [];
	for (let last = ""; ; ) {
		const [next] = await storage.find("execution", {
			where: { queue: { gt: last } },
			orderBy: [["queue", "asc"]],
			limit: 1,
			fields: ["queue"],
		});
		if (next?.queue == null) return names;
		last = next.queue;
		names.push(last);
	}
}
