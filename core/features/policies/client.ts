import type { Api } from "../../client/api.ts";
import type { ListPage, ListQuery } from "../../client/page.ts";
import type { JsonObject, ParameterSchema } from "../../contract/index.ts";

/** A policy as the API shows it. */
export interface PolicyRecord {
	readonly id: string;
	readonly uid: string;
	readonly ref: string;
	readonly name: string;
	readonly pack: string;
	readonly description: string;
	readonly enabled: boolean;
	/** Ref of the action. */
	readonly resource_ref: string;
	/** Such as `action.concurrency`. */
	readonly policy_type: string;
	readonly parameters: JsonObject;
	readonly metadata_file: string;
}

/** What may be said of a policy; name, pack, resource_ref and policy_type must be. */
export type PolicyRequest = Pick<PolicyRecord, "name" | "pack" | "resource_ref" | "policy_type"> & Partial<PolicyRecord>;

/** A kind of policy and its parameters. */
export interface PolicyTypeRecord {
	readonly id: string;
	readonly uid: string;
	readonly ref: string;
	readonly name: string;
	readonly resource_type: string;
	readonly description: string;
	readonly enabled: boolean;
	readonly module: string;
	readonly parameters: ParameterSchema;
}

/** The policies of a service. */
export interface PolicyClient {
	list(query?: ListQuery): Promise<ListPage<PolicyRecord>>;
	/** By ref or id. */
	get(refOrId: string): Promise<PolicyRecord>;
	create(policy: PolicyRequest): Promise<PolicyRecord>;
	/** Full replacement. */
	update(refOrId: string, policy: PolicyRequest): Promise<PolicyRecord>;
	remove(refOrId: string): Promise<void>;
	/** The kinds of policies there are. */
	types(query?: ListQuery): Promise<ListPage<PolicyTypeRecord>>;
	/** By ref or id. */
	type(refOrId: string): Promise<PolicyTypeRecord>;
}

export function createPolicyClient({ read, list, call }: Api): PolicyClient {
	const at = (refOrId: string) => `/policies/${encodeURIComponent(refOrId)}`;
	return {
		list: (query) => list("/policies", query),
		get: (ref) => read(at(ref)),
		create: (body) => read("/policies", { method: "POST", body }),
		update: (ref, body) => read(at(ref), { method: "PUT", body }),
		async remove(ref) {
			await call(at(ref), { method: "DELETE" });
		},
		types: (query) => list("/policytypes", query),
		type: (ref) => read(`/policytypes/${encodeURIComponent(ref)}`),
	};
}
