import type { ExecutionRecord } from "../../../plugins/_shipped/client.ts";
import type { ChaosEngine, Loss, Mishap, UnsuccessfulRun } from "./chaos-engine.ts";
import { mishapsOf, toTime } from "./mishaps.ts";

/** Milliseconds by which the time of an end may be behind that of its cause. */
const slack = 100;

/**
 * Finds whose loss it is that a run has not succeeded. Whoever has removed its work says so, and an engine by its own records; what is left is
 * the service's own, which must lose nothing but what it had asked no engine for when it was killed.
 */
export class LossJudge {
	readonly #mishaps: readonly Mishap[];
	/** When somebody began to remove the work of an execution. */
	readonly #taken = new Map<string, number>();
	readonly #found = new Map<string, { readonly engine: string; readonly loss: Loss }>();

	constructor(mishaps: readonly Mishap[]) {
		this.#mishaps = mishaps;
	}

	noteTaken(id: string, from: number): void {
		if (!this.#taken.has(id)) this.#taken.set(id, from);
	}

	mishapsOf(engine: string, record: ExecutionRecord): readonly Mishap[] {
		return mishapsOf(this.#mishaps, engine, record);
	}

	/** Undefined: nobody else has lost it. Whoever was found once stays found. */
	async find(engine: ChaosEngine, run: UnsuccessfulRun): Promise<Loss | undefined> {
		const { id } = run.record;
		const loss = this.#found.get(id)?.loss ?? this.#findRemoval(engine, run) ?? (await findOwn(engine, run));
		if (loss !== undefined) this.#found.set(id, { engine: engine.name, loss });
		return loss;
	}

	/** In words, one for each run. */
	found(): readonly string[] {
		return [...this.#found.values()].map(({ engine, loss }) => `${engine} ${loss.what}`);
	}

	#findRemoval({ removed, mayTimeOut = false }: ChaosEngine, { record, reason }: UnsuccessfulRun): Loss | undefined {
		const from = this.#taken.get(record.id);
		const isUnsuccessful = record.status === "failed" || (mayTimeOut && record.status === "timeout" && !hasRunOut(record, reason));
		const isTold = from !== undefined && isUnsuccessful && removed.test(reason);
		return isTold && from < toTime(record.end_timestamp) + slack ? { what: "removed by hand" } : undefined;
	}
}

/** A command that is killed is told of like one that has run out of its time. One that really has, nobody had seen end. */
function hasRunOut(record: ExecutionRecord, reason: string): boolean {
	const [, seconds] = / in (\d+) seconds$/.exec(reason) ?? [];
	return toTime(record.end_timestamp) - toTime(record.start_timestamp) > Number(seconds) * 1_000 - slack;
}

async function findOwn(engine: ChaosEngine, run: UnsuccessfulRun): Promise<Loss | undefined> {
	const { record, begun, mishaps } = run;
	const isKilled = mishaps.some((mishap) => mishap.engine === undefined);
	// Of what was to be found again, and was not, it says so.
	const isUnknown = record.status === "abandoned" && run.reason === "the node that ran the action stopped";
	if (isUnknown && isKilled && begun === 0 && !(await engine.wasAsked(record)))
		return { what: "not asked for when the service was killed" };
	return engine.findLoss(run);
}
