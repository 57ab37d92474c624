import type { JsonObject } from "../../../core/contract/index.ts";
import type { Random } from "../../../core/testing/guarantees/random.test-support.ts";
import type { ServiceProcess } from "../../../core/testing/guarantees/service-process.test-support.ts";

export interface EngineFault {
	/** Resolves when it is over. */
	run(random: Random): Promise<void>;
	/** Why an execution that was under way meanwhile may have failed: what its result says then. Default: it may not. */
	readonly excuses?: RegExp;
	/** Milliseconds for which it also excuses what begins after it. Default 0. */
	readonly aftermath?: number;
}

/** Something that is left of a run. */
export interface Leftover {
	/** Id of the execution or of its live action; empty where it says neither. */
	readonly run: string;
	/** What it is, in words. */
	readonly what: string;
	/** Whether the engine or the service removes it by itself one day: what a service leaves that was killed before it could. */
	readonly isDoomed: boolean;
}

/** Where executions run, with all that may go wrong there. */
export interface ChaosEngine {
	readonly name: string;
	/** Options of the runner that the service gets for it; undefined: it needs none of its own. */
	readonly options?: object;
	/** Its action, without a name. */
	readonly action: JsonObject;
	/** File to which its executions write that they have begun, as they see it. */
	readonly ledger: string;
	/** Whether its runs outlive the service and are found again, so that none may be given up that has begun. */
	readonly isLasting: boolean;
	/** What its executions may fail for at any time. */
	readonly excuses?: RegExp;
	readonly faults: Readonly<Record<string, EngineFault>>;
	/** Called whenever the service has started. */
	attach?(service: ServiceProcess): Promise<void>;
	/** What whoever runs the engine does from time to time. */
	operate?(): Promise<void>;
	/** Remove something by hand, past the service; the id of the execution whose it was, undefined where there was nothing. */
	takeAway?(random: Random): Promise<string | undefined>;
	/** What there is of runs. */
	left(): Promise<readonly Leftover[]>;
	stop(): Promise<void>;
}

/** Milliseconds for which something is away. */
export const toAbsence = (random: Random): number => 200 + random(1_500);
