import { TemplateError } from "./templates/errors.ts";
import { maxTokensPerWork, spendTokens } from "./work-budget.ts";

/** Maximum number of names, numbers, string literals, operators and tags in one template or expression. */
const maxTokens = 10_000;

/** Characters that count as one token in a string literal with escapes. */
const escapedCharactersPerToken = 50;
/** Number of tokens that each template counts in addition to its own. */
const tokensPerTemplate = 4;
/** Number of counted tokens after which they are reported to the budget. */
const reportBatch = 100;

const countedKinds = "names, numbers, strings, operators and tags";

/** All templates of one request, or of another unit of work, have too many tokens together. Each single template may be valid. */
export class TooManyTokensError extends TemplateError {}

/** Limits how much of a template is parsed, because the parsing time grows with the number of tokens. */
export class LexicalTokenCounter {
	readonly #subject: string;
	#count = 0;
	#reportedCount = -tokensPerTemplate;

	constructor(subject: "template" | "expression") {
		this.#subject = subject;
	}

	/** Counts tokens. Throws `TemplateError` if there are too many. */
	add(tokens = 1): void {
		this.#count += tokens;
		if (this.#count > maxTokens) throw new TemplateError(`the ${this.#subject} has more than ${maxTokens} ${countedKinds}`);
		if (this.#count - this.#reportedCount >= reportBatch) this.report();
	}

	/** Counts a string literal, given with its quotes. */
	addText(written: string): void {
		this.add(written.includes("\\") ? 1 + Math.floor(written.length / escapedCharactersPerToken) : 1);
	}

	/** Reports the counted tokens to the current budget. Throws `TooManyTokensError` if all templates together have too many. */
	report(): void {
		const tokens = this.#count - this.#reportedCount;
		this.#reportedCount = this.#count;
		if (!spendTokens(tokens))
			throw new TooManyTokensError(`all ${this.#subject}s together have more than ${maxTokensPerWork} ${countedKinds}`);
	}
}
