import type { EventBus, ExecutionEntity } from "../../contract/index.ts";
import { atHand } from "../../lib/wait.ts";
import { type KeptPlaces, type Reservation, storeAllReserved } from "../coordination/claimer.ts";
import type { StoreAdmitted } from "../executions/admission.ts";
import { publishCreated, publishUpdated } from "../executions/execution-events.ts";
import { withValues } from "../executions/new-execution.ts";
import { applied, type ExecutionPatch, isCompleted } from "../executions/status.ts";
import type { PreparedRun } from "../runs/prepare-run.ts";
import type { RunBegin, RunRecords } from "../runs/run-writes.ts";
import type { Queues } from "./execution-queues.ts";
import { type AtOnceParts, endAtOnce, mayEndAtOnce } from "./inline-completion.ts";

export interface AdmissionParts {
	readonly eventBus: EventBus;
	readonly queues: () => Pick<Queues, "queueOf">;
	/** A place for one more; undefined when it has to wait in storage. */
	readonly reserve: () => KeptPlaces<"execution"> | undefined;
	/**
	 * What a claimed execution that nobody has stored yet comes to with the write that does, state by state: running, or its end. None: it is
	 * stored as claimed. Never rejects.
	 */
	readonly ready: (claimed: ExecutionEntity) => Promise<readonly ExecutionEntity[]>;
	/** Whether it may come to its end so. */
	readonly mayEnd: (execution: ExecutionEntity) => boolean;
	/** What a claim stores, for what takes no place; undefined while nothing begins here. */
	readonly claim: () => ExecutionPatch | undefined;
	/** Tell of one that has been stored as it was requested. */
	readonly announce: (execution: ExecutionEntity) => void;
}

/** One that there is a place for. */
interface Claimed {
	readonly requested: ExecutionEntity;
	readonly claimed: ExecutionEntity;
	readonly place: KeptPlaces<"execution">;
}

/** Brings new executions into the storage, as far on their way as they can be by then. */
export class Admissions {
	readonly #parts: AdmissionParts;

	constructor(parts: AdmissionParts) {
		this.#parts = parts;
	}

	/**
	 * Let `store` keep new executions, all or none, and see to their being run. What there is a place for at once is stored as already
	 * claimed, which saves the claim, and as running where all that its run needs is at hand, which saves that write as well; what has a result
	 * without a run is stored as ended. Once they are stored others are told of every state.
	 */
	async admit(executions: readonly ExecutionEntity[], store: StoreAdmitted): Promise<void> {
		const admissions = await Promise.all(executions.map((execution) => this.#admitOne(execution)));
		await storeAllReserved(admissions, store);
	}

	/** A place is kept at once, so that nobody else takes it meanwhile. */
	#admitOne(execution: ExecutionEntity): Promise<Reservation<ExecutionEntity>> | Reservation<ExecutionEntity> {
		if (execution.delay === null && this.#parts.mayEnd(execution)) return this.#endOrReserve(execution);
		const reserved = this.#reserve(execution);
		return "claimed" in reserved ? this.#makeReady(reserved) : reserved;
	}

	/** What comes to its end without a run takes nobody's place, and need not wait for one. */
	async #endOrReserve(execution: ExecutionEntity): Promise<Reservation<ExecutionEntity>> {
		const { queues, claim, ready } = this.#parts;
		const patch = queues().queueOf(execution.action_ref) === null ? claim() : undefined;
		const claimed = patch && applied(execution, patch);
		const states = claimed === undefined ? [] : [claimed, ...(await ready(claimed))];
		const last = states.at(-1);
		if (last !== undefined && isCompleted(last.status)) return this.#toEnded(execution, states, last);
		const reserved = this.#reserve(execution);
		return "claimed" in reserved ? this.#makeReady(reserved) : reserved;
	}

	#toEnded(requested: ExecutionEntity, states: readonly ExecutionEntity[], entity: ExecutionEntity): Reservation<ExecutionEntity> {
		return {
			entity,
			settle: (outcome) => {
				if (outcome === "stored") this.#tell(requested, states);
			},
		};
	}

	#tell(requested: ExecutionEntity, states: readonly ExecutionEntity[]): void {
		const { eventBus } = this.#parts;
		publishCreated(eventBus, requested);
		for (const state of states) publishUpdated(eventBus, state);
	}

	#reserve(execution: ExecutionEntity): Reservation<ExecutionEntity> | Claimed {
		const { queues, reserve } = this.#parts;
		const queue = queues().queueOf(execution.action_ref);
		if (queue !== null) return this.#toStoreOnly(withValues(execution, { queue }));
		const place = execution.delay === null ? reserve() : undefined;
		if (place === undefined) return this.#toStoreOnly(execution);
		return { requested: execution, place, claimed: applied(execution, place.claim) };
	}

	async #makeReady({ requested, place, claimed }: Claimed): Promise<Reservation<ExecutionEntity>> {
		const states = [claimed, ...(await this.#parts.ready(claimed))];
		const entity = states.at(-1) as ExecutionEntity;
		return {
			entity,
			settle: (outcome) => {
				// Its run begins first: it says nothing before this is over, and others only want to know.
				if (outcome === "stored" && isCompleted(entity.status)) place.giveBack();
				else place.settle(outcome, [entity]);
				if (outcome === "stored") this.#tell(requested, states);
			},
		};
	}

	#toStoreOnly(execution: ExecutionEntity): Reservation<ExecutionEntity> {
		return {
			entity: execution,
			settle: (outcome) => {
				if (outcome === "stored") this.#parts.announce(execution);
			},
		};
	}
}

interface ReadyRunParts extends AtOnceParts {
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
