import type { ExecutionRecord } from "../../../plugins/_shipped/client.ts";
import type { Mishap } from "./chaos-engine.ts";

/** Milliseconds by which what is noted here may differ from what is noted there, and from the end of a run until what it had is removed. */
const [slack, removing] = [1_000, 5_000];

export const toTime = (timestamp: string | null | undefined): number => Date.parse(timestamp ?? "");

/** What happened to an engine or the service while an execution was under way. */
export function mishapsOf(mishaps: readonly Mishap[], name: string, record: ExecutionRecord): readonly Mishap[] {
	const [start, end] = [toTime(record.start_timestamp), toTime(record.end_timestamp)];
	return mishaps.filter(({ engine = name, from, to }) => engine === name && from - slack < end && to + slack > start);
}

/** Whether the service was killed when it was to remove what is left of an execution that ended at that time: later where the engine was away. */
export function wasKilledAfter(mishaps: readonly Mishap[], name: string, end: number): boolean {
	const away = mishaps.filter(({ engine, from, to }) => engine === name && from < end + slack && to > end - slack);
	const deadline = Math.max(end, ...away.map(({ to }) => to)) + removing;
	return mishaps.some(({ engine, from }) => engine === undefined && from > end - slack && from < deadline);
}
