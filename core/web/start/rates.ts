import type { ExecutionRecord } from "../../features/clients.ts";
import { isEnded, isFailure } from "../parts/status-badge.tsx";

/** Spans of time that the plots may show, in milliseconds. */
export const ranges = { "1h": 3_600_000, "24h": 86_400_000, "7d": 604_800_000 } as const;

export type RangeName = keyof typeof ranges;

/** Whether somebody has written the name of a span into the address. */
export function isRange(text: string): text is RangeName {
	return Object.hasOwn(ranges, text);
}

/** A part of the time, and the runs that began in it. */
export interface Bucket {
	/** Milliseconds since 1970. */
	readonly from: number;
	readonly good: number;
	readonly bad: number;
	/** Under way, or canceled. */
	readonly other: number;
	/** Seconds that half of those that have ended took at most; undefined where none has. */
	readonly median: number | undefined;
	/** Seconds that 95 of 100 took at most. */
	readonly slow: number | undefined;
}

/** What of a run counts. */
export type CountedRun = Pick<ExecutionRecord, "status" | "start_timestamp" | "end_timestamp">;

/** Runs by the time of their start, in parts of the same length. Those outside of the time are left out. */
export function toBuckets(
	runs: readonly CountedRun[],
	{ from, to, count }: { readonly from: number; readonly to: number; readonly count: number },
): readonly Bucket[] {
	const length = Math.max(1, to - from) / count;
	const parts = Array.from({ length: count }, (): CountedRun[] => []);
	for (const run of runs) {
		const index = Math.floor((Date.parse(run.start_timestamp) - from) / length);
		parts[index === count ? count - 1 : index]?.push(run);
	}
	return parts.map((part, index) => toBucket(from + index * length, part));
}

function toBucket(from: number, runs: readonly CountedRun[]): Bucket {
	const good = runs.filter(({ status }) => status === "succeeded").length;
	const bad = runs.filter(({ status }) => isFailure(status)).length;
	const seconds = runs
		.filter(({ status }) => isEnded(status))
		.map(({ start_timestamp, end_timestamp = start_timestamp }) => (Date.parse(end_timestamp) - Date.parse(start_timestamp)) / 1_000)
		.sort((a, b) => a - b);
	return { from, good, bad, other: runs.length - good - bad, median: quantile(seconds, 0.5), slow: quantile(seconds, 0.95) };
}

/** Of sorted values the one that this share of them does not exceed. */
function quantile(sorted: readonly number[], share: number): number | undefined {
	return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
}
