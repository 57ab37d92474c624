import type { Measured, ProcessorTime } from "./process-figures.ts";

export interface LoadFigures {
	readonly perSecond: number;
	/** POST to succeeded, each. */
	readonly milliseconds: readonly number[];
	/** Milliseconds of processor time for one execution. */
	readonly processorTime: ProcessorTime;
}

/** What each of the operations took, of which `value` has the milliseconds. */
export function toLoadFigures({ value: milliseconds, seconds, time }: Measured<readonly number[]>): LoadFigures {
	const share = (used: number) => (1_000 * used) / milliseconds.length;
	const { server, launcher, processes, client } = time;
	const processorTime = { server: share(server), launcher: share(launcher), processes: share(processes), client: share(client) };
	return { perSecond: milliseconds.length / seconds, milliseconds, processorTime };
}
