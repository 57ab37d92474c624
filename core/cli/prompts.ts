import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { toSeenLines } from "../contract/unseen-text.ts";
import { type CliContext, CliExit } from "./context.ts";

/** Asks questions one after the other. Without a terminal the answers are the lines of the input. */
export interface Prompts {
	/** One line of text; what is typed does not show when `hidden`. Exits with 2 at the end of the input. */
	ask(question: string, options?: { readonly hidden?: boolean }): Promise<string>;
	close(): void;
}

export function openPrompts({ stdin, stderr, onInterrupt }: CliContext): Prompts {
	const terminal = stdin.isTTY === true;
	let hidden = false;
	const echo = new Writable({
		write(chunk: Buffer, _encoding, done) {
			if (!hidden && terminal) stderr.write(chunk);
			done();
		},
	});
	const reader = createInterface({ input: stdin, output: echo, terminal });
	// Lines that come before they are asked for are kept by the iterator.
	const lines = reader[Symbol.asyncIterator]();
	const forget = onInterrupt(() => reader.close());
	reader.once("SIGINT", () => reader.close());
	return {
		async ask(question, options = {}) {
			stderr.write(toSeenLines(question));
			hidden = options.hidden === true;
			const { done, value } = await lines.next();
			if (hidden || !terminal) stderr.write("\n");
			hidden = false;
			if (done === true) throw new CliExit(2, "the input ended before every question was answered");
			return value;
		},
		close() {
			forget();
			reader.close();
		},
	};
}
