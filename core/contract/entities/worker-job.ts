import type { EntityKindDefinition } from "./kind.ts";

/**
 * How far a run on a worker has come. `waiting`: no worker has it. `taken`: one has. `ended`: `result` says how. `lost`: its worker has not
 * told of it for longer than its lease.
 */
export type WorkerJobStatus = "waiting" | "taken" | "ended" | "lost";

type OutputKind = "stdout" | "stderr" | "other";

/** A run that a worker carries out. Its id is that of the live action, so that it exists once; it goes when the end of the run is stored. */
export interface WorkerJobEntity {
	readonly id: string;
	readonly execution_id: string;
	/** Name of the runner type. */
	readonly runner: string;
	readonly status: WorkerJobStatus;
	/** Why it is to end, once that is so. */
	readonly stop: "cancel" | "timeout" | null;
	/** Id of the worker that has it. */
	readonly worker: string | null;
	readonly worker_name: string | null;
	/** Whose credential that worker has. */
	readonly user: string | null;
	/** What every request about it carries: only whoever has taken it knows it. */
	readonly fence: string | null;
	readonly lease_expires_at: string | null;
	/** Of the last output that was stored; 0 while there is none. */
	readonly sequence: number;
	/** Of the last output that the run has taken over; behind it a little. */
	readonly consumed: number;
	/** Id of the `pack_content` with the files that it needs. */
	readonly content: string | null;
	readonly created_at: string;
	readonly labels: readonly string[];
	/** Bytes by channel of output that was removed, as the execution has it for certain. */
	readonly trimmed: Readonly<Record<OutputKind, number>> | null;
	/** What the runner is called with; sealed where there is a key. */
	readonly spec: string;
	/** What it has come to; sealed likewise. */
	readonly result: string | null;
}

export const workerJobKind: EntityKindDefinition<WorkerJobEntity> = {
	fields: {
		id: "text",
		execution_id: "text",
		runner: "text",
		status: "text",
		stop: "text",
		worker: "text",
		worker_name: "text",
		user: "text",
		fence: "text",
		lease_expires_at: "text",
		sequence: "integer",
		consumed: "integer",
		content: "text",
		created_at: "text",
		labels: "json",
		trimmed: "json",
		spec: "text",
		result: "text",
	},
	indexes: [["status", "id"], ["worker"]],
	shareable: true,
};
