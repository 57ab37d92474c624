import type { Goal, Measurement } from "./benchmark.ts";
import { median } from "./statistics.ts";

/** A line for each goal: median, smallest and largest of the rounds, and what that means for each limit. */
export function toVerdicts(goals: readonly Goal[], measurements: readonly Measurement[]): string[] {
	return goals.map((goal) => {
		const values = measurements.map(({ values }) => values[goal.name] ?? Number.NaN);
		const unit = goal.unit === undefined ? "" : ` ${goal.unit}`;
		const middle = median(values);
		const spread = `${toText(Math.min(...values))} to ${toText(Math.max(...values))}`;
		return `${goal.label}: median ${toText(middle)}${unit} (${spread}); ${describeLimits(goal, middle)}`;
	});
}

function describeLimits(goal: Goal, value: number): string {
	if (goal.limits.length === 0) return "no goal, for comparison";
	return goal.limits
		.map((limit) => `goal ${goal.direction} ${limit}: ${isReached(goal, limit, value) ? "reached" : "NOT reached"}`)
		.join(", ");
}

function isReached({ direction }: Goal, limit: number, value: number): boolean {
	return direction === "at least" ? value >= limit : value <= limit;
}

/** Three significant figures are more than rounds agree on. */
export function toText(value: number): string {
	return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
