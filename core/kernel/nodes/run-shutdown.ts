import { RunAborted } from "../../contract/index.ts";
import { settledWithin } from "../../lib/wait.ts";
import type { HeldRuns } from "../runs/active-runs.ts";
import type { Scheduler } from "../scheduling/scheduler.ts";
import type { Node } from "./node.ts";

/** Brings what runs on this node to its end. */
export interface RunEnding {
	/** Take on nothing more, give runs so many milliseconds, then end them; resolves when nothing runs any more. */
	end(graceMilliseconds: number): Promise<void>;
	/** Runs get no grace any more, also where one is under way. */
	force(): void;
}

export function createRunEnding(parts: {
	readonly node: Pick<Node, "end">;
	readonly runs: Pick<HeldRuns, "leaveAll" | "abortAll">;
	readonly scheduler: Pick<Scheduler, "idle">;
}): RunEnding {
	const { node, runs, scheduler } = parts;
	let force = () => {};
	const forced = new Promise<void>((resolve) => {
		force = resolve;
	});
	return {
		force: () => force(),
		async end(graceMilliseconds) {
			const aborted = new RunAborted("shutdown", "the service was stopped while the action ran");
			// Told before anything is waited for.
			const ended = node.end();
			runs.leaveAll(aborted);
			const idle = ended.then(() => scheduler.idle());
			await Promise.race([settledWithin(idle, graceMilliseconds), forced]);
			runs.abortAll(aborted);
			await idle;
		},
	};
}
