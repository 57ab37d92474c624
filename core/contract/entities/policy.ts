import type { JsonObject } from "../json.ts";
import type { EntityKindDefinition } from "./kind.ts";

/** A policy for the executions of an action: the number that run at once, the reaction to a failure, and the workers that run them. */
export interface PolicyEntity {
	readonly id: string;
	readonly ref: string;
	readonly pack: string;
	readonly name: string;
	readonly description: string;
	readonly enabled: boolean;
	/** Ref of the action, which need not exist. Policies of the type `action.workers` may also have `<pack>.*` or `*`. */
	readonly resource_ref: string;
	/** `action.concurrency`, `action.concurrency.attr`, `action.retry`, `action.crash` or `action.workers`. */
	readonly policy_type: string;
	/**
	 * Counter that each write that admits executions increments, and each change of the policy. If it changes after a node has counted the
	 * running executions, the write of that node fails, and the node counts again.
	 */
	readonly turn: number;
	readonly metadata_file: string | null;
	readonly parameters: JsonObject;
}

export const policyKind: EntityKindDefinition<PolicyEntity> = {
	fields: {
		id: "text",
		ref: "text",
		pack: "text",
		name: "text",
		description: "text",
		enabled: "boolean",
		resource_ref: "text",
		policy_type: "text",
		turn: "integer",
		metadata_file: "text",
		parameters: "json",
	},
	unique: [["ref"], ["resource_ref", "policy_type"]],
	indexes: [["pack", "name"], ["name"]],
};
