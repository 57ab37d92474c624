import type { ApiClient } from "../../client/api-client.ts";
import type { ListPage, ListQuery } from "../../client/page.ts";
import { createRecordClient, type RecordClient } from "../../client/record-client.ts";
import type { JsonObject, JsonValue } from "../../contract/index.ts";
import type { RuleRecord } from "../executions/client-exports.ts";

export type { RuleRecord };

/** Members of a rule to create or update. Name, trigger and action are required. */
export type RuleRequest = Pick<RuleRecord, "name"> & {
	readonly trigger: { readonly type: string; readonly parameters?: JsonObject };
	readonly action: { readonly ref: string; readonly parameters?: JsonObject };
} & Partial<Omit<RuleRecord, "name" | "trigger" | "action">>;

/** An enforcement: the result of a rule for an event. */
export interface RuleEnforcementRecord {
	readonly id: string;
	readonly trigger_instance_id: string;
	readonly execution_id?: string;
	readonly failure_reason?: string;
	readonly rule: { readonly ref: string; readonly id: string; readonly uid: string };
	readonly enforced_at: string;
	readonly status: "succeeded" | "failed";
}

/** A rule and an event for a test, each by ref or id, or as an object. */
export interface RuleTestRequest {
	readonly rule: string | JsonObject;
	readonly trigger_instance: string | { readonly trigger: string; readonly payload?: JsonObject };
}

/** Result of testing a rule with an event. */
export interface RuleTestRecord {
	readonly matched: boolean;
	/** Rendered parameters of the action; present if the rule matched. */
	readonly parameters?: JsonObject;
	/** Reason why the rule did not match or its parameters cannot be rendered. */
	readonly reason?: string;
	readonly failed?: { readonly key: string; readonly operator: string; readonly pattern: JsonValue; readonly value: JsonValue };
}

/** Client for the rules of a service. */
export interface RuleClient extends RecordClient<RuleRecord, RuleRequest> {
	/** Returns what a rule would do with an event. Nothing is started. */
	test(request: RuleTestRequest): Promise<RuleTestRecord>;
	/** Returns enforcements, the newest first. */
	enforcements(query?: ListQuery): Promise<ListPage<RuleEnforcementRecord>>;
	enforcement(id: string): Promise<RuleEnforcementRecord>;
}

export function createRuleClient(api: ApiClient): RuleClient {
	return {
		...createRecordClient(api, "/rules"),
		test: (body) => api.read("/rules/test", { method: "POST", body }),
		enforcements: (query) => api.list("/ruleenforcements", query),
		enforcement: (id) => api.read(`/ruleenforcements/${encodeURIComponent(id)}`),
	};
}
