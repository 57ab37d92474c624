import type { ExecutionEntity, JsonObject, TriggerInstanceEntity, TriggerReference, WriteOperation } from "../../contract/index.ts";
import type { ResolvedTrigger } from "./trigger-catalog.ts";

/** Fields that are needed of an execution that causes an event. */
export type CausingExecution = Pick<ExecutionEntity, "id" | "trace_id" | "parent_id" | "trigger_instance_id">;

/** An event that the dispatcher turns into a trigger instance. */
export interface IncomingEvent {
	/** Trigger of the event: the ref of a trigger type without parameters, the ref of a trigger, or a type with parameters. */
	readonly trigger: TriggerReference;
	readonly payload: JsonObject;
	/**
	 * Trace of the event: the id of an existing trace, or the tag of a new one. Default: the trace of `causedBy`; without it, a new trace with
	 * the tag `trigger_instance-<id>`.
	 */
	readonly trace?: { readonly id_?: string; readonly trace_tag?: string; readonly traceparent?: string | undefined };
	/** Key that identifies the event: a second event with the same key is a duplicate. Default: the id of the event. */
	readonly uniqueKey?: string;
	/** Called with the resolved trigger before the event is stored. Throws to refuse the event. */
	readonly check?: (resolved: ResolvedTrigger) => void;
	/** Encrypted secrets of the payload. Null or undefined if the sender has declared none. */
	readonly knownSecrets?: string | null;
	/** True if the payload was already validated, because the event is a copy of an earlier one. Default false. */
	readonly isPayloadValidated?: boolean;
	/** Execution that has caused the event, for example by its end. The event joins its trace, unless `trace` is given. */
	readonly causedBy?: {
		readonly executionId: string;
		/** The execution itself, which saves reading it. Required if the execution is not stored yet. */
		readonly execution?: CausingExecution;
	};
}

/**
 * A validated trigger instance that is not stored yet. The caller stores its operations together with other operations, in one write, all
 * or nothing.
 */
export interface EventDraft {
	readonly instance: TriggerInstanceEntity;
	/** Writes that insert the trigger instance. */
	readonly operations: readonly WriteOperation[];
	/** Must be called once the operations are stored, so that rules are evaluated without waiting for the next poll. */
	announce(): void;
	/**
	 * Stores the trigger instance with `also`, all or nothing, and has rules evaluate it. Needs fewer writes than storing `operations`, but
	 * rules may act in that same write. So `also` must contain nothing that rules must find stored. Rejects with the error of the storage, and
	 * may then be called again.
	 */
	store(also: readonly WriteOperation[]): Promise<void>;
}

/** Entry point of all events, regardless of their source. */
export interface Dispatcher {
	/**
	 * Stores an event. The event is on disk when the promise resolves. If an event with the same key exists, returns that event, with `isNew`
	 * false. Throws `SVC_INVALID` for an unknown trigger. Also throws it for a payload that the schema does not allow, if payloads of the type
	 * are validated; the message names the member.
	 */
	dispatch(event: IncomingEvent): Promise<{ readonly instance: TriggerInstanceEntity; readonly isNew: boolean }>;
	/**
	 * Returns true if an event of this trigger would be stored. Events of types with `isKeptForRulesOnly`, which every execution causes, are
	 * stored only if a rule uses the type. All others are always stored.
	 */
	isWanted(trigger: string): Promise<boolean>;
	/**
	 * Validates an event as `dispatch` does, for callers that store it together with other records. Returns undefined if the event is not
	 * wanted (`isWanted`).
	 */
	draft(event: IncomingEvent): Promise<EventDraft | undefined>;
}
