import type { ExecutionEntity, JsonObject, TriggerInstanceEntity, TriggerReference, WriteOperation } from "../../contract/index.ts";
import type { ResolvedTrigger } from "./trigger-catalog.ts";

/** What is known of an execution that causes an event. */
export type CausingExecution = Pick<ExecutionEntity, "id" | "trace_id" | "parent_id" | "trigger_instance_id">;

/** An event that is to become a trigger instance. */
export interface Dispatch {
	/** Ref of a trigger type without parameters, ref of a trigger, or a type with parameters. */
	readonly trigger: TriggerReference;
	readonly payload: JsonObject;
	/** The trace it joins: an id that exists, or a tag for a new one. Default: a new one, tag `trigger_instance-<id>`. */
	readonly trace?: { readonly id_?: string; readonly trace_tag?: string; readonly traceparent?: string | undefined };
	/** A second event with the same key is the same event. Default: every event is its own. */
	readonly uniqueKey?: string;
	/** Refuses it by what its trigger turns out to be; throws. */
	readonly check?: (resolved: ResolvedTrigger) => void;
	/** What is secret in the payload, as whoever causes the event knows it. */
	readonly knownSecrets?: string | null;
	/** The payload is one that was checked when it first came in. */
	readonly isChecked?: boolean;
	/** Execution whose end this is: the instance joins its trace, one step deeper. */
	readonly causedBy?: {
		readonly executionId: string;
		/** What is known of it, which saves reading it; needed while it is not stored yet. */
		readonly execution?: CausingExecution;
	};
}

/** A trigger instance that is checked and not yet stored: its writes go into the caller's own, so that both happen or neither. */
export interface DispatchDraft {
	readonly instance: TriggerInstanceEntity;
	readonly operations: readonly WriteOperation[];
	/** Call once the operations are stored: rules are then looked at without waiting for the next poll. */
	announce(): void;
	/**
	 * Store it with `also`, all or nothing, and have rules look at it: fewer writes than by `operations`, for whoever stores nothing that
	 * must come before. Rejects with what the storage says; may be called again then.
	 */
	store(also: readonly WriteOperation[]): Promise<void>;
}

/** The one door through which events enter, whatever they come from. */
export interface Dispatcher {
	/**
	 * Store an event; on disk when the promise resolves. `isNew` is false when one with the same key was there: that one is returned.
	 * `SVC_INVALID` for an unknown trigger or a payload its schema refuses, naming the member.
	 */
	dispatch(event: Dispatch): Promise<{ readonly instance: TriggerInstanceEntity; readonly isNew: boolean }>;
	/** Whether an event of this trigger would be kept. One of a type that every execution makes events of is not, when nobody listens. */
	isWanted(trigger: string): Promise<boolean>;
	/** As `dispatch`, for callers that store it together with something else. Undefined: nothing listens and nothing need be kept. */
	draft(event: Dispatch): Promise<DispatchDraft | undefined>;
}
