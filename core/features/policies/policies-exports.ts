import type { JsonObject, PolicyEntity } from "../../contract/index.ts";
import type { Page, Paging } from "../../kernel/basics/pagination.ts";

/** Body of a request that creates or updates a policy. */
export interface PolicyInput {
	readonly name: string;
	readonly pack: string;
	readonly description?: string;
	/** True if the policy is in force. Default true. */
	readonly enabled?: boolean;
	/** Ref of the action, which need not exist. For the type `action.workers` also `<pack>.*` or `*`. */
	readonly resource_ref: string;
	readonly policy_type: string;
	/** Parameters that the policy type declares. Absent ones get their defaults. */
	readonly parameters?: JsonObject;
	readonly metadata_file?: string;
}

export interface PolicyFilter {
	readonly id?: string | readonly string[];
	readonly name?: string | readonly string[];
	readonly pack?: string;
	readonly resource_ref?: string;
	readonly policy_type?: string;
}

/** Policies in the storage. A change is in force on this node when the promise resolves, on other nodes within the poll interval. */
export interface Policies {
	/** Returns the matching policies, sorted by pack, then by name. */
	list(filter: PolicyFilter, paging: Paging): Promise<Page<PolicyEntity>>;
	/** Returns a policy by its ref or id. Throws `SVC_NOT_FOUND` if it does not exist. */
	get(refOrId: string): Promise<PolicyEntity>;
	/** Creates a policy. Throws `SVC_CONFLICT` if the name is taken or the action already has a policy of this type. */
	create(input: PolicyInput): Promise<PolicyEntity>;
	/** Replaces a policy. */
	update(refOrId: string, input: PolicyInput): Promise<PolicyEntity>;
	/** Enables or disables a policy. Its other fields keep their stored values, even if another caller has just changed them. */
	switch(refOrId: string, enabled: boolean): Promise<PolicyEntity>;
	remove(refOrId: string): Promise<void>;
}

/** Members that this feature adds to the engine. */
export interface PoliciesApi {
	readonly policies: Policies;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends PoliciesApi {}
}
