import { escapeControlCharacters } from "../contract/control-characters.ts";
import { type CliContext, writePainted } from "./context.ts";
import { paintFor, toOutputCapabilities } from "./output-capabilities.ts";

const frames = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
const frameIntervalMs = 120;
/** Milliseconds before the line is shown. Shorter operations need no line. */
const showDelayMs = 400;
const escapeCharacter = String.fromCharCode(0x1b);
const clearLine = `\r${escapeCharacter}[K`;
const clearBelow = `${escapeCharacter}[J`;
const defaultRows = 24;

/** A line on the terminal that shows a running operation and its duration. It is not shown if stderr is not a terminal. */
export class Progress {
	readonly #context: CliContext;
	readonly #isShown: boolean;
	readonly #started = performance.now();
	#text: string;
	#below: readonly string[] = [];
	#drawnBelow = 0;
	#frame = 0;
	#isDrawn = false;
	#isOver = false;
	#timer: NodeJS.Timeout | undefined;

	constructor(text: string, context: CliContext) {
		this.#text = text;
		this.#context = context;
		const { isTerminal } = toOutputCapabilities(context.stderr, context.env);
		this.#isShown = isTerminal && context.env["TERM"] !== "dumb";
		this.#begin();
	}

	/** Changes the message of the line. */
	update(text: string): void {
		this.#text = text;
	}

	/** Sets the lines below the progress line. Only as many as fit are shown. */
	updateBelow(lines: readonly string[]): void {
		this.#below = lines;
	}

	/** True if stderr is a terminal that can show the line. */
	get isShown(): boolean {
		return this.#isShown;
	}

	/** Hides the line during `write`, which prints permanent output. The line reappears after a moment without output. */
	async aside(write: () => Promise<void>): Promise<void> {
		this.hide();
		await write();
		if (!this.#isOver) this.#begin();
	}

	/** Removes the line permanently. */
	stop(): void {
		this.#isOver = true;
		this.hide();
	}

	hide(): void {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		if (!this.#isDrawn) return;
		this.#isDrawn = false;
		this.#context.stderr.write(this.#clear());
	}

	/** Returns the control sequence that clears the line and those below it. */
	#clear(): string {
		const below = this.#drawnBelow;
		this.#drawnBelow = 0;
		return clearLine + (below === 0 ? "" : `${clearBelow}`);
	}

	#begin(): void {
		// Two concurrent writes must start only one timer.
		clearTimeout(this.#timer);
		if (this.#isShown) this.#timer = setTimeout(() => this.#draw(), showDelayMs).unref();
	}

	#draw(): void {
		const { stderr, env } = this.#context;
		const screen = toOutputCapabilities(stderr, env);
		const seconds = Math.floor((performance.now() - this.#started) / 1_000);
		const line = `${escapeControlCharacters(this.#text)} ${seconds} s`.slice(0, Math.max(0, screen.width - 3));
		stderr.write(this.#clear());
		void writePainted(stderr, `${paintFor(screen)("cyan", frames[this.#frame++ % frames.length] ?? "")} ${line}`);
		this.#drawBelow(screen.width);
		this.#isDrawn = true;
		this.#timer = setTimeout(() => this.#draw(), frameIntervalMs).unref();
	}

	/** Writes the lines below and moves the cursor back to the first line. */
	#drawBelow(width: number): void {
		const { stderr } = this.#context;
		const room = Math.max(0, ("rows" in stderr ? Number(stderr.rows) : defaultRows) - 2);
		// Show the last lines, because they contain the running operations.
		const lines = this.#below.slice(-room).map((line) => escapeControlCharacters(line).slice(0, Math.max(0, width - 1)));
		if (room === 0 || lines.length === 0) return;
		void writePainted(stderr, lines.map((line) => `\n${line}`).join(""));
		stderr.write(`\r${escapeCharacter}[${lines.length}A`);
		this.#drawnBelow = lines.length;
	}
}
