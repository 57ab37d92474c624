import type { EngineDependencies } from "../../plugins/engine-dependencies.ts";
import type { ActiveRun } from "../active-runs.ts";
import { type AddSecrets, ChildEvents, RunChildren, type RunChildrenOptions } from "./run-children.ts";

export interface NodeChildrenOptions extends Omit<RunChildrenOptions, "watch" | "onWaiting"> {
	readonly logger: EngineDependencies["logger"];
	/** Called when a run begins to wait for its children, which frees its slot. */
	readonly onSlotFreed: () => void;
}

/** The children of the runs of this node. */
export class RunChildrenFactory {
	readonly #parts: RunChildrenOptions;
	#waitingRuns = 0;

	constructor({ onSlotFreed, ...parts }: NodeChildrenOptions) {
		const watch = new ChildEvents(parts);
		const onWaiting = (isWaiting: boolean) => {
			this.#waitingRuns += isWaiting ? 1 : -1;
			if (isWaiting) onSlotFreed();
		};
		this.#parts = { ...parts, watch, onWaiting };
	}

	/**
	 * Number of runs that wait for their children. They take no slot. Otherwise waiting parents could hold every slot, so that no child could
	 * run and all parents would wait forever.
	 */
	get runsWithoutSlot(): number {
		return this.#waitingRuns;
	}

	/** Returns the object through which a run starts and watches its children. The caller must close it when the run ends. */
	openFor(run: ActiveRun, addSecrets: AddSecrets): RunChildren {
		return new RunChildren(this.#parts, run, addSecrets);
	}
}
