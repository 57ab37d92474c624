import { existsSync, readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The clock of a process that a test sets while the process runs, as somebody sets the clock of a machine. */
export interface FalseClock {
	/** What the process must be started with. */
	readonly environment: Readonly<Record<string, string>>;
	/** Put it so many seconds off the right time. */
	set(seconds: number): Promise<void>;
}

/** What stands between a process and the clock of its machine: the library of the Debian package `faketime`. */
const library = findLibrary();

/** Whether clocks can be set on this machine. */
export const hasFalseClocks = library !== undefined;

/** @param file says what time it is; written and removed with the directory it lies in */
export function createFalseClock(file: string): FalseClock {
	if (library === undefined) return { environment: {}, set: async () => {} };
	return {
		environment: {
			LD_PRELOAD: library,
			FAKETIME_TIMESTAMP_FILE: file,
			FAKETIME_NO_CACHE: "1",
			// What passes, passes on every machine alike.
			FAKETIME_DONT_FAKE_MONOTONIC: "1",
		},
		set: (seconds) => writeFile(file, `${seconds < 0 ? "-" : "+"}${Math.abs(seconds)}\n`),
	};
}

function findLibrary(): string | undefined {
	const root = "/usr/lib";
	return readdirSync(root)
		.map((name) => join(root, name, "faketime/libfaketime.so.1"))
		.find((path) => existsSync(path));
}
