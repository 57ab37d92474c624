import { constants } from "node:os";

/**
 * Returns a message with the signal that ended a process; undefined if no signal did.
 *
 * @param number exit code of the process, or the negated number of the signal that ended it
 */
export function toSignalError(number: number): string | undefined {
	return number < 0 ? `the process was ended by signal ${toNamedSignal(-number)}` : undefined;
}

/**
 * Returns a message with the signal that ended the program of a container. Engines and shells report it only as an exit code: 128 plus the
 * number of the signal. Returns undefined for other exit codes.
 */
export function toExitCodeError(exitCode: number): string | undefined {
	const number = exitCode - 128;
	if (nameOf(number) === undefined) return undefined;
	return `exit code ${exitCode}: the program was ended by signal ${toNamedSignal(number)}`;
}

function toNamedSignal(number: number): string {
	const name = nameOf(number);
	const cause = name === "SIGKILL" ? ", possibly because it ran out of memory" : "";
	return `${number}${name === undefined ? "" : ` (${name})`}${cause}`;
}

function nameOf(number: number): string | undefined {
	return Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
}
