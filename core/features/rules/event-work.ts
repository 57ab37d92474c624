import { WorkBudget, workLimits } from "../../language/work-budget.ts";

/**
 * Milliseconds that rules may search for patterns: each of them, all that look at one event, and each one when those are used
 * up. The limit for each keeps a rule with a pattern made to be slow from using the time of the others; the one for the event
 * keeps many such rules from holding it up for minutes. What is left then is far more than an ordinary search takes.
 */
const times = { rule: workLimits.searching, event: 200, afterwards: 2 };

/** What the rules that look at one event may still use. */
export class EventWork {
	#used = 0;
	#current: WorkBudget | undefined;

	/** The budget of the next rule. */
	nextRule(): WorkBudget {
		this.#used += this.#current?.searched ?? 0;
		this.#current = new WorkBudget({ ...workLimits, searching: this.#used < times.event ? times.rule : times.afterwards });
		return this.#current;
	}
}
