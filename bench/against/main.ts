import { tmpdir } from "node:os";
import { findMemoryDisk } from "../../scripts/memory-disk.ts";
import { ownBuild } from "../harness/service.ts";
import { findBuild } from "./build.ts";
import { type ComparedLoad, comparedLoads } from "./loads.ts";
import { toReport } from "./report.ts";
import { runTurns } from "./run-turns.ts";

export interface AgainstOptions {
	/** Directory of the build to compare with, or of a checkout that has one. */
	readonly against: string;
	/** Ids of benchmarks; all if empty. */
	readonly names: readonly string[];
	readonly turns: number;
}

/** Compares the build of this checkout with another one. Returns whether it is slower. */
export async function compareBuilds({ against, names, turns }: AgainstOptions): Promise<boolean> {
	const base = findBuild(against);
	useMemoryDisk();
	let isSlower = false;
	for (const load of findLoads(names)) {
		process.stdout.write(`${load.id}  ${load.title}\n`);
		const report = toReport(await runTurns(load, { builds: { base, candidate: ownBuild, control: base }, turns }));
		for (const line of report.lines) process.stdout.write(`  ${line}\n`);
		isSlower ||= report.verdict === "slower";
	}
	return isSlower;
}

/** The disk would add more chance than most changes cost. `TMPDIR` chooses another place. */
export function useMemoryDisk(): void {
	process.env["TMPDIR"] ??= findMemoryDisk() ?? tmpdir();
}

export function findLoads(names: readonly string[]): readonly ComparedLoad[] {
	const ids = comparedLoads.map(({ id }) => id);
	const unknown = names.find((name) => !ids.includes(name.toUpperCase()));
	if (unknown !== undefined) throw new Error(`${unknown}: builds can be compared by ${[...new Set(ids)].join(", ")}`);
	return comparedLoads.filter(({ id }) => names.length === 0 || names.some((name) => name.toUpperCase() === id));
}
