import { readFileSync } from "node:fs";

/** Milliseconds of a clock tick of `/proc`. */
const tick = 10;

/** Milliseconds of the processor's time that the main thread of a process has used; 0 when it is gone. */
export function readProcessorTime(pid: number): number {
	try {
		// The name in parentheses may hold spaces.
		const fields = readFileSync(`/proc/${pid}/task/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
		return (Number(fields[11]) + Number(fields[12])) * tick;
	} catch {
		return 0;
	}
}
