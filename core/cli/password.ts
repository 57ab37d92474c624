import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { type CliContext, CliExit } from "./context.ts";

/** Reads a password, which is not shown while it is typed. Without a terminal it is the first line of the input. */
export function readPassword(
	prompt: string,
	{ stdin, stderr, onInterrupt }: CliContext,
	missing = "password: missing; enter it at the prompt, or send it to standard input",
): Promise<string> {
	const terminal = stdin.isTTY === true;
	const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
	const reader = createInterface({ input: stdin, output: silent, terminal });
	// Print the prompt only now: input typed before the reader existed would be shown.
	if (terminal) stderr.write(prompt);
	return new Promise((resolve, reject) => {
		const interrupted = () => reader.close();
		const forget = onInterrupt(interrupted);
		reader.once("SIGINT", interrupted);
		reader.once("line", (line) => {
			resolve(line);
			reader.close();
		});
		reader.once("close", () => {
			forget();
			if (terminal) stderr.write("\n");
			reject(new CliExit(2, missing));
		});
	});
}
