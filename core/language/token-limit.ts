import { TemplateError } from "./templates/errors.ts";
import { maxTokensTogether, noteTokens } from "./work-budget.ts";

/** Most names, numbers, texts, operators and tags of one template or expression. */
const maxTokens = 10_000;

/** Characters of a text with escapes that count as one token. */
const escapedCharactersPerToken = 50;
/** Tokens that each template counts in addition to its own. */
const tokensPerTemplate = 4;
/** Counted tokens that are accounted for at once. */
const batch = 100;

const counted = "names, numbers, texts, operators and tags";

/** All templates of one request, or of another piece of work, have too many tokens. Each of them alone may be right. */
export class TooManyTokens extends TemplateError {}

/** Bounds how much of a template is read: the time that reading takes grows with its tokens. */
export class TokenCounter {
	readonly #subject: string;
	readonly #most: number;
	#count = 0;
	#noted = -tokensPerTemplate;

	constructor(subject: "template" | "expression", most = maxTokens) {
		this.#subject = subject;
		this.#most = most;
	}

	/** Counts a token. `TemplateError` if there are too many. */
	add(tokens = 1): void {
		this.#count += tokens;
		if (this.#count > this.#most) throw new TemplateError(`the ${this.#subject} has more than ${this.#most} ${counted}`);
		if (this.#count - this.#noted >= batch) this.note();
	}

	/** Counts a text as written, with its quotes. */
	addText(written: string): void {
		this.add(written.includes("\\") ? 1 + Math.floor(written.length / escapedCharactersPerToken) : 1);
	}

	/** Accounts for what has been counted. `TooManyTokens` if all that is read together has too many. */
	note(): void {
		const tokens = this.#count - this.#noted;
		this.#noted = this.#count;
		if (!noteTokens(tokens)) throw new TooManyTokens(`all ${this.#subject}s together have more than ${maxTokensTogether} ${counted}`);
	}
}
