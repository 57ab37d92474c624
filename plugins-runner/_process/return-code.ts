import { constants } from "node:os";
import type { ProcessExit } from "./spawner.ts";

/** Returns the exit code of a process, or the negated number of the signal that ended it. */
export function toReturnCode({ code, signal }: ProcessExit): number {
	if (code !== null) return code;
	const numbers: Readonly<Record<string, number>> = constants.signals;
	return -((signal === null ? undefined : numbers[signal]) ?? Number(signal?.replace(/^SIG/, "") ?? 1));
}
