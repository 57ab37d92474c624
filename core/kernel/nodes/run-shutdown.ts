import { RunAborted } from "../../contract/index.ts";
import { settledWithin } from "../../lib/wait.ts";
import type { HeldRuns } from "../runs/active-runs.ts";
import type { Scheduler } from "../scheduling/scheduler.ts";
import type { Node } from "./node.ts";

/** Shutdown of the runs on this node. */
export interface RunEnding {
	/**
	 * Stops the background loops, lets runs continue for the grace period, then aborts those that are left. Runs that another process
	 * can continue are handed over at once. Resolves when no run is active.
	 */
	end(graceMilliseconds: number): Promise<void>;
	/** Ends the grace period at once, even one that has not begun. */
	force(): void;
}

/** Creates the shutdown, which does nothing until `end` is called. */
export function createRunEnding(parts: {
	readonly node: Pick<Node, "end">;
	readonly runs: Pick<HeldRuns, "leaveAll" | "abortAll">;
	readonly scheduler: Pick<Scheduler, "idle">;
}): RunEnding {
	const { node, runs, scheduler } = parts;
	let endGracePeriod = () => {};
	const graceEnded = new Promise<void>((resolve) => {
		endGracePeriod = resolve;
	});
	return {
		force: () => endGracePeriod(),
		async end(graceMilliseconds) {
			const aborted = new RunAborted("shutdown", "the service was stopped while the action ran");
			// Stop the node before waiting for anything, so that no run begins meanwhile.
			const stopped = node.end();
			runs.leaveAll(aborted);
			const idle = stopped.then(() => scheduler.idle());
			await Promise.race([settledWithin(idle, graceMilliseconds), graceEnded]);
			runs.abortAll(aborted);
			await idle;
		},
	};
}
