import type { ApiClient } from "../../client/api-client.ts";
import type { ListPage, ListQuery } from "../../client/page.ts";
import { createRecordClient, type RecordClient } from "../../client/record-client.ts";
import type { JsonObject, ParameterDefinitions } from "../../contract/index.ts";

/** A policy as the API returns it. */
export interface PolicyRecord {
	readonly id: string;
	readonly uid: string;
	readonly ref: string;
	readonly name: string;
	readonly pack: string;
	readonly description: string;
	readonly enabled: boolean;
	/** Ref of the action; `<pack>.*` or `*` is possible for policies about workers. */
	readonly resource_ref: string;
	/** Ref of the policy type, such as `action.concurrency`. */
	readonly policy_type: string;
	readonly parameters: JsonObject;
	readonly metadata_file: string;
}

/** Members of a policy to create or update. Name, pack, resource_ref and policy_type are required. */
export type PolicyRequest = Pick<PolicyRecord, "name" | "pack" | "resource_ref" | "policy_type"> & Partial<PolicyRecord>;

/** A policy type, with the schema of its parameters. */
export interface PolicyTypeRecord {
	readonly id: string;
	readonly uid: string;
	readonly ref: string;
	readonly name: string;
	readonly resource_type: string;
	readonly description: string;
	readonly enabled: boolean;
	readonly module: string;
	readonly parameters: ParameterDefinitions;
}

/** Client for the policies of a service. */
export interface PolicyClient extends RecordClient<PolicyRecord, PolicyRequest> {
	/** Returns the policy types. */
	types(query?: ListQuery): Promise<ListPage<PolicyTypeRecord>>;
	/** Returns a policy type by its ref or id. */
	type(refOrId: string): Promise<PolicyTypeRecord>;
}

export function createPolicyClient(api: ApiClient): PolicyClient {
	return {
		...createRecordClient(api, "/policies"),
		types: (query) => api.list("/policytypes", query),
		type: (ref) => api.read(`/policytypes/${encodeURIComponent(ref)}`),
	};
}
