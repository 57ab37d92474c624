import type { ExecutionEntity } from "../../contract/index.ts";
import { atHand } from "../../lib/at-hand.ts";
import { applied } from "../executions/status-patch.ts";
import type { PreparedRun } from "../runs/prepare-run.ts";
import type { RunBegin, RunRecords } from "../runs/run-writes.ts";
import { type AtOnceParts, endAtOnce, mayEndAtOnce } from "./inline-completion.ts";

export interface ReadyRunParts extends AtOnceParts {
	readonly records: RunRecords;
	readonly prepare: (execution: ExecutionEntity) => Promise<PreparedRun>;
	/** What a run has and knows with all that it may use of the service. */
	readonly grant: (claimed: ExecutionEntity, prepared: PreparedRun) => { readonly granted: PreparedRun; readonly begin: RunBegin };
}

/** Milliseconds for which whoever asks for an execution may wait for what its run needs. Most of it is in memory; files of packs need not be. */
const patience = 20;

/** Runs that have begun with the write that stores a new execution. */
export class ReadyRuns {
	readonly #parts: ReadyRunParts;
	/** What the runs of new executions are called with once these are stored. */
	readonly #ready = new WeakMap<ExecutionEntity, PreparedRun>();

	constructor(parts: ReadyRunParts) {
		this.#parts = parts;
	}

	/**
	 * What becomes of an execution with the write of whoever stores a new one, state by state: the last one is stored. It is running, and is
	 * run as the same object; or it has ended, and nothing more is to be done. None where something has to be waited for long, or stands in the
	 * way of the run: then it begins as any other, or fails. Never rejects.
	 */
	async statesOf(claimed: ExecutionEntity): Promise<readonly ExecutionEntity[]> {
		const { grant, records } = this.#parts;
		const { prepared, ended } = (await atHand(this.#look(claimed), patience)) ?? {};
		if (ended !== undefined) return ended;
		if (prepared === undefined) return [];
		const { granted, begin } = grant(claimed, prepared);
		const execution = applied(claimed, records.toRunning(claimed, begin));
		this.#ready.set(execution, granted);
		return [execution];
	}

	/** What an execution is run with that was stored as running; only once. */
	take(execution: ExecutionEntity): PreparedRun | undefined {
		const ready = this.#ready.get(execution);
		// As long as it is in there V8 keeps all that it leads to until it collects the whole heap.
		this.#ready.delete(execution);
		return ready;
	}

	/** What its run needs, and what it would come to where it needs none. */
	async #look(claimed: ExecutionEntity) {
		const prepared = await this.#parts.prepare(claimed);
		if (!mayEndAtOnce(claimed, prepared.runner)) return { prepared };
		return { prepared, ended: await endAtOnce(claimed, prepared, this.#parts).catch(() => undefined) };
	}
}
