import type { EntityKindDefinition } from "./kind.ts";

/** Something that one node at a time does for all, such as removing what is old. */
export interface DutyEntity {
	readonly id: string;
	readonly name: string;
	/** Node that does it, null while nobody does. */
	readonly owner: string | null;
	/** As in executions. */
	readonly fence: string | null;
	readonly lease_expires_at: string | null;
	/** When it was last brought to its end. */
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
