import { type ExecutionEntity, type JournalEntryEntity, type JsonObject, PassingMap, RunAborted } from "../../contract/index.ts";
import { KnownSecrets } from "../../secrets/redactor.ts";
import { fromTimestamp } from "../basics/clock.ts";
import type { Recorder } from "../output/output-writer.ts";

/** A run of this node while it lasts. */
export interface Run {
	readonly controller: AbortController;
	/** Aborts when it is to pause. */
	readonly pausing: AbortController;
	readonly fence: string | null;
	leaseExpiresAt: string;
	recorder: Recorder | undefined;
	/** The execution was taken away or ended by somebody else. */
	lost: boolean;
	/** The final status, and the end of the token with it, have been stored. */
	recorded: boolean;
	/** The runner has said how the run is found again: what belongs to it must outlive this process. */
	saved: boolean;
	/** All that it knows to be secret at this moment. */
	secrets: KnownSecrets;
	/** What the results of its children have shown to be secret, besides what it knew at its start. */
	learnt: KnownSecrets;
	/** Whether a child of it has come further than the runner was told is asked of these; undefined before it begins. */
	tools: { haveChildrenNews(): Promise<boolean> } | undefined;
	/** What it has decided with its end. */
	decided: Decided | undefined;
	/** Where it lives, when that was told after it began: the end is announced with it. */
	runnerInfo: JsonObject | undefined;
}

/** The last entry of a journal, to be stored with the end. */
export interface Decided {
	readonly row: JournalEntryEntity;
	/** Once it is stored. */
	tell(): void;
}

function createRun(leased: Leased): Run {
	return new BegunRun(leased);
}

interface Leased {
	readonly fence: string | null;
	readonly lease_expires_at: string | null;
}

class BegunRun implements Run {
	readonly controller = new AbortController();
	readonly fence: string | null;
	leaseExpiresAt: string;
	recorder: Recorder | undefined = undefined;
	lost = false;
	recorded = false;
	saved = false;
	secrets = KnownSecrets.none;
	learnt = KnownSecrets.none;
	tools: Run["tools"] = undefined;
	decided: Decided | undefined = undefined;
	runnerInfo: JsonObject | undefined = undefined;
	#pausing: AbortController | undefined;

	constructor({ fence, lease_expires_at }: Leased) {
		this.fence = fence;
		this.leaseExpiresAt = lease_expires_at ?? "";
	}

	/** Made when it is asked for: most runs never pause. */
	get pausing(): AbortController {
		this.#pausing ??= new AbortController();
		return this.#pausing;
	}
}

/** Abort the run when its time is over, of which some may have passed already. */
export function startTimeout(
	{ controller }: Run,
	{ seconds, passed }: { readonly seconds: number | undefined; readonly passed: number },
): NodeJS.Timeout | undefined {
	if (seconds === undefined) return undefined;
	// Timers overflow beyond 2^31 milliseconds and would fire at once.
	const milliseconds = Math.min(Math.max(0, seconds - passed) * 1_000, 2_147_483_647);
	return setTimeout(() => controller.abort(new RunAborted("timeout", `Action failed to complete in ${seconds} seconds`)), milliseconds);
}

/** Seconds since the execution began to run. */
export function secondsSinceStart({ log }: ExecutionEntity, now: number): number {
	const started = log.find(({ status }) => status === "running");
	return started === undefined ? 0 : Math.max(0, (now - fromTimestamp(started.timestamp)) / 1_000_000);
}

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
