import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Seconds of the processor that each job took when it was last run here, by its name. */
export type Costs = Readonly<Record<string, number>>;

const file = "build/test-costs.json";
/** For jobs that were never run here: what most files take. */
const typical = 3;

export function readCosts(): Costs {
	try {
		return JSON.parse(readFileSync(file, "utf8")) as Costs;
	} catch {
		return {};
	}
}

export function keepCosts(costs: Costs): void {
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, JSON.stringify({ ...readCosts(), ...costs }));
}

export function costOf(name: string, costs: Costs): number {
	return costs[name] ?? typical;
}

/** What is printed before the first job: how many there are, and about how long they take together. */
export function announce(names: readonly string[], costs: Costs, parallel: number): string {
	const seconds = names.reduce((sum, name) => sum + costOf(name, costs), 0) / parallel;
	const known = names.filter((name) => name in costs).length;
	const source =
		known === names.length ? "from earlier runs here" : known === 0 ? "estimated" : `${names.length - known} of them estimated`;
	return `${names.length} test files, ${parallel} at a time: about ${toDuration(seconds)} (${source})\n`;
}

function toDuration(seconds: number): string {
	return seconds < 90 ? `${Math.ceil(seconds)} seconds` : `${Math.ceil(seconds / 60)} minutes`;
}
