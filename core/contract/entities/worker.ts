import type { EntityKindDefinition } from "./kind.ts";

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
