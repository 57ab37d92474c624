import type { RunContext } from "../../contract/index.ts";
import type { Run } from "./active-runs.ts";
import type { RunTools } from "./runner-context.ts";

/** What is made when a runner asks for it. */
export type LaterMembers = Pick<RunContext, "pausing" | "children" | "journal" | "expressions">;

interface Makers {
	readonly run: Pick<Run, "pausing">;
	readonly tools: RunTools;
}

const makersKey: unique symbol = Symbol("makers");

interface Made {
	readonly [makersKey]: Makers;
}

/**
 * Members of their own, so that a copy has them too; with the same functions for all: V8 keeps the getter of a single object, and all that its
 * function can see, until it collects the whole heap.
 */
const getters: PropertyDescriptorMap & ThisType<Made> = {
	pausing: {
		enumerable: true,
		get() {
			return this[makersKey].run.pausing.signal;
		},
	},
	children: {
		enumerable: true,
		get() {
			return this[makersKey].tools.children;
		},
	},
	journal: {
		enumerable: true,
		get() {
			return this[makersKey].tools.journal;
		},
	},
	expressions: {
		enumerable: true,
		get() {
			return this[makersKey].tools.expressions;
		},
	},
};

/** The same context, with these members besides. */
export function withLaterMembers<C extends object>(context: C, makers: Makers): C & LaterMembers {
	Object.defineProperty(context, makersKey, { value: makers });
	return Object.defineProperties(context, getters) as C & LaterMembers;
}
