import type { JsonObject, RuleEntity, TriggerEntity, TriggerInstanceEntity, TriggerTypeEntity } from "../../contract/index.ts";
import type { Page, Paging } from "../../kernel/basics/pagination.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { ChangeRequester } from "../../kernel/executions/log-actor.ts";

/** Body of a request that creates or replaces a trigger type. */
export interface TriggerTypeInput {
	readonly name: string;
	readonly pack: string;
	readonly description?: string;
	readonly payload_schema?: JsonObject;
	readonly parameters_schema?: JsonObject;
	readonly tags?: readonly JsonObject[];
}

/** A trigger type that a pack file or another source defines. */
export interface RegisteredTypeInput extends TriggerTypeInput {
	/** Path of the file in the pack. Removing the file removes the trigger type. */
	readonly metadata_file?: string;
}

/** Body of a request that creates or replaces a trigger. */
export interface TriggerInput {
	readonly name?: string;
	readonly pack?: string;
	/** Ref of the trigger type. */
	readonly type: string;
	readonly description?: string;
	readonly parameters?: JsonObject;
}

export interface NamedFilter {
	readonly id?: string | readonly string[];
	readonly name?: string | readonly string[];
	readonly pack?: string;
	/** Ref of the trigger type; used for triggers only. */
	readonly type?: string;
}

type OrderBy<E> = { readonly orderBy?: readonly (readonly [keyof E & string, "asc" | "desc"])[] };

export interface TriggerTypes {
	/**
	 * Returns the service's ref of a trigger type, for which a dialect may use another name.
	 * A ref that no dialect defines is returned unchanged.
	 */
	refOf(ref: string): string;
	/** Returns trigger types, by default ordered by ref. */
	list(filter: NamedFilter, paging: Paging & OrderBy<TriggerTypeEntity>): Promise<Page<TriggerTypeEntity>>;
	/** Returns the trigger type with this ref or id. Throws `SVC_NOT_FOUND`. */
	get(refOrId: string): Promise<TriggerTypeEntity>;
	/** Creates a trigger type and, if it has no parameters, its trigger. */
	create(input: TriggerTypeInput, metadataFile?: string | null): Promise<TriggerTypeEntity>;
	/** Replaces all fields. Pack and name stay; the file stays unless it is given. */
	update(refOrId: string, input: TriggerTypeInput, metadataFile?: string | null): Promise<TriggerTypeEntity>;
	/** Removes a trigger type. Rules that use it stay and are inactive until a type with that ref exists again. */
	remove(refOrId: string): Promise<void>;
}

/** A rule, and the ref of the trigger that it uses. */
export type NamedTrigger = Pick<TriggerEntity, "ref" | "type" | "pack" | "name">;
export type RuleOfTrigger = Pick<RuleEntity, "ref" | "pack" | "name" | "trigger">;

export interface Triggers {
	/** Returns triggers ordered by ref. */
	list(filter: NamedFilter): Promise<readonly TriggerEntity[]>;
	/** Returns the trigger with this ref or id. Throws `SVC_NOT_FOUND`. */
	get(refOrId: string): Promise<TriggerEntity>;
	/** Returns type and name of those of the triggers with these refs that exist, in any order. Parameters may be large, so they are not read. */
	namesOf(refs: readonly string[]): Promise<readonly NamedTrigger[]>;
	/** Returns those of the triggers with these refs that exist, in any order. */
	listByRef(refs: readonly string[]): Promise<readonly TriggerEntity[]>;
	/** Returns the rules that use the triggers with these refs, ordered by the ref of the rule. */
	rulesOf(refs: readonly string[]): Promise<readonly RuleOfTrigger[]>;
	/** Masks the parameters that the trigger types mark as secret. */
	mask(triggers: readonly TriggerEntity[]): Promise<readonly TriggerEntity[]>;
	/** Creates a trigger. Returns the existing one if its pack and name, or its type and parameters, are in use. */
	create(input: TriggerInput): Promise<TriggerEntity>;
	/** Replaces a trigger. `principal` is undefined if the embedding program itself makes the change; it may do everything. */
	update(refOrId: string, input: TriggerInput, principal?: Principal): Promise<TriggerEntity>;
	remove(refOrId: string): Promise<void>;
}

export interface InstanceFilter {
	readonly id?: string | readonly string[];
	/** Refs of triggers. */
	readonly trigger?: string | readonly string[];
	readonly trigger_type?: string | readonly string[];
	readonly status?: string | readonly string[];
	readonly occurrence_time?: { readonly gt?: string; readonly lt?: string };
}

export interface TriggerInstances {
	/** Returns trigger instances, by default the newest first. */
	list(filter: InstanceFilter, paging: Paging & OrderBy<TriggerInstanceEntity>): Promise<Page<TriggerInstanceEntity>>;
	/** Returns the trigger instance with this id. Throws `SVC_NOT_FOUND`. */
	get(id: string): Promise<TriggerInstanceEntity>;
	/** Dispatches the event again, in a trace of its own. The payload names the original instance and the user who requested the copy. */
	reEmit(id: string, signer: ChangeRequester, reason?: string): Promise<TriggerInstanceEntity>;
	/**
	 * Masks known secrets in payloads. In an event that announces the end of an execution, also masks the members of the result that the
	 * action marks as secret.
	 */
	maskPayloads(instances: readonly TriggerInstanceEntity[]): Promise<readonly TriggerInstanceEntity[]>;
}

/** Trigger types, triggers and their instances. */
export interface TriggersApi {
	readonly types: TriggerTypes;
	readonly triggers: Triggers;
	readonly instances: TriggerInstances;
}
