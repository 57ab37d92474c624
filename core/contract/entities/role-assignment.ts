import type { EntityKindDefinition } from "./kind.ts";

/** A role that a user has through a group of the auth backend. Assignments in the configuration are not stored. */
export interface RoleAssignmentEntity {
	readonly id: string;
	readonly user: string;
	readonly role: string;
	readonly description: string;
	/** The group from which the role derives. */
	readonly source: string;
}

export const roleAssignmentKind: EntityKindDefinition<RoleAssignmentEntity> = {
	fields: { id: "text", user: "text", role: "text", description: "text", source: "text" },
	unique: [["user", "role", "source"]],
};
