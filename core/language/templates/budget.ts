import { currentWork } from "../work-budget.ts";
import { TemplateError } from "./errors.ts";

export interface TemplateLimits {
	/** Operations of one template; long texts and lists count for more. Default 100,000. */
	readonly steps: number;
	/** Characters of the output, and of any text made on the way. Default 1 MiB. */
	readonly output: number;
	/** Nesting of expressions, statements and printed values. Default 100. */
	readonly depth: number;
}

export const defaultLimits: TemplateLimits = { steps: 100_000, output: 1_048_576, depth: 100 };

/** Characters that cost one step. */
const charactersPerStep = 256;

/** What one template may still use. Every operation whose cost depends on values asks here first. */
export class Budget {
	readonly limits: TemplateLimits;
	/** What messages call it. */
	readonly #subject: string;
	/** All that is rendered together shares it. */
	readonly #work = currentWork();
	#steps = 0;

	constructor(limits: TemplateLimits, subject: "template" | "expression" = "template") {
		this.limits = limits;
		this.#subject = subject;
	}

	/** Account for `count` operations. */
	step(count = 1): void {
		this.#steps += count;
		if (!(this.#steps <= this.limits.steps)) throw new TemplateError(`the ${this.#subject} takes more than ${this.limits.steps} steps`);
		if (!this.#work.takes(count)) throw new TemplateError(`the ${this.#subject}s take too many steps together`);
	}

	/** Account for a text about to be made, of `length` characters. */
	text(length: number): void {
		if (!(length <= this.limits.output))
			throw new TemplateError(`the ${this.#subject} makes a text of more than ${this.limits.output} characters`);
		this.step(length / charactersPerStep);
	}

	/** Refuse values nested too deeply to be walked. */
	depth(depth: number): void {
		if (depth > this.limits.depth) throw new TemplateError(`a value is nested deeper than ${this.limits.depth} levels`);
	}
}
