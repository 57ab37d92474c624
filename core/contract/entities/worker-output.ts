import type { EntityKindDefinition } from "./kind.ts";

/** Output that a worker has handed over, until its run has ended. */
export interface WorkerOutputEntity {
	readonly id: string;
	/** Id of the `worker_job`. */
	readonly job: string;
	/** From 1 without gaps. */
	readonly sequence: number;
	/** Pieces in order, as JSON; sealed where there is a key. */
	readonly data: string;
}

export const workerOutputKind: EntityKindDefinition<WorkerOutputEntity> = {
	fields: { id: "text", job: "text", sequence: "integer", data: "text" },
	unique: [["job", "sequence"]],
	shareable: true,
};
