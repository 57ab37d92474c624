import { currentWorkBudget } from "../work-budget.ts";
import { TemplateError } from "./errors.ts";

export interface TemplateLimits {
	/** Maximum number of operations of one template. Long strings and lists count as several. Default 100,000. */
	readonly steps: number;
	/** Maximum characters of the output, and of any intermediate string. Default 1,048,576. */
	readonly output: number;
	/** Maximum nesting levels of expressions, statements and printed values. Default 100. */
	readonly depth: number;
}

export const defaultLimits: TemplateLimits = { steps: 100_000, output: 1_048_576, depth: 100 };

/** Characters of a string whose creation counts as one step. */
const charactersPerStep = 256;

/**
 * Steps, characters and nesting that one template may still use. Every operation whose cost depends on its values must request its cost
 * here first.
 */
export class Budget {
	readonly limits: TemplateLimits;
	/** Word in messages for what is evaluated: template or expression. */
	readonly #subject: string;
	/** Budget of the unit of work, which all templates rendered together share. */
	readonly #work = currentWorkBudget();
	#steps = 0;

	constructor(limits: TemplateLimits, subject: "template" | "expression" = "template") {
		this.limits = limits;
		this.#subject = subject;
	}

	/** Accounts for `count` operations. Throws `TemplateError` if the template, or the unit of work, has used all its steps. */
	spendSteps(count = 1): void {
		this.#steps += count;
		if (!(this.#steps <= this.limits.steps)) throw new TemplateError(`the ${this.#subject} takes more than ${this.limits.steps} steps`);
		if (!this.#work.spendSteps(count)) throw new TemplateError(`the ${this.#subject}s together take too many steps`);
	}

	/** Accounts for a string of `length` characters before it is created. Throws `TemplateError` if it is too long. */
	spendText(length: number): void {
		if (!(length <= this.limits.output))
			throw new TemplateError(`the ${this.#subject} produces more than ${this.limits.output} characters`);
		this.spendSteps(length / charactersPerStep);
	}

	/** Throws `TemplateError` if a value is nested too deeply for recursive code. */
	checkDepth(depth: number): void {
		if (depth > this.limits.depth) throw new TemplateError(`a value is nested deeper than ${this.limits.depth} levels`);
	}
}
