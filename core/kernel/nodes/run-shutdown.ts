import { RunAborted } from "../../contract/index.ts";
import { settledWithin } from "../../lib/wait.ts";
import type { ActiveRuns } from "../runs/active-runs.ts";
import type { Scheduler } from "../scheduling/scheduler.ts";
import type { Node } from "./node.ts";

/** Shutdown of the runs on this node. */
export interface RunShutdown {
	/**
	 * Stops the background loops, lets runs continue for the grace period, then aborts those that are left. Runs that another process
	 * can continue are handed over at once. Resolves when no run is active.
	 */
	shutDown(graceMilliseconds: number): Promise<void>;
	/** Ends the grace period at once, even one that has not begun. */
	endGracePeriod(): void;
}

/** Creates the shutdown, which does nothing until `end` is called. */
export function createRunShutdown(parts: {
	readonly node: Pick<Node, "stopWork">;
	readonly runs: Pick<ActiveRuns, "handOverAll" | "abortAll">;
	readonly scheduler: Pick<Scheduler, "idle">;
}): RunShutdown {
	const { node, runs, scheduler } = parts;
	let endGracePeriod = () => {};
	const graceEnded = new Promise<void>((resolve) => {
		endGracePeriod = resolve;
	});
	return {
		endGracePeriod: () => endGracePeriod(),
		async shutDown(graceMilliseconds) {
			const aborted = new RunAborted("shutdown", "the service was stopped while the action ran");
			// Stop the node before waiting for anything, so that no run begins meanwhile.
			const stopped = node.stopWork();
			runs.handOverAll(aborted);
			const idle = stopped.then(() => scheduler.idle());
			await Promise.race([settledWithin(idle, graceMilliseconds), graceEnded]);
			runs.abortAll(aborted);
			await idle;
		},
	};
}
