import type { JsonObject, PolicyEntity } from "../../contract/index.ts";
import type { Page, Paging } from "../../kernel/basics/pagination.ts";

/** Body of policy create and update. */
export interface PolicyInput {
	readonly name: string;
	readonly pack: string;
	readonly description?: string;
	/** Default true. */
	readonly enabled?: boolean;
	/** Ref of the action; it need not exist. */
	readonly resource_ref: string;
	readonly policy_type: string;
	/** What the policy type declares; its defaults are filled in. */
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

/** Policies as they are kept. What is stored is in force on this node when a promise resolves, on others within the poll interval. */
export interface Policies {
	/** By pack, then name. */
	list(filter: PolicyFilter, paging: Paging): Promise<Page<PolicyEntity>>;
	/** By ref or id; `SVC_NOT_FOUND`. */
	get(refOrId: string): Promise<PolicyEntity>;
	/** `SVC_CONFLICT` when the name is taken, or the action has a policy of this type. */
	create(input: PolicyInput): Promise<PolicyEntity>;
	/** Full replacement. */
	update(refOrId: string, input: PolicyInput): Promise<PolicyEntity>;
	/** Only whether it is in force: all else stays as it is by then. */
	switch(refOrId: string, enabled: boolean): Promise<PolicyEntity>;
	remove(refOrId: string): Promise<void>;
}
