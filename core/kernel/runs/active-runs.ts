import { type ExecutionEntity, type JournalEntryEntity, type JsonObject, RunAborted } from "../../contract/index.ts";
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

export function createRun(leased: Leased): Run {
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
