import type { ComparedLoad, Subject } from "./loads.ts";
import { warmUp } from "./run-turns.ts";

/** What an operation makes the service do, one operation at a time. */
export interface Counts {
	/** Statements of SQLite, those that begin and end transactions included. */
	readonly statements: number;
	readonly commits: number;
	/** Calls of functions in the main thread. */
	readonly calls: number;
	/** Bytes allocated by the main thread. */
	readonly bytes: number;
	/** Calls by function. */
	readonly callsOf: ReadonlyMap<string, number>;
}

interface CallCounts {
	readonly statements: number;
	readonly commits: number;
	readonly calls: Readonly<Record<string, number>>;
}

/** Operations that are counted: the more, the less timers matter. */
const mostOperations = 500;
const pieceSeconds = 0.5;
/** Smaller differences in calls, and in the share of calls, are what timers do meanwhile. */
const leastDifference = 0.05;
const mostFunctions = 10;

/** Counts in a service of a build that does nothing else. */
export async function countOperations(load: ComparedLoad, build: string): Promise<Counts> {
	const subject = await load.start({ build, counted: true });
	try {
		// Compiled code allocates less.
		await warmUp([subject], Math.min(load.warmUp, 5_000));
		const least = Math.min(load.warmUp, mostOperations);
		const bytes = await countDuring<{ readonly bytes: number }>(subject, { kind: "bytes", least });
		const { counts, operations } = await countDuring<CallCounts>(subject, { kind: "calls", least });
		const callsOf = new Map(Object.entries(counts.calls).map(([name, calls]) => [name, calls / operations]));
		return {
			statements: counts.statements / operations,
			commits: counts.commits / operations,
			calls: [...callsOf.values()].reduce((sum, calls) => sum + calls, 0),
			bytes: bytes.counts.bytes / bytes.operations,
			callsOf,
		};
	} finally {
		await subject.stop();
	}
}

async function countDuring<C>(subject: Subject, { kind, least }: { readonly kind: "bytes" | "calls"; readonly least: number }) {
	await subject.count(kind);
	let operations = 0;
	while (operations < least) operations += await subject.load(pieceSeconds);
	return { counts: (await subject.count("end")) as C, operations };
}

/** Lines that show both counts, and the functions whose calls differ most. */
export function describeCounts(base: Counts, candidate: Counts): readonly string[] {
	const line = (title: string, key: "statements" | "commits" | "calls" | "bytes", digits: number) =>
		`${title}: ${base[key].toFixed(digits)} → ${candidate[key].toFixed(digits)} (${(candidate[key] / base[key]).toFixed(3)})`;
	return [
		line("statements", "statements", 2),
		line("commits", "commits", 2),
		line("calls", "calls", 0),
		line("allocated bytes", "bytes", 0),
		...findChangedCalls(base.callsOf, candidate.callsOf).map((changed) => `  ${changed}`),
	];
}

/** Functions of the service and of packages whose calls for an operation differ, the largest difference first. */
export function findChangedCalls(base: Counts["callsOf"], candidate: Counts["callsOf"]): readonly string[] {
	return [...new Set([...base.keys(), ...candidate.keys()])]
		.map((name) => ({ name, before: base.get(name) ?? 0, after: candidate.get(name) ?? 0 }))
		.filter(
			({ name, before, after }) =>
				!name.endsWith("(node)") && Math.abs(after - before) > Math.max(leastDifference, leastDifference * before),
		)
		.sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before))
		.slice(0, mostFunctions)
		.map(({ name, before, after }) => `${name}: ${before.toFixed(2)} → ${after.toFixed(2)} calls`);
}
