import type { JsonObject } from "../../../core/contract/index.ts";
import type { Random } from "../../../core/testing/guarantees/random.test-support.ts";
import type { ServiceProcess } from "../../../core/testing/guarantees/service-process.test-support.ts";
import type { ExecutionRecord } from "../../../plugins/_shipped/client.ts";

/** Something that went wrong, from one moment to another, in milliseconds since 1970. */
export interface Mishap {
	/** Undefined: it was the service that was killed. */
	readonly engine: string | undefined;
	readonly what: string;
	readonly from: number;
	readonly to: number;
}

/** What is known of a run that has not succeeded. */
export interface UnsuccessfulRun {
	readonly record: ExecutionRecord;
	/** What its result says. */
	readonly reason: string;
	/** How often its command has begun, by the command's own word. */
	readonly begun: number;
	/** What went wrong while it was under way: on its engine, or with the service. */
	readonly mishaps: readonly Mishap[];
}

/** What the engine itself has lost of a run. */
export interface Loss {
	readonly what: string;
	/** Whether its command may go on although nobody follows it any more. Default false. */
	readonly goesOn?: boolean;
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
	/** File to which its executions write what they do, as they see it. */
	readonly ledger: string;
	/** Each resolves when it is over. */
	readonly faults: Readonly<Record<string, (random: Random) => Promise<void>>>;
	/** What a result says where somebody has removed its work by hand. */
	readonly removed: RegExp;
	/** Whether a run may come to its time-out before the service knows that what ran it is gone, or is told of so where it was killed. Default false. */
	readonly mayTimeOut?: boolean;
	/** Whether it was ever asked for the run: who asks has stored before how to find it again. */
	wasAsked(record: ExecutionRecord): Promise<boolean>;
	/**
	 * What the engine has lost of the run by its own records, or by what was done to it; undefined: nothing, so that it is the service that has
	 * lost it. Asked as soon as the end is seen, and once more when all is over.
	 */
	findLoss(run: UnsuccessfulRun): Promise<Loss | undefined>;
	/** What the engine has of the output of a run, where it may have lost some; undefined: it has lost none. */
	keptOutput?(record: ExecutionRecord): string | undefined;
	/** Called whenever the service has started. */
	attach?(service: ServiceProcess): Promise<void>;
	/** What whoever runs the engine does from time to time. */
	operate?(): Promise<void>;
	/** Remove something by hand, past the service; the id of the execution whose it was, undefined where there was nothing. */
	takeAway(random: Random): Promise<string | undefined>;
	/** What there is of runs. */
	left(): Promise<readonly Leftover[]>;
	/** What the service has asked of the engine and must never ask, as nobody has canceled anything. */
	findMisdeeds?(): Promise<readonly string[]>;
	stop(): Promise<void>;
}

/** Milliseconds for which something is away. */
export const toAbsence = (random: Random): number => 200 + random(1_500);

/** A fault that has an end of its own. */
export async function forAWhile(random: Random, begin: () => void | Promise<void>, end: () => void | Promise<void>): Promise<void> {
	await begin();
	await new Promise((resolve) => setTimeout(resolve, toAbsence(random)));
	await end();
}
