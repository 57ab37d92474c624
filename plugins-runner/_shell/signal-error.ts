import { constants } from "node:os";

/**
 * Says which signal ended a process; returns undefined if none did.
 *
 * @param number exit code of the process, or the number of the signal that ended it, negated
 */
export function toSignalError(number: number): string | undefined {
	if (number >= 0) return undefined;
	const name = Object.entries(constants.signals).find(([, value]) => value === -number)?.[0];
	const cause = name === "SIGKILL" ? ", perhaps for want of memory" : "";
	return `the process was ended by signal ${-number}${name === undefined ? "" : ` (${name})`}${cause}`;
}
