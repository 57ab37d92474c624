import type { EntityKindDefinition } from "../../core/contract/index.ts";

/** A worker process on another machine, which receives jobs over HTTP. The record holds its last heartbeat. */
export interface WorkerEntity {
	readonly id: string;
	/** Name of the worker. Several workers may share a name. */
	readonly name: string;
	/** The user of the worker's credential. */
	readonly user: string;
	readonly hostname: string;
	readonly pid: number;
	readonly version: string;
	/** Maximum number of concurrent runs. */
	readonly places: number;
	/** Number of runs at the last heartbeat. */
	readonly running: number;
	/** True if the worker accepts no new jobs because it is about to stop. */
	readonly draining: boolean;
	readonly started_at: string;
	readonly seen_at: string;
	/** Time after which the worker counts as failed, unless it sends a heartbeat. */
	readonly expires_at: string;
	readonly labels: readonly string[];
	/** Names of the runner types that the worker provides. */
	readonly runners: readonly string[];
}

export const workerKind: EntityKindDefinition<WorkerEntity> = {
	fields: {
		id: "text",
		name: "text",
		user: "text",
		hostname: "text",
		pid: "integer",
		version: "text",
		places: "integer",
		running: "integer",
		draining: "boolean",
		started_at: "text",
		seen_at: "text",
		expires_at: "text",
		labels: "json",
		runners: "json",
	},
	indexes: [["expires_at"]],
	relaxed: true,
};

/**
 * Status of a run on a worker.
 *
 * - `waiting`: no worker has taken the job.
 * - `taken`: a worker runs the job.
 * - `ended`: the job has ended; `result` holds the result.
 * - `lost`: the lease of the worker has expired.
 */
export type WorkerJobStatus = "waiting" | "taken" | "ended" | "lost";

type OutputKind = "stdout" | "stderr" | "other";

/**
 * A run that a worker carries out. Its id is that of the live action, so there is at most one. It is removed when the end of the run is
 * stored.
 */
export interface WorkerJobEntity {
	readonly id: string;
	readonly execution_id: string;
	/** Name of the runner type. */
	readonly runner: string;
	readonly status: WorkerJobStatus;
	/** Reason for which the worker must end the run. Null unless the end was requested. */
	readonly stop: "cancel" | "timeout" | null;
	/** Id of the worker that has taken the job. */
	readonly worker: string | null;
	readonly worker_name: string | null;
	/** User with whose credential the worker took the job; only this user may report on it. Null until a worker takes the job. */
	readonly user: string | null;
	/** Fencing token, which every request about the job carries. It is disclosed only to the worker that has taken the job. */
	readonly fence: string | null;
	readonly lease_expires_at: string | null;
	/** Sequence of the last stored output. 0 if there is none. */
	readonly sequence: number;
	/** Sequence of the last output that the run has consumed. Updated with a delay. */
	readonly consumed: number;
	/** Id of the `pack_content` with the files that the run needs. */
	readonly content: string | null;
	readonly created_at: string;
	readonly labels: readonly string[];
	/** Bytes of removed output by channel. Output is removed when the execution has stored it durably. */
	readonly trimmed: Readonly<Record<OutputKind, number>> | null;
	/** Input of the runner. Encrypted if a key is configured. */
	readonly spec: string;
	/** Result of the run. Encrypted if a key is configured. */
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
