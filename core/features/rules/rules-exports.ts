import type { JsonObject, RuleEnforcementEntity, RuleEntity, TriggerEntity, TriggerInstanceEntity } from "../../contract/index.ts";
import type { Page, Paging } from "../../kernel/basics/pagination.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { ExecutionView } from "../../kernel/executions/executions-api.ts";
import type { FailedCriterion } from "./criteria/index.ts";

/** Body of a request that creates or updates a rule. */
export interface RuleInput {
	readonly name: string;
	/** Pack of the rule. Default: `default`; in an update, the present pack of the rule. */
	readonly pack?: string;
	readonly description?: string;
	readonly type?: { readonly ref: string; readonly parameters?: JsonObject };
	readonly trigger: { readonly type: string; readonly parameters?: JsonObject };
	readonly criteria?: JsonObject;
	readonly action: { readonly ref: string; readonly parameters?: JsonObject };
	/** True if the rule acts on events. Default false. */
	readonly enabled?: boolean;
	readonly tags?: readonly JsonObject[];
	readonly metadata_file?: string;
}

/** A rule with its trigger, which is undefined if it has been deleted. */
export interface RuleView {
	readonly rule: RuleEntity;
	readonly trigger: TriggerEntity | undefined;
}

/** Filter for a list of rules. */
export interface RuleFilter {
	readonly id?: string | readonly string[];
	readonly name?: string | readonly string[];
	readonly pack?: string;
	/** Ref of the action. */
	readonly action?: string;
	/** Ref of the trigger, or of its type. */
	readonly trigger?: string;
	readonly enabled?: boolean;
	readonly user?: string;
}

/** The rules of an engine. */
export interface Rules {
	/** Returns the matching rules, sorted by pack, then by name. */
	list(filter: RuleFilter, paging: Paging): Promise<Page<RuleView>>;
	/** Returns a rule by its ref or id. Throws `SVC_NOT_FOUND` if it does not exist. */
	get(refOrId: string): Promise<RuleView>;
	/** Creates a rule, and its trigger if no rule uses it yet. */
	create(input: RuleInput, principal: Principal): Promise<RuleView>;
	/**
	 * Replaces a rule; the principal becomes its author. `********` for a secret parameter of the same action keeps the stored value. In that
	 * case, unless the principal is an administrator, the other values must stay unchanged, because their templates could read the secret.
	 * Removes the old trigger if no other rule uses it.
	 */
	update(refOrId: string, input: RuleInput, principal: Principal): Promise<RuleView>;
	/** Enables or disables a rule. Its other fields keep their stored values, except that the principal becomes its author. */
	switch(refOrId: string, enabled: boolean, principal: Principal): Promise<RuleView>;
	remove(refOrId: string): Promise<void>;
	/** Returns the mistakes that prevent rules from working, such as an unknown action, by rule id. Rules without mistakes are absent. */
	problems(views: readonly RuleView[]): Promise<ReadonlyMap<string, readonly string[]>>;
	/** Returns the rules with values masked that the action or the trigger type declares as secret. */
	mask(views: readonly RuleView[]): Promise<readonly RuleView[]>;
	/**
	 * Returns what the rule would do with the event. Nothing is stored or started. Its templates read only the datastore items that both
	 * its author and the tester may view.
	 */
	test(input: RuleTestInput, tester: Principal): Promise<RuleTestOutcome>;
}

/** A rule and an event for a test. Each is stored or given in the request. */
export interface RuleTestInput {
	readonly rule: string | RuleInput;
	/** Id of a trigger instance, or trigger and payload. */
	readonly triggerInstance: string | { readonly trigger: string; readonly payload: JsonObject };
}

/** Result of testing a rule with an event. */
export type RuleTestOutcome =
	| { readonly matched: true; readonly parameters: JsonObject }
	| {
			readonly matched: false;
			readonly reason: string;
			readonly failed?: FailedCriterion;
	  };

export interface EnforcementFilter {
	readonly id?: string | readonly string[];
	readonly rule_ref?: string;
	readonly rule_id?: string;
	readonly trigger_instance_id?: string;
	readonly execution_id?: string;
	readonly trace_id?: string;
	readonly status?: string | readonly string[];
	readonly enforced_at?: { readonly gt?: string; readonly lt?: string };
}

/** An enforcement with its trigger instance and execution, which are undefined if they do not exist. */
export interface EnforcementDetails {
	readonly enforcement: RuleEnforcementEntity;
	readonly instance: TriggerInstanceEntity | undefined;
	readonly execution: ExecutionView | undefined;
}

export interface Enforcements {
	/** Returns the matching enforcements. Default order: the newest first. */
	list(
		filter: EnforcementFilter,
		paging: Paging & { readonly orderBy?: readonly (readonly [keyof RuleEnforcementEntity, "asc" | "desc"])[] },
	): Promise<Page<RuleEnforcementEntity>>;
	/** Returns the trace ids of the newest enforcements of a rule, at most `limit`. */
	tracesOf(ruleId: string, limit: number): Promise<readonly string[]>;
	/** Returns an enforcement. Throws `SVC_NOT_FOUND` if it does not exist. */
	get(id: string): Promise<RuleEnforcementEntity>;
	details(enforcements: readonly RuleEnforcementEntity[]): Promise<readonly EnforcementDetails[]>;
}
