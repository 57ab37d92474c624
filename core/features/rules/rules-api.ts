import type { JsonObject, RuleEnforcementEntity, RuleEntity, TriggerEntity, TriggerInstanceEntity } from "../../contract/index.ts";
import type { Page, Paging } from "../../kernel/basics/pagination.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { ExecutionView } from "../../kernel/executions/executions-api.ts";
import type { FailedCriterion } from "./criteria/index.ts";

/** Body of rule create and update. */
export interface RuleInput {
	readonly name: string;
	/** Default `default`; in an update the rule's own. */
	readonly pack?: string;
	readonly description?: string;
	readonly type?: { readonly ref: string; readonly parameters?: JsonObject };
	readonly trigger: { readonly type: string; readonly parameters?: JsonObject };
	readonly criteria?: JsonObject;
	readonly action: { readonly ref: string; readonly parameters?: JsonObject };
	/** Default false. */
	readonly enabled?: boolean;
	readonly tags?: readonly JsonObject[];
	readonly metadata_file?: string;
}

/** A rule with its trigger; undefined when that has gone. */
export interface RuleView {
	readonly rule: RuleEntity;
	readonly trigger: TriggerEntity | undefined;
}

/** Which rules a list holds. */
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
	/** By pack, then name. */
	list(filter: RuleFilter, paging: Paging): Promise<Page<RuleView>>;
	/** By ref or id; `SVC_NOT_FOUND`. */
	get(refOrId: string): Promise<RuleView>;
	/** Makes the trigger too when no rule has used it yet. */
	create(input: RuleInput, principal: Principal): Promise<RuleView>;
	/**
	 * Full replacement; whoever makes it is the author from then on. `********` for a secret parameter of the same action keeps the
	 * stored one; for others than administrators only while the templates beside it stay as they are, which could read it. The old
	 * trigger goes when no other rule uses it.
	 */
	update(refOrId: string, input: RuleInput, principal: Principal): Promise<RuleView>;
	/** Only whether it acts: all else stays as it is by then. Whoever does it is the author from then on. */
	switch(refOrId: string, enabled: boolean, principal: Principal): Promise<RuleView>;
	remove(refOrId: string): Promise<void>;
	/** Returns the mistakes that keep rules from working, such as an action that does not exist, by the id of the rule; without rules that have none. */
	problems(views: readonly RuleView[]): Promise<ReadonlyMap<string, readonly string[]>>;
	/** With the values masked that action or trigger type call secret. */
	mask(views: readonly RuleView[]): Promise<readonly RuleView[]>;
	/**
	 * What the rule would do with the event. Nothing is stored or started. Its templates read the items of the datastore that its
	 * author and the tester may view.
	 */
	test(input: RuleTestInput, tester: Principal): Promise<RuleTestOutcome>;
}

/** A rule and an event, each stored or given. */
export interface RuleTestInput {
	readonly rule: string | RuleInput;
	/** Id of a trigger instance; or trigger and payload. */
	readonly triggerInstance: string | { readonly trigger: string; readonly payload: JsonObject };
}

/** Whether a rule would act on an event, and how. */
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

/** An enforcement with what it is about, as far as that exists. */
export interface EnforcementDetails {
	readonly enforcement: RuleEnforcementEntity;
	readonly instance: TriggerInstanceEntity | undefined;
	readonly execution: ExecutionView | undefined;
}

export interface Enforcements {
	/** The newest first unless told otherwise. */
	list(
		filter: EnforcementFilter,
		paging: Paging & { readonly orderBy?: readonly (readonly [keyof RuleEnforcementEntity, "asc" | "desc"])[] },
	): Promise<Page<RuleEnforcementEntity>>;
	/** Ids of traces in which a rule has acted, by its newest enforcements. */
	tracesOf(ruleId: string, limit: number): Promise<readonly string[]>;
	/** `SVC_NOT_FOUND`. */
	get(id: string): Promise<RuleEnforcementEntity>;
	details(enforcements: readonly RuleEnforcementEntity[]): Promise<readonly EnforcementDetails[]>;
}
