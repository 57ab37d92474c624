/** A figure to reach. Where there is more than one limit, the first is what must hold and the last what is aimed at. */
export interface Goal {
	/** Key of the figure in `Measurement.values`. */
	readonly name: string;
	/** What the figure says, with both sides of a ratio. */
	readonly label: string;
	readonly unit?: "ms" | "MiB";
	readonly direction: "at least" | "at most";
	/** Empty for a figure that is reported only. */
	readonly limits: readonly number[];
}

/** What one round has measured. */
export interface Measurement {
	/** A value for each goal, by its name. */
	readonly values: Readonly<Record<string, number>>;
	/** The figures behind them, in words. */
	readonly detail: string;
}

/** Something that lives as long as the rounds of a benchmark. */
export interface Resource {
	stop(): Promise<void>;
}

/** One turn of a benchmark: its subject and its limit or peer, one straight after the other. */
export interface Round {
	/** From 1. */
	readonly number: number;
	/** Whether seconds matter more than steady figures. */
	readonly quick: boolean;
	/** Something that the rounds share: started by the first that asks, stopped after the last. */
	use<R extends Resource>(name: string, start: () => Promise<R>): Promise<R>;
	/** Run two things in turn. Which goes first changes with every round, so that a drift of the machine favours neither. */
	alternate<A, B>(first: () => Promise<A>, second: () => Promise<B>): Promise<readonly [A, B]>;
}

/** What every `bench/<id>-<name>.ts` exports as `benchmark`. */
export interface Benchmark {
	/** As in the goals: `P1`. */
	readonly id: string;
	readonly title: string;
	readonly goals: readonly Goal[];
	run(round: Round): Promise<Measurement>;
}

/** Run a benchmark `rounds` times. What the rounds have started is stopped, whatever happens. */
export async function runRounds(
	benchmark: Benchmark,
	options: { readonly rounds: number; readonly quick: boolean; readonly onRound: (number: number, measurement: Measurement) => void },
): Promise<readonly Measurement[]> {
	const resources = new Map<string, Promise<Resource>>();
	const measurements: Measurement[] = [];
	try {
		for (let number = 1; number <= options.rounds; number++) {
			const measurement = await benchmark.run(createRound(number, options.quick, resources));
			options.onRound(number, measurement);
			measurements.push(measurement);
		}
		return measurements;
	} finally {
		// A resource that could not be started has failed its round already.
		for (const started of await Promise.allSettled(resources.values())) if (started.status === "fulfilled") await started.value.stop();
	}
}

function createRound(number: number, quick: boolean, resources: Map<string, Promise<Resource>>): Round {
	return {
		number,
		quick,
		use<R extends Resource>(name: string, start: () => Promise<R>): Promise<R> {
			const known = resources.get(name) ?? start();
			resources.set(name, known);
			return known as Promise<R>;
		},
		async alternate<A, B>(first: () => Promise<A>, second: () => Promise<B>): Promise<readonly [A, B]> {
			if (number % 2 === 1) return [await first(), await second()];
			const later = await second();
			return [await first(), later];
		},
	};
}
