export interface Tally {
	readonly passed: number;
	readonly failed: number;
	readonly skipped: number;
	readonly skips: readonly { readonly name: string; readonly reason: string }[];
}

export const noTests: Tally = { passed: 0, failed: 0, skipped: 0, skips: [] };

export function addTallies(a: Tally, b: Tally): Tally {
	return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped, skips: [...a.skips, ...b.skips] };
}

/**
 * Count the tests of one file from what its process printed. A process that ended badly without naming a failed test, or
 * well without having run or skipped any, counts as one failure, so that nothing fails silently.
 *
 * @param code exit code, null when the process was killed
 */
export function parseReport(file: string, output: string, code: number | null): Tally {
	const total = lastCount(output, "Total");
	const passed = lastCount(output, "Passed");
	const skipped = lastCount(output, "Skipped");
	const failed = total - passed;
	const silent = failed === 0 && (code !== 0 || total + skipped === 0);
	return { passed, failed: silent ? 1 : failed, skipped, skips: namedSkips(file, output, skipped) };
}

function lastCount(output: string, word: string): number {
	return Number([...output.matchAll(new RegExp(`^ {2}${word}: +(\\d+)$`, "gm"))].at(-1)?.[1] ?? 0);
}

function namedSkips(file: string, output: string, skipped: number): Tally["skips"] {
	// The marker need not begin a line: the dots of tests that passed may stand before it.
	const named = [...output.matchAll(/SKIP (.+?): (.+)$/gm)].map(([, name = "", reason = ""]) => ({ name, reason }));
	const unnamed = skipped - named.length;
	return unnamed > 0 ? [...named, { name: file, reason: `${unnamed} without a reason (use core/testing/test-requirements.ts)` }] : named;
}

/** How many of the files that cost most are named. */
const named = 10;

/** Where the time of the processor went, which is what a run takes: the sum, and the files that have used most of it. */
export function reportCosts(costs: readonly { readonly name: string; readonly seconds: number }[]): string {
	const sum = costs.reduce((total, { seconds }) => total + seconds, 0);
	const most = [...costs].sort((a, b) => b.seconds - a.seconds).slice(0, named);
	const lines = most.map(({ name, seconds }) => `  ${seconds.toFixed(1).padStart(7)} ${name}\n`);
	return `${sum.toFixed(0)} s of the processor, most of it for\n${lines.join("")}`;
}
