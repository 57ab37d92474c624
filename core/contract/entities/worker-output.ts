import type { EntityKindDefinition } from "./kind.ts";

/** Output that a worker has transferred, until its run has ended. */
export interface WorkerOutputEntity {
	readonly id: string;
	/** Id of the `worker_job`. */
	readonly job: string;
	/** Number of the record within its job, from 1 without gaps. */
	readonly sequence: number;
	/** Ordered chunks as JSON. Encrypted if a key is configured. */
	readonly data: string;
}

export const workerOutputKind: EntityKindDefinition<WorkerOutputEntity> = {
	fields: { id: "text", job: "text", sequence: "integer", data: "text" },
	unique: [["job", "sequence"]],
	shareable: true,
};
