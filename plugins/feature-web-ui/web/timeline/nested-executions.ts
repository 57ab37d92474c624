import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { StreamEventRecord } from "../../../_shipped/client.ts";
import { type Resource, useResource } from "../kit/resource.ts";
import { client, live, session } from "../kit/service.ts";
import { type TimedExecution, timedAttributes } from "./timed-execution.ts";

const pageSize = 100;
/** Maximum number of executions that are shown, those that started first. */
export const maxNested = 5_000;
const every = 250;

type Changes = ReadonlyMap<string, TimedExecution>;

/**
 * Returns the child executions of an execution and follows their changes. There may be thousands, so they are read once and then updated
 * from events. They are read again only if events may have been missed.
 */
export function useNestedExecutions(parent: string): {
	readonly listed: Resource<readonly TimedExecution[]>;
	readonly changes: Signal<Changes>;
} {
	const changes = useSignal<Changes>(new Map());
	const listed = useResource((signal) => readAll(parent, signal), [parent]);
	useEffect(() => {
		const told = new Map<string, TimedExecution>();
		let timer: ReturnType<typeof setTimeout> | undefined;
		const leave = live.listen((event) => {
			const run = event && toNested(event, parent);
			if (run === undefined) return;
			told.set(run.id, run);
			timer ??= setTimeout(() => {
				timer = undefined;
				changes.value = new Map([...changes.value, ...told]);
				told.clear();
			}, every);
		});
		return () => {
			leave();
			clearTimeout(timer);
			changes.value = new Map();
		};
	}, [parent, changes]);
	return { listed, changes };
}

/**
 * Merges the children that were read with the changes from events. Of two versions of an execution, the one with the longer state log is
 * the newer.
 */
export function merge(listed: readonly TimedExecution[], changes: Changes): readonly TimedExecution[] {
	if (changes.size === 0) return listed;
	const known = new Set(listed.map(({ id }) => id));
	const isFurther = (told: TimedExecution, run: TimedExecution) => (told.log ?? []).length > (run.log ?? []).length;
	const kept = listed.map((run) => {
		const told = changes.get(run.id);
		return told !== undefined && isFurther(told, run) ? told : run;
	});
	const begun = [...changes.values()].filter(({ id }) => !known.has(id));
	return [...kept, ...begun.sort((a, b) => (a.start_timestamp < b.start_timestamp ? -1 : 1))].slice(0, maxNested);
}

async function readAll(parent: string, signal: AbortSignal): Promise<readonly TimedExecution[]> {
	const limit = session.toLimit(pageSize);
	if (!session.may("execution_list")) {
		return client.executions.children(parent, { depth: 1, limit: maxNested, pageSize: limit }, { signal });
	}
	const runs: TimedExecution[] = [];
	const query = { parent, sort_asc: "timestamp", include_attributes: timedAttributes, limit };
	while (runs.length < maxNested) {
		const { items } = await client.executions.list({ ...query, offset: runs.length }, { signal });
		runs.push(...items);
		if (items.length < limit) break;
	}
	return runs;
}

/** Returns the execution of an event if it is a child of `parent`; undefined otherwise. */
function toNested({ name, data }: StreamEventRecord, parent: string): TimedExecution | undefined {
	if (!name.startsWith("svc.execution__") || typeof data !== "object" || data === null || !("parent" in data)) return undefined;
	return data["parent"] === parent ? (data as unknown as TimedExecution) : undefined;
}
