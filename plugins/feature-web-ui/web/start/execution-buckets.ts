import type { ExecutionRecord } from "../../../_shipped/client.ts";
import { isEnded, isFailure } from "../parts/status-badge.tsx";

/** Time ranges that the plots offer, in milliseconds. */
export const ranges = { "1h": 3_600_000, "24h": 86_400_000, "7d": 604_800_000 } as const;

export type RangeName = keyof typeof ranges;

/** Returns true if the string, which a user may have typed into the address, is the name of a time range. */
export function isRange(text: string): text is RangeName {
	return Object.hasOwn(ranges, text);
}

/** An interval and the runs that started in it. */
export interface Bucket {
	/** Start of the interval in milliseconds since 1970. */
	readonly from: number;
	readonly good: number;
	readonly bad: number;
	/** Number of runs that have not ended or were canceled. */
	readonly other: number;
	/** Median duration of the finished runs in seconds; undefined if none has finished. */
	readonly median: number | undefined;
	/** 95th percentile of the durations in seconds; undefined if no run has finished. */
	readonly slow: number | undefined;
}

/** Attributes of a run that the plots need. */
export type CountedExecution = Pick<ExecutionRecord, "status" | "start_timestamp" | "end_timestamp">;

/** Groups runs by the time of their start into `count` intervals of equal length. Runs outside of the time range are left out. */
export function toBuckets(
	runs: readonly CountedExecution[],
	{ from, to, count }: { readonly from: number; readonly to: number; readonly count: number },
): readonly Bucket[] {
	const length = Math.max(1, to - from) / count;
	const parts = Array.from({ length: count }, (): CountedExecution[] => []);
	for (const run of runs) {
		const index = Math.floor((Date.parse(run.start_timestamp) - from) / length);
		parts[index === count ? count - 1 : index]?.push(run);
	}
	return parts.map((part, index) => toBucket(from + index * length, part));
}

function toBucket(from: number, runs: readonly CountedExecution[]): Bucket {
	const good = runs.filter(({ status }) => status === "succeeded").length;
	const bad = runs.filter(({ status }) => isFailure(status)).length;
	const seconds = runs
		.filter(({ status }) => isEnded(status))
		.map(({ start_timestamp, end_timestamp = start_timestamp }) => (Date.parse(end_timestamp) - Date.parse(start_timestamp)) / 1_000)
		.sort((a, b) => a - b);
	return { from, good, bad, other: runs.length - good - bad, median: quantile(seconds, 0.5), slow: quantile(seconds, 0.95) };
}

/**
 * Returns a quantile of sorted values: the smallest value such that the given share of all values is not greater. Returns undefined if
 * there are no values.
 */
function quantile(sorted: readonly number[], share: number): number | undefined {
	return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
}
