import { readFileSync } from "node:fs";

/** Clock ticks of `/proc` in a second. */
const ticks = 100;

/**
 * Tells of each child as it ends how many seconds of the processor it has used, with all that it has waited for itself. Node does not
 * say so; but the system adds them to this process's account at that moment, so that what has come since the last look is that child's.
 */
export class EndedChildren {
	#seconds = readSeconds();

	/** To be called at the end of each child. What two have used that end at the same moment is told of the first. */
	take(): number {
		const before = this.#seconds;
		this.#seconds = readSeconds();
		return this.#seconds - before;
	}
}

/** Of all children that have ended; 0 where there is no `/proc`. */
function readSeconds(): number {
	try {
		// The name in parentheses may hold spaces.
		const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ") ?? [];
		return (Number(fields[13]) + Number(fields[14])) / ticks;
	} catch {
		return 0;
	}
}
