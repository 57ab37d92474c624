import type { EngineDependencies } from "../../plugins/engine-dependencies.ts";
import type { RunCalls } from "../host-calls.ts";
import type { Performance } from "../prepare-run.ts";
import { ChildWatch } from "./child-events.ts";
import { type Learn, RunChildren, type RunChildrenParts } from "./run-children.ts";

export interface ChildrenParts extends Omit<RunChildrenParts, "watch" | "onWaiting"> {
	readonly logger: EngineDependencies["logger"];
	/** There is a place more in the pool. */
	readonly onPlace: () => void;
}

/** The children of the runs of this node. */
export class Children {
	readonly #parts: RunChildrenParts;
	#resting = 0;

	constructor({ onPlace, ...parts }: ChildrenParts) {
		const watch = new ChildWatch(parts);
		const onWaiting = (isWaiting: boolean) => {
			this.#resting += isWaiting ? 1 : -1;
			if (isWaiting) onPlace();
		};
		this.#parts = { ...parts, watch, onWaiting };
	}

	/**
	 * Runs that wait for children. They must not keep those from running: as many parents as the pool has places would wait for ever.
	 */
	get resting(): number {
		return this.#resting;
	}

	/** Those of a run that begins; to be closed with its end. */
	open(performance: Performance, means: { readonly calls: RunCalls; readonly learn: Learn }): RunChildren {
		return new RunChildren(this.#parts, performance, means);
	}
}
