import { createResources } from "../harness/benchmark.ts";
import { orderOfRound, type Turn } from "./comparison.ts";
import type { ComparedLoad, Subject } from "./loads.ts";
import { measureProcessorTime } from "./processor-time.ts";

/**
 * The speed of a shared machine changes within a second, and the ratio of two turns contains such a change. With turns of 0.1 s instead of
 * 0.5 s, and the same time in total, the ratios of P4 of different starts deviated by 2 % instead of 7 %.
 */
const turnSeconds = 0.1;
/** Rounds of a start, which take about as long as starting and warming up. Each order of three or four services occurs equally often. */
const roundsOfStart = 96;
/** Seconds of a piece of the load before the first turn. */
const warmUpSeconds = 1;

/** A turn of each service. */
export type TurnsByName<Name extends string> = Readonly<Record<Name, Turn>>;

export interface TurnOptions<Name extends string> {
	/** Directory of each build. */
	readonly builds: Readonly<Record<Name, string>>;
	/** Called after the rounds of each start. */
	isEnough(starts: readonly (readonly TurnsByName<Name>[])[]): boolean;
}

/** Starts a service from each build, puts load on one of them at a time, and starts all of them anew, until there are enough rounds. */
export async function runTurns<Name extends string>(
	load: ComparedLoad,
	{ builds, isEnough }: TurnOptions<Name>,
): Promise<readonly (readonly TurnsByName<Name>[])[]> {
	const starts: (readonly TurnsByName<Name>[])[] = [];
	while (starts.length === 0 || !isEnough(starts)) starts.push(await runStart(load, builds, starts.length));
	return starts;
}

/** @param startsBefore number of starts before this one */
async function runStart<Name extends string>(
	load: ComparedLoad,
	builds: Readonly<Record<Name, string>>,
	startsBefore: number,
): Promise<readonly TurnsByName<Name>[]> {
	const resources = createResources();
	try {
		const subjects = new Map<Name, Subject>();
		// All services that run at the same time get the same seed, so that only their code differs. The next start uses another seed and another
		// order of starting, so that an advantage that comes from either shows as a deviation between starts.
		for (const name of orderOfRound(Object.keys(builds) as Name[], startsBefore))
			subjects.set(name, await resources.use(name, () => load.start({ build: builds[name], seed: startsBefore + 1 })));
		await warmUp([...subjects.values()], load.warmUp);
		const rounds: TurnsByName<Name>[] = [];
		while (rounds.length < roundsOfStart) {
			const measured = new Map<Name, Turn>();
			for (const [name, subject] of orderOfRound([...subjects], rounds.length)) measured.set(name, await measureTurn(subject));
			rounds.push(Object.fromEntries(measured) as TurnsByName<Name>);
		}
		return rounds;
	} finally {
		await resources.stop();
	}
}

/** Services run for weeks, so their code is compiled. Every service does the same number of operations, as compiling depends on it. */
export async function warmUp(subjects: readonly Subject[], operations: number): Promise<void> {
	const done = new Map(subjects.map((subject) => [subject, 0]));
	// In turn: a service that waits while the others do all of theirs has lost part of it again.
	while (Math.min(...done.values()) < operations) {
		for (const [subject, before] of done) {
			if (before < operations) done.set(subject, before + (await subject.load(warmUpSeconds)));
		}
	}
}

export async function measureTurn(subject: Subject): Promise<Turn> {
	const started = performance.now();
	const { value: operations, processorTime } = await measureProcessorTime(subject.pids, () => subject.load(turnSeconds));
	return { rate: (1_000 * operations) / (performance.now() - started), processorTime: processorTime / operations };
}
