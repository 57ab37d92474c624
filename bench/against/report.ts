import { median } from "../harness/statistics.ts";
import { type Comparison, compareStarts, type Figure, type Round, type Start, type Verdict } from "./comparison.ts";

export interface ComparisonReport {
	/** A line for each figure. */
	readonly lines: readonly string[];
	/** `slower` if one figure says so. */
	readonly verdict: Verdict;
}

const figures: readonly { readonly figure: Figure; readonly title: string; readonly unit: string; readonly digits: number }[] = [
	{ figure: "rate", title: "rate", unit: "/s", digits: 0 },
	{ figure: "processorTime", title: "processor time", unit: " ms each", digits: 3 },
];

export function toReport(starts: readonly Start[]): ComparisonReport {
	const compared = figures.map((each) => ({ ...each, comparison: compareStarts(starts, each.figure) }));
	const verdicts = compared.map(({ comparison }) => comparison.verdict);
	return {
		lines: compared.map(({ figure, title, unit, digits, comparison }) => {
			const value = (name: keyof Round) => `${median(starts.flat().map((round) => round[name][figure])).toFixed(digits)}${unit}`;
			return `${title}: ${value("base")} → ${value("candidate")}; ${describe(comparison)}`;
		}),
		verdict: (["slower", "faster"] as const).find((verdict) => verdicts.includes(verdict)) ?? "no difference",
	};
}

/** Describes what is known after some starts: a comparison may take many of them. Returns undefined after the first one, which has no spread. */
export function toProgress(starts: readonly Start[]): string | undefined {
	if (starts.length < 2) return undefined;
	return `after ${starts.length} starts: processor time ${describe(compareStarts(starts, "processorTime"))}`;
}

function describe({ ratio, control, spread, verdict }: Comparison): string {
	const counted = `counts beyond ${(200 * spread).toFixed(1)} %`;
	return `ratio ${ratio.toFixed(3)} (control ${control.toFixed(3)}, ${counted}): ${verdict}`;
}
