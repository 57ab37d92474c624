import type { JsonObject } from "../json.ts";
import type { EntityKindDefinition } from "./kind.ts";

/** A rule about the executions of an action: how many at once, what follows a failure, which workers carry them out. */
export interface PolicyEntity {
	readonly id: string;
	readonly ref: string;
	readonly pack: string;
	readonly name: string;
	readonly description: string;
	readonly enabled: boolean;
	/** Ref of the action; need not exist. `<pack>.*` and `*` where the type may be about more than one. */
	readonly resource_ref: string;
	/** `action.concurrency`, `action.concurrency.attr`, `action.retry`, `action.crash` or `action.workers`. */
	readonly policy_type: string;
	/** Counted up with every execution it lets through, so that of two nodes that count at the same time one counts again. */
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
