// Prints lines at a steady pace, each with the time it was written: nanoseconds of the clock that all processes share.
// Starts once a file exists, so that whoever wants to read along is there by then.
import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

const [, , startFile, lines, interval] = process.argv;
const warmUp = 25;

process.stdout.write("waiting\n");
while (!existsSync(startFile)) await pause(5);
for (let line = -warmUp; line < Number(lines); line++) {
	process.stdout.write(line < 0 ? "warming up\n" : `written ${process.hrtime.bigint()}\n`);
	await pause(Number(interval));
}
