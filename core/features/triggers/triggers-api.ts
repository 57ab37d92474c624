import type { JsonObject, TriggerEntity, TriggerInstanceEntity, TriggerTypeEntity } from "../../contract/index.ts";
import type { Page, Paging } from "../../kernel/basics/pagination.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { ChangeRequester } from "../../kernel/executions/signed-patch.ts";

/** Body of trigger type create and update. */
export interface TriggerTypeInput {
	readonly name: string;
	readonly pack: string;
	readonly description?: string;
	readonly payload_schema?: JsonObject;
	readonly parameters_schema?: JsonObject;
	readonly tags?: readonly JsonObject[];
}

/** A trigger type that comes with something else. */
export interface RegisteredTypeInput extends TriggerTypeInput {
	/** Path in the pack; with the file the trigger type goes. */
	readonly metadata_file?: string;
}

/** Body of trigger create and update. */
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
	/** Of triggers: ref of the type. */
	readonly type?: string;
}

type OrderBy<E> = { readonly orderBy?: readonly (readonly [keyof E & string, "asc" | "desc"])[] };

export interface TriggerTypes {
	/** The service's ref of a trigger type, which a dialect may call by another name. A ref that no dialect knows is returned unchanged. */
	refOf(ref: string): string;
	/** By ref unless told otherwise. */
	list(filter: NamedFilter, paging: Paging & OrderBy<TriggerTypeEntity>): Promise<Page<TriggerTypeEntity>>;
	/** By ref or id; `SVC_NOT_FOUND`. */
	get(refOrId: string): Promise<TriggerTypeEntity>;
	/** With its trigger, when it has no parameters. */
	create(input: TriggerTypeInput, metadataFile?: string | null): Promise<TriggerTypeEntity>;
	/** Full replacement; pack, name and, unless it is given, the file stay. */
	update(refOrId: string, input: TriggerTypeInput, metadataFile?: string | null): Promise<TriggerTypeEntity>;
	/** Rules on it stay, and rest until there is such a type again. */
	remove(refOrId: string): Promise<void>;
}

export interface Triggers {
	/** By ref. */
	list(filter: NamedFilter): Promise<readonly TriggerEntity[]>;
	/** By ref or id; `SVC_NOT_FOUND`. */
	get(refOrId: string): Promise<TriggerEntity>;
	/** With the parameters masked that their types call secret. */
	mask(triggers: readonly TriggerEntity[]): Promise<readonly TriggerEntity[]>;
	/** The one that is there when pack and name, or type and parameters, are taken. */
	create(input: TriggerInput): Promise<TriggerEntity>;
	/** `principal` undefined: the program that the engine is part of, which may do everything. */
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
	/** The newest first unless told otherwise. */
	list(filter: InstanceFilter, paging: Paging & OrderBy<TriggerInstanceEntity>): Promise<Page<TriggerInstanceEntity>>;
	/** `SVC_NOT_FOUND`. */
	get(id: string): Promise<TriggerInstanceEntity>;
	/** Dispatch the event again, in a trace of its own; the payload says of which instance it is a copy, and who has asked for it. */
	reEmit(id: string, signer: ChangeRequester, reason?: string): Promise<TriggerInstanceEntity>;
	/**
	 * Payloads as they are shown: what the action of an execution calls secret in its result is masked in the payload that tells of
	 * its end.
	 */
	maskPayloads(instances: readonly TriggerInstanceEntity[]): Promise<readonly TriggerInstanceEntity[]>;
}

/** Trigger types, triggers and their instances. */
export interface TriggersApi {
	readonly types: TriggerTypes;
	readonly triggers: Triggers;
	readonly instances: TriggerInstances;
}
