import { constants } from "node:os";
import type { ProcessExit } from "./spawner.ts";

/** One number for how a process ended: its exit code, or the number of the signal that ended it, negated. */
export function toExitNumber({ code, signal }: ProcessExit): number {
	if (code !== null) return code;
	const numbers: Readonly<Record<string, number>> = constants.signals;
	return -((signal === null ? undefined : numbers[signal]) ?? Number(signal?.replace(/^SIG/, "") ?? 1));
}
