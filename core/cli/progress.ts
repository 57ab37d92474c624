import { toSeenLine } from "../contract/unseen-text.ts";
import { type CliContext, writePainted } from "./context.ts";
import { paintFor, screenOf } from "./screen.ts";

const frames = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
const frameTime = 120;
/** What is done sooner is not worth a line. */
const patience = 400;
const escapeCharacter = String.fromCharCode(0x1b);
const clearLine = `\r${escapeCharacter}[K`;

/** A line on the terminal that says what is waited for, and for how long. Where nobody looks at stderr it is not there. */
export class Progress {
	readonly #context: CliContext;
	readonly #isShown: boolean;
	readonly #started = performance.now();
	#text: string;
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
		this.#context.stderr.write(clearLine);
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
		const line = `${toSeenLine(this.#text)} ${seconds} s`.slice(0, Math.max(0, screen.width - 3));
		stderr.write(clearLine);
		void writePainted(stderr, `${paintFor(screen)("cyan", frames[this.#frame++ % frames.length] ?? "")} ${line}`);
		this.#isDrawn = true;
		this.#timer = setTimeout(() => this.#draw(), frameTime).unref();
	}
}
