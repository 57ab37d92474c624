/** A figure to reach. Where there is more than one limit, the first is what must hold and the last what is aimed at. */
export interface Goal {
	/** Key of the figure in `Measurement.values`. */
	readonly name: string;
	/** What the figure says, with both sides of a ratio. */
	readonly label: string;
	readonly unit?: "ms" | "MiB" | "MB" | "%";
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
	/** The same for something that takes long to make, shared by all benchmarks of a run. */
	share<R extends Resource>(name: string, start: () => Promise<R>): Promise<R>;
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
	options: {
		readonly rounds: number;
		readonly quick: boolean;
		/** Outlives the benchmark; the caller stops what is in it. */
		readonly shared: Resources;
		readonly onRound: (number: number, measurement: Measurement) => void;
	},
): Promise<readonly Measurement[]> {
	const { quick, shared } = options;
	const own = createResources();
	const measurements: Measurement[] = [];
	try {
		for (let number = 1; number <= options.rounds; number++) {
			const measurement = await benchmark.run(createRound(number, { quick, own, shared }));
			options.onRound(number, measurement);
			measurements.push(measurement);
		}
		return measurements;
	} finally {
		await own.stop();
	}
}

/** Things by name, each started once. */
export interface Resources {
	use: Round["use"];
	/** Stop all that have been started, the last first. */
	stop(): Promise<void>;
}

export function createResources(): Resources {
	const resources = new Map<string, Promise<Resource>>();
	return {
		use<R extends Resource>(name: string, start: () => Promise<R>): Promise<R> {
			const known = resources.get(name) ?? start();
			resources.set(name, known);
			return known as Promise<R>;
		},
		async stop() {
			const started = await Promise.allSettled(resources.values());
			// The last first, as it may stand on others. One that could not be started has failed its round already.
			for (const resource of started.reverse()) if (resource.status === "fulfilled") await resource.value.stop();
		},
	};
}

interface RoundParts {
	readonly quick: boolean;
	readonly own: Resources;
	readonly shared: Resources;
}

function createRound(number: number, { quick, own, shared }: RoundParts): Round {
	return {
		number,
		quick,
		use: own.use,
		share: shared.use,
		async alternate<A, B>(first: () => Promise<A>, second: () => Promise<B>): Promise<readonly [A, B]> {
			if (number % 2 === 1) return [await first(), await second()];
			const later = await second();
			return [await first(), later];
		},
	};
}
