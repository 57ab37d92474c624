import type { ExecutionEntity, ExecutionStatus, Query, Storage } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";

/** An execution that waits in a queue, as far as it needs to be known before it is chosen. */
export type Waiting = Pick<ExecutionEntity, "id" | "status">;

export type Outside = Pick<ExecutionEntity, "id" | "action_ref">;

const outsidePage = 500;

/** States of executions that wait. */
export const waitingStatuses: readonly ExecutionStatus[] = ["requested", "delayed"];

export type QueuedExecutionDependencies = Uses<"storage" | "clock">;

/** Executions of a queue that are due, in the order in which they start. */
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

/** When the next execution of a queue will be due; undefined when none will. */
export async function readNextDue({ storage, clock }: QueuedExecutionDependencies, queue: string): Promise<string | undefined> {
	const where = { queue, due_timestamp: { gt: toTimestamp(clock.steady()) } };
	const [next] = await storage.find("execution", { where, orderBy: [["due_timestamp", "asc"]], limit: 1, fields: ["due_timestamp"] });
	return next?.due_timestamp;
}

/** Whole executions, in the same order, as far as they still wait. */
export async function readWhole(storage: Storage, queue: string, waiting: readonly Pick<Waiting, "id">[]): Promise<ExecutionEntity[]> {
	if (waiting.length === 0) return [];
	const ids = waiting.map(({ id }) => id);
	const found = await storage.find("execution", { where: { id: { in: ids }, queue, status: { in: waitingStatuses } } });
	const byId = new Map(found.map((execution) => [execution.id, execution]));
	return ids.flatMap((id) => byId.get(id) ?? []);
}

/**
 * Executions that wait outside any queue, the first of each state by their times or all of them. Nothing else about them is asked
 * for: what waits is few beside all executions of an action, and only this way is sure to read no others.
 *
 * @param first those that are due; with `released` also those that were held back and let go, which stand among all that are held
 */
export async function readOutside(
	storage: Storage,
	{ first }: { readonly first?: { readonly due: string; readonly released: boolean } },
): Promise<Outside[]> {
	const found: Outside[] = [];
	for (const { where, orderBy } of outside(first)) {
		for (let offset = 0, isLast = false; !isLast; offset += outsidePage) {
			const page = await storage.find("execution", { where, orderBy, offset, limit: outsidePage, fields: ["action_ref"] });
			found.push(...page);
			isLast = first !== undefined || page.length < outsidePage;
		}
	}
	return found;
}

/** What was asked to wait is in an index of its own by when it is due; the rest is due at its start. */
function outside(
	first: { readonly due: string; readonly released: boolean } | undefined,
): Pick<Required<Query<ExecutionEntity>>, "where" | "orderBy">[] {
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

/** The queues in which something waits, by name. One look-up each, however much waits. */
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
