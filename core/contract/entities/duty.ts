import type { EntityKindDefinition } from "./kind.ts";

/** A singleton task: a periodic task that exactly one node runs at a time, such as deleting expired records. */
export interface DutyEntity {
	readonly id: string;
	readonly name: string;
	/** Node that holds the lease of the task. Null if no node holds it. */
	readonly owner: string | null;
	/** Fencing token, as in executions. */
	readonly fence: string | null;
	readonly lease_expires_at: string | null;
	/** Time at which the task last completed. */
	readonly done_at: string | null;
}

export const dutyKind: EntityKindDefinition<DutyEntity> = {
	fields: {
		id: "text",
		name: "text",
		owner: "text",
		fence: "text",
		lease_expires_at: "text",
		done_at: "text",
	},
	unique: [["name"]],
};
