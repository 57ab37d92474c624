import { type ExecutionEntity, PassingMap, RunAborted } from "../../contract/index.ts";
import { createRun, type Run } from "./active-runs.ts";

/** What runs on this node, by execution. */
export class HeldRuns {
	readonly #runs = new PassingMap<string, Run>();
	#leaving: RunAborted | undefined;

	/** A run begins. */
	add(execution: ExecutionEntity): Run {
		const run = createRun(execution);
		this.#runs.set(execution.id, run);
		return run;
	}

	/** A run has ended. The execution may have come back to this node meanwhile: the run of then stays. */
	remove(executionId: string, run: Run): void {
		if (this.#runs.get(executionId) === run) this.#runs.delete(executionId);
	}

	/** Whether the execution runs here. */
	has(executionId: string): boolean {
		return this.#runs.has(executionId);
	}

	/** Those whose lease is this node's, as far as it knows. */
	held(): ReadonlyMap<string, Pick<Run, "fence" | "leaseExpiresAt">> {
		return new Map([...this.#runs.entries()].filter(([, { lost }]) => !lost));
	}

	/** End a run of this node; false when it is not running here. */
	abort(executionId: string, reason: RunAborted): boolean {
		const run = this.#runs.get(executionId);
		run?.controller.abort(reason);
		return run !== undefined;
	}

	/** Ask a run of this node to pause. */
	pause(executionId: string): void {
		this.#runs.get(executionId)?.pausing.abort();
	}

	/** End every run. */
	abortAll(reason: RunAborted): void {
		for (const run of this.#runs.values()) run.controller.abort(reason);
	}

	/** Leave every run that can be found again, now or once it can be, to go on without this process. */
	leaveAll(reason: RunAborted): void {
		this.#leaving = reason;
		for (const run of this.#runs.values()) if (run.saved) run.controller.abort(reason);
	}

	/** A run can be found again from now on. Where the node is about to go, nothing keeps it here any more. */
	saved(run: Run): void {
		run.saved = true;
		if (this.#leaving !== undefined) run.controller.abort(this.#leaving);
	}

	/** The lease of a run has been renewed. */
	prolong(executionId: string, leaseExpiresAt: string): void {
		const run = this.#runs.get(executionId);
		if (run !== undefined) run.leaseExpiresAt = leaseExpiresAt;
	}

	/** The execution is no longer this node's: end the run and write nothing more. */
	lose(executionId: string): void {
		const run = this.#runs.get(executionId);
		if (run === undefined) return;
		run.lost = true;
		const reason = new RunAborted("cancel", "the execution is no longer this node's");
		run.recorder?.fail(reason);
		run.controller.abort(reason);
	}
}
