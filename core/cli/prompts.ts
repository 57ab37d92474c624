import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import { escapeControlCharacters, escapeControlCharactersInLines } from "../contract/control-characters.ts";
import { type CliContext, CliExit } from "./context.ts";
import { toOutputCapabilities } from "./output-capabilities.ts";

/** A possible answer to a question. */
export interface Choice<T> {
	readonly label: string;
	readonly value: T;
}

/** Prompts for answers one after the other. Without a terminal, the answers are the lines of the input. */
export class Prompts {
	readonly #context: CliContext;
	readonly #isTerminal: boolean;
	#reader: Reader | undefined;

	constructor(context: CliContext) {
		this.#context = context;
		this.#isTerminal = context.stdin.isTTY === true;
	}

	/** True if answers can be selected with the arrow keys: only on the terminal of this process, because the list is drawn there. */
	get canChoose(): boolean {
		const { stdin, stdout, env } = this.#context;
		return (
			this.#isTerminal &&
			stdin === process.stdin &&
			stdout === process.stdout &&
			toOutputCapabilities(stdout, env).isTerminal &&
			env["TERM"] !== "dumb"
		);
	}

	/** Reads one line, which is not displayed if `hidden` is set. Exits with 2 at the end of the input. */
	async ask(question: string, { hidden = false }: { readonly hidden?: boolean } = {}): Promise<string> {
		const { stderr } = this.#context;
		this.#reader ??= new Reader(this.#context);
		stderr.write(escapeControlCharactersInLines(question));
		const line = await this.#reader.read(hidden);
		if (hidden || !this.#isTerminal) stderr.write("\n");
		if (line === undefined) throw inputEnded();
		return line;
	}

	/** Returns the selected choice. Exits with 2 if none is selected. */
	async choose<T>(question: string, choices: readonly Choice<T>[], initial: number): Promise<T> {
		// Two readers of the same terminal would each get a part of the input.
		this.close();
		const { consola } = await import("consola");
		const options = choices.map(({ label }, index) => ({ label: escapeControlCharacters(label), value: String(index) }));
		const taken = await consola.prompt(escapeControlCharacters(question.trim().replaceAll("\n", " ")), {
			type: "select",
			options,
			initial: String(initial),
			cancel: "undefined",
		});
		const choice = choices[Number(taken ?? Number.NaN)];
		if (choice === undefined) throw inputEnded();
		return choice.value;
	}

	close(): void {
		this.#reader?.close();
		this.#reader = undefined;
	}
}

function inputEnded(): CliExit {
	return new CliExit(2, "the input ended before all questions were answered; nothing was sent");
}

/** Reads the lines of the input. */
class Reader {
	readonly #reader: Interface;
	readonly #lines: NodeJS.AsyncIterator<string>;
	readonly #forget: () => void;
	#isHidden = false;

	constructor({ stdin, stderr, onInterrupt }: CliContext) {
		const terminal = stdin.isTTY === true;
		const echo = new Writable({
			write: (chunk: Buffer, _encoding, done) => {
				if (!this.#isHidden && terminal) stderr.write(chunk);
				done();
			},
		});
		this.#reader = createInterface({ input: stdin, output: echo, terminal });
		// The iterator buffers lines that arrive before they are read.
		this.#lines = this.#reader[Symbol.asyncIterator]();
		this.#forget = onInterrupt(() => this.#reader.close());
		this.#reader.once("SIGINT", () => this.#reader.close());
	}

	/** Returns the next line, or undefined at the end of the input. */
	async read(hidden: boolean): Promise<string | undefined> {
		this.#isHidden = hidden;
		const { done, value } = await this.#lines.next();
		this.#isHidden = false;
		return done === true ? undefined : value;
	}

	close(): void {
		this.#forget();
		this.#reader.close();
	}
}
