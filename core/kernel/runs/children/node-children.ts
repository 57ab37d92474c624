import type { EngineDependencies } from "../../plugins/engine-dependencies.ts";
import type { RunCalls } from "../host-calls.ts";
import type { Performance } from "../prepare-run.ts";
import { ChildWatch } from "./child-events.ts";
import { type Learn, RunChildren, type RunChildrenParts } from "./run-children.ts";

export interface ChildrenParts extends Omit<RunChildrenParts, "watch" | "onWaiting"> {
	readonly logger: EngineDependencies["logger"];
	/** Called when a slot of the pool has become free. */
	readonly onPlace: () => void;
}

/** The children of the runs of this node. */
export class Children {
	readonly #parts: RunChildrenParts;
	#waitingRuns = 0;

	constructor({ onPlace, ...parts }: ChildrenParts) {
		const watch = new ChildWatch(parts);
		const onWaiting = (isWaiting: boolean) => {
			this.#waitingRuns += isWaiting ? 1 : -1;
			if (isWaiting) onPlace();
		};
		this.#parts = { ...parts, watch, onWaiting };
	}

	/**
	 * Number of runs that wait for their children. They occupy no slot. Otherwise, if every slot held a waiting parent, no child could run and
	 * all parents would wait forever.
	 */
	get resting(): number {
		return this.#waitingRuns;
	}

	/** Creates the children of a run. The caller must close them when the run ends. */
	open(activeRun: Performance, access: { readonly calls: RunCalls; readonly addSecrets: Learn }): RunChildren {
		return new RunChildren(this.#parts, activeRun, access);
	}
}
