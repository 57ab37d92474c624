import { tmpdir } from "node:os";
import { findMemoryDisk } from "../../scripts/memory-disk.ts";
import { ownBuild } from "../harness/service.ts";
import { findBuild } from "./build.ts";
import { isExactEnough, type Start } from "./comparison.ts";
import { countOperations, describeCounts } from "./counts.ts";
import { type ComparedLoad, comparedLoads } from "./loads.ts";
import { findChangedPlans, type Plans, readClaimPlans, readPostgresPlans, readSqlitePlans } from "./plans.ts";
import { toProgress, toReport } from "./report.ts";
import { runTurns } from "./run-turns.ts";

export interface AgainstOptions {
	/** Directory of the build to compare with, or of a checkout that has one. */
	readonly against: string;
	/** Ids of benchmarks; all if empty. */
	readonly names: readonly string[];
	/** Turns of each build at least. */
	readonly turns: number;
	/** Count what an operation does instead of measuring how fast it is. */
	readonly counts: boolean;
}

/** Compares the build of this checkout with another one. Returns whether it is slower. */
export async function compareBuilds({ against, names, turns, counts }: AgainstOptions): Promise<boolean> {
	const base = findBuild(against);
	useMemoryDisk();
	let isSlower = false;
	for (const load of findLoads(names)) {
		process.stdout.write(`${load.id}  ${load.title}\n`);
		if (counts) {
			const [before, after] = [await countOperations(load, base), await countOperations(load, ownBuild)];
			for (const line of describeCounts(before, after)) process.stdout.write(`  ${line}\n`);
			continue;
		}
		const builds = { base, candidate: ownBuild, control: base };
		const isEnough = (starts: readonly Start[]) => {
			const progress = toProgress(starts);
			if (progress !== undefined) process.stdout.write(`  ${progress}\n`);
			return isExactEnough(starts, turns);
		};
		const report = toReport(await runTurns(load, { builds, isEnough }));
		for (const line of report.lines) process.stdout.write(`  ${line}\n`);
		isSlower ||= report.verdict === "slower";
	}
	await comparePlans(base, names);
	return isSlower;
}

/** Shows which requests of P12 and claims of P20 databases carry out in another way. */
async function comparePlans(base: string, names: readonly string[]): Promise<void> {
	const isNamed = (id: string) => names.length === 0 || names.some((name) => name.toUpperCase() === id);
	if (isNamed("P12")) {
		writeChangedPlans("P12  lists on SQLite", await readSqlitePlans(base), await readSqlitePlans(ownBuild));
		writeChangedPlans("P12  lists on PostgreSQL", await readPostgresPlans(base), await readPostgresPlans(ownBuild));
	}
	if (!isNamed("P20")) return;
	const [before, after] = [await readClaimPlans(base), await readClaimPlans(ownBuild)];
	writeChangedPlans("P20  claims on PostgreSQL", before.plans, after.plans);
	process.stdout.write(`  statements for an execution: ${before.perExecution.toFixed(2)} → ${after.perExecution.toFixed(2)}\n`);
}

function writeChangedPlans(title: string, before: Plans, after: Plans): void {
	const changed = findChangedPlans(before, after);
	const found = changed.length === 0 ? `same for ${after.size} kinds of requests` : "plans or numbers of statements differ";
	process.stdout.write(`${title}: ${found}\n${changed.map((line) => `  ${line}\n`).join("")}`);
}

/** The disk would add more chance than most changes cost. `TMPDIR` chooses another place. */
export function useMemoryDisk(): void {
	process.env["TMPDIR"] ??= findMemoryDisk() ?? tmpdir();
}

export function findLoads(names: readonly string[]): readonly ComparedLoad[] {
	const ids = comparedLoads.map(({ id }) => id);
	const all = [...new Set(ids), "P12", "P20"];
	const unknown = names.find((name) => !all.includes(name.toUpperCase()));
	if (unknown !== undefined) throw new Error(`${unknown}: builds can be compared by ${all.join(", ")}`);
	return comparedLoads.filter(({ id }) => names.length === 0 || names.some((name) => name.toUpperCase() === id));
}
