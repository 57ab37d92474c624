import type { EntityKindDefinition } from "./kind.ts";

/** A process on another machine that takes work over HTTP, as it told of itself last. */
export interface WorkerEntity {
	readonly id: string;
	/** Several may have the same. */
	readonly name: string;
	/** Whose credential it has. */
	readonly user: string;
	readonly hostname: string;
	readonly pid: number;
	readonly version: string;
	/** Most that it runs at once. */
	readonly places: number;
	/** What it ran when it told of itself. */
	readonly running: number;
	/** Whether it takes on nothing new, as it is about to stop. */
	readonly draining: boolean;
	readonly started_at: string;
	readonly seen_at: string;
	/** A worker past it counts as gone. */
	readonly expires_at: string;
	readonly labels: readonly string[];
	/** Names of the runner types that it has. */
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
