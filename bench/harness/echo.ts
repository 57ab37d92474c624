import { runChild } from "./child.ts";
import type { LoadFigures } from "./load-figures.ts";
import { describeTime } from "./process-figures.ts";
import { median } from "./statistics.ts";

/** The command of P1 to P3 and P15. */
export const command = "echo hi";
export const echo = JSON.stringify({ action: "core.local", parameters: { cmd: command } });
export const inFlight = 16;

export interface SpawnFigures {
	readonly perSecond: number;
	readonly milliseconds: readonly number[];
}

/** What a fresh Node process does that starts the command again and again. */
export async function measureSpawning(options: {
	readonly inFlight: number;
	readonly seconds: number;
	readonly pauseMilliseconds?: number;
}): Promise<SpawnFigures> {
	const facts = await runChild("spawn.mjs", { input: { command, pauseMilliseconds: 0, ...options } });
	const { milliseconds } = facts as { readonly milliseconds: readonly number[] };
	return { perSecond: milliseconds.length / options.seconds, milliseconds };
}

export function describeRate({ perSecond, milliseconds, processorTime }: LoadFigures): string {
	return `${perSecond.toFixed(0)}/s, p50 ${median(milliseconds).toFixed(1)} ms (CPU ms each: ${describeTime(processorTime)})`;
}
