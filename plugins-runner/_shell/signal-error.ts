import { constants } from "node:os";

/**
 * Says which signal ended a process; returns undefined if none did.
 *
 * @param number exit code of the process, or the number of the signal that ended it, negated
 */
export function toSignalError(number: number): string | undefined {
	return number < 0 ? `the process was ended by signal ${toNamedSignal(-number)}` : undefined;
}

/**
 * Says which signal ended the program of a container, of which engines and shells tell an exit code only: 128 and the number of the signal.
 * Returns undefined for an exit code that stands for no signal.
 */
export function toExitCodeError(exitCode: number): string | undefined {
	const number = exitCode - 128;
	if (nameOf(number) === undefined) return undefined;
	return `the exit code ${exitCode} says that the program was ended by signal ${toNamedSignal(number)}`;
}

function toNamedSignal(number: number): string {
	const name = nameOf(number);
	const cause = name === "SIGKILL" ? ", perhaps for want of memory" : "";
	return `${number}${name === undefined ? "" : ` (${name})`}${cause}`;
}

function nameOf(number: number): string | undefined {
	return Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
}
