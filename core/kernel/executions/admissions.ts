import type { EventBus, ExecutionEntity } from "../../contract/index.ts";
import { type KeptPlaces, type Reservation, storeAllReserved } from "../work/claiming.ts";
import { publishCreated, publishUpdated } from "./execution-events.ts";
import type { Queues } from "./queues.ts";
import { isCompleted } from "./status.ts";
import { applied } from "./status-patch.ts";

/** Keeps new executions as they are by then, all or nothing. */
export type StoreAdmitted = (admitted: readonly ExecutionEntity[]) => Promise<void>;

/** Let `store` keep a new execution, as it is by then, and see to its being run. */
export type Admit = (execution: ExecutionEntity, store: (entity: ExecutionEntity) => Promise<void>) => Promise<void>;

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
		// Places are kept at once, so that nobody else takes them meanwhile.
		const reserved = executions.map((execution) => this.#reserve(execution));
		const admissions = await Promise.all(reserved.map((admission) => ("claimed" in admission ? this.#makeReady(admission) : admission)));
		await storeAllReserved(admissions, store);
	}

	#reserve(execution: ExecutionEntity): Reservation<ExecutionEntity> | Claimed {
		const { queues, reserve } = this.#parts;
		const queue = queues().queueOf(execution.action_ref);
		if (queue !== null) return this.#toStoreOnly({ ...execution, queue });
		const place = execution.delay === null ? reserve() : undefined;
		if (place === undefined) return this.#toStoreOnly(execution);
		return { requested: execution, place, claimed: applied(execution, place.claim) };
	}

	async #makeReady({ requested, place, claimed }: Claimed): Promise<Reservation<ExecutionEntity>> {
		const { eventBus, ready } = this.#parts;
		const states = [claimed, ...(await ready(claimed))];
		const entity = states.at(-1) as ExecutionEntity;
		return {
			entity,
			settle: (outcome) => {
				if (outcome === "stored") {
					publishCreated(eventBus, requested);
					for (const state of states) publishUpdated(eventBus, state);
				}
				if (outcome === "stored" && isCompleted(entity.status)) place.giveBack();
				else place.settle(outcome, [entity]);
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
