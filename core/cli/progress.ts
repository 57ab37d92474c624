import { escapeControlCharacters } from "../contract/control-characters.ts";
import { type CliContext, writePainted } from "./context.ts";
import { paintFor, screenOf } from "./screen.ts";

const frames = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
const frameTime = 120;
/** What is done sooner is not worth a line. */
const patience = 400;
const escapeCharacter = String.fromCharCode(0x1b);
const clearLine = `\r${escapeCharacter}[K`;
const clearBelow = `${escapeCharacter}[J`;
const fewestRows = 24;

/** A line on the terminal that says what is waited for, and for how long. Where nobody looks at stderr it is not there. */
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
		const { isTerminal } = screenOf(context.stderr, context.env);
		this.#isShown = isTerminal && context.env["TERM"] !== "dumb";
		this.#begin();
	}

	/** Say something else from now on. */
	update(text: string): void {
		this.#text = text;
	}

	/** Lines below it, as many as there is room for. */
	updateBelow(lines: readonly string[]): void {
		this.#below = lines;
	}

	/** Whether somebody may see it. */
	get isShown(): boolean {
		return this.#isShown;
	}

	/** Write what is to stay, without the line in between; it comes back when nothing is written for a moment. */
	async aside(write: () => Promise<void>): Promise<void> {
		this.hide();
		await write();
		if (!this.#isOver) this.#begin();
	}

	/** Take the line away for good. */
	stop(): void {
		this.#isOver = true;
		this.hide();
	}

	/** Take the line away. */
	hide(): void {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		if (!this.#isDrawn) return;
		this.#isDrawn = false;
		this.#context.stderr.write(this.#clear());
	}

	/** What takes away the line and those below it. */
	#clear(): string {
		const below = this.#drawnBelow;
		this.#drawnBelow = 0;
		return clearLine + (below === 0 ? "" : `${clearBelow}`);
	}

	#begin(): void {
		// Two pieces that are written at the same time begin it once.
		clearTimeout(this.#timer);
		if (this.#isShown) this.#timer = setTimeout(() => this.#draw(), patience).unref();
	}

	#draw(): void {
		const { stderr, env } = this.#context;
		const screen = screenOf(stderr, env);
		const seconds = Math.floor((performance.now() - this.#started) / 1_000);
		const line = `${escapeControlCharacters(this.#text)} ${seconds} s`.slice(0, Math.max(0, screen.width - 3));
		stderr.write(this.#clear());
		void writePainted(stderr, `${paintFor(screen)("cyan", frames[this.#frame++ % frames.length] ?? "")} ${line}`);
		this.#drawBelow(screen.width);
		this.#isDrawn = true;
		this.#timer = setTimeout(() => this.#draw(), frameTime).unref();
	}

	/** Written under the line, to which the cursor goes back. */
	#drawBelow(width: number): void {
		const { stderr } = this.#context;
		const room = Math.max(0, ("rows" in stderr ? Number(stderr.rows) : fewestRows) - 2);
		// What goes on is at the end.
		const lines = this.#below.slice(-room).map((line) => escapeControlCharacters(line).slice(0, Math.max(0, width - 1)));
		if (room === 0 || lines.length === 0) return;
		void writePainted(stderr, lines.map((line) => `\n${line}`).join(""));
		stderr.write(`\r${escapeCharacter}[${lines.length}A`);
		this.#drawnBelow = lines.length;
	}
}
