import { ownBuild } from "../harness/service.ts";
import { isExactEnough, type Round } from "./comparison.ts";
import type { ComparedLoad } from "./loads.ts";
import { findLoads, useMemoryDisk } from "./main.ts";
import { plantDelay } from "./planted-build.ts";
import { type ComparisonReport, toReport } from "./report.ts";
import { measureTurn, runTurns, type TurnsByName, warmUp } from "./run-turns.ts";

/** Share of the processor time of an operation that the planted delay takes. */
const plantedShare = 0.03;

export interface ProofOptions {
	readonly repetitions: number;
	/** Ids of benchmarks; P1 and P4 if empty. */
	readonly names: readonly string[];
	readonly turns: number;
}

/**
 * Shows what comparisons are worth on this machine as it is now. Each compares the build with itself, which must show no
 * difference, and with a copy that is slower by 3 %, which must be found. Returns whether all were right.
 */
export async function proveComparisons({ repetitions, names, turns }: ProofOptions): Promise<boolean> {
	useMemoryDisk();
	let isRight = true;
	for (const load of findLoads(names.length === 0 ? ["P1", "P4"] : names)) {
		const milliseconds = plantedShare * (await measureOperation(load));
		process.stdout.write(`${load.id}  ${load.title}; planted: ${milliseconds.toFixed(4)} ms\n`);
		let [silent, found] = [0, 0];
		for (let number = 1; number <= repetitions; number++) {
			const { itself, planted } = await compareOnce(load, { milliseconds, turns });
			for (const [title, { lines }] of Object.entries({ itself, planted }))
				for (const line of lines) process.stdout.write(`  ${number} ${title}: ${line}\n`);
			if (itself.verdict === "no difference") silent++;
			if (planted.verdict === "slower") found++;
		}
		process.stdout.write(`  silent about itself: ${silent} of ${repetitions}; planted 3 % found: ${found} of ${repetitions}\n`);
		isRight &&= silent === repetitions && found === repetitions;
	}
	return isRight;
}

/** Milliseconds of processor time that an operation takes: the least of a few turns, as other work on the machine adds to it. */
async function measureOperation(load: ComparedLoad): Promise<number> {
	const subject = await load.start({ build: ownBuild });
	try {
		await warmUp([subject], load.warmUp);
		const turns = [await measureTurn(subject), await measureTurn(subject), await measureTurn(subject)];
		return Math.min(...turns.map(({ processorTime }) => processorTime));
	} finally {
		await subject.stop();
	}
}

async function compareOnce(
	load: ComparedLoad,
	{ milliseconds, turns }: { readonly milliseconds: number; readonly turns: number },
): Promise<{ readonly itself: ComparisonReport; readonly planted: ComparisonReport }> {
	const copy = await plantDelay(ownBuild, milliseconds);
	try {
		const builds = { base: ownBuild, itself: ownBuild, planted: copy.directory, control: ownBuild };
		const starts = await runTurns(load, { builds, isEnough: (starts) => isExactEnough(starts.map(toItself), turns) });
		return { itself: toReport(starts.map(toItself)), planted: toReport(starts.map(toPlanted)) };
	} finally {
		await copy.stop();
	}
}

type Turns = TurnsByName<"base" | "itself" | "planted" | "control">;

function toItself(rounds: readonly Turns[]): readonly Round[] {
	return rounds.map(({ itself, ...others }) => ({ ...others, candidate: itself }));
}

function toPlanted(rounds: readonly Turns[]): readonly Round[] {
	return rounds.map(({ planted, ...others }) => ({ ...others, candidate: planted }));
}
