import type { JsonObject, JsonValue } from "./json.ts";

// What reacts: triggers, rules and what they draw on. The map of all kinds is in entities.ts.

/** A kind of event: what its instances hold and how it is parameterised. */
export interface TriggerTypeEntity {
	readonly id: string;
	/** `<pack>.<name>`; the name may hold dots. */
	readonly ref: string;
	readonly pack: string;
	readonly name: string;
	readonly description: string;
	readonly metadata_file: string | null;
	/** JSON schema of payloads; empty: anything. */
	readonly payload_schema: JsonObject;
	/** JSON schema of parameters; empty: the type has one trigger, without parameters, of its own name. */
	readonly parameters_schema: JsonObject;
	readonly tags: readonly JsonObject[];
}

/** A trigger type with values for its parameters; rules with the same values share it. */
export interface TriggerEntity {
	readonly id: string;
	/** `<pack>.<name>`. */
	readonly ref: string;
	readonly pack: string;
	/** The name of the type, or a random UUID when there are parameters. */
	readonly name: string;
	/** Ref of the trigger type. */
	readonly type: string;
	/** SHA-256 of the parameters with sorted keys, hex. */
	readonly parameters_hash: string;
	readonly description: string;
	readonly parameters: JsonObject;
}

/** One event. Acknowledged means stored; each rule acts on it once. */
export interface TriggerInstanceEntity {
	readonly id: string;
	/** Ref of the trigger. */
	readonly trigger: string;
	readonly trigger_type: string;
	readonly status: TriggerInstanceStatus;
	readonly occurrence_time: string;
	readonly trace_id: string;
	/** A second event with the same key is the same event; the id when nothing is known of it. */
	readonly unique_key: string;
	/** Execution whose end this is. */
	readonly caused_by_id: string | null;
	/** Rules between this event and the first of its cascade, from 0. */
	readonly depth: number;
	/** How often its processing has been begun. */
	readonly attempt: number;
	/** Node that processes it. */
	readonly owner: string | null;
	/** As in executions. */
	readonly fence: string | null;
	readonly lease_expires_at: string | null;
	/** Why the status is `processing_failed`. */
	readonly failure_reason: string | null;
	/** As in executions: what is secret in the payload, with real values. */
	readonly known_secrets: string | null;
	readonly payload: JsonObject;
}

/** What to do about a trigger. */
export interface RuleEntity {
	readonly id: string;
	readonly ref: string;
	readonly pack: string;
	readonly name: string;
	readonly description: string;
	/** `backstop` rules are looked at when no standard rule of the trigger matched. */
	readonly type: "standard" | "backstop";
	readonly enabled: boolean;
	/** Ref of the trigger. */
	readonly trigger: string;
	readonly trigger_type: string;
	/** Need not exist. */
	readonly action_ref: string;
	/** Whoever changed it last: its templates read with the permissions of this user. */
	readonly user: string;
	/** A new one with each change. */
	readonly revision: string;
	readonly metadata_file: string | null;
	/** Path to `{type, pattern}`. */
	readonly criteria: JsonObject;
	readonly action_parameters: JsonObject;
	readonly type_parameters: JsonObject;
	readonly tags: readonly JsonObject[];
}

/** That a rule acted on a trigger instance, or why it could not. A rule that did not match leaves none. */
export interface RuleEnforcementEntity {
	readonly id: string;
	readonly rule_id: string;
	readonly rule_ref: string;
	readonly trigger_instance_id: string;
	readonly execution_id: string | null;
	readonly status: "succeeded" | "failed";
	readonly enforced_at: string;
	readonly trace_id: string;
	readonly failure_reason: string | null;
}

/** What came in over a webhook and what became of it. */
export interface WebhookDeliveryEntity {
	readonly id: string;
	/** Without outer slashes. */
	readonly url: string;
	/** Ref of the trigger it was for. */
	readonly trigger: string;
	/** Trigger and delivery id while a second delivery with it is a repetition; otherwise the id. */
	readonly delivery_key: string;
	/** As the sender gave it. */
	readonly delivery_id: string | null;
	readonly received_at: string;
	/** accepted, duplicate, refused … */
	readonly verdict: string;
	readonly user: string;
	readonly trigger_instance_id: string | null;
	/** Why it was refused. */
	readonly reason: string | null;
	readonly trace_tag: string | null;
	/** Without credentials. */
	readonly headers: JsonObject;
	readonly body: JsonValue;
}

/** When a timer trigger fires next. */
export interface TimerEntity {
	readonly id: string;
	/** Ref of the trigger. */
	readonly trigger: string;
	readonly trigger_type: string;
	/** Intervals are counted from here. */
	readonly started_at: string;
	/** Null: never again. */
	readonly next_fire_at: string | null;
	readonly last_fired_at: string | null;
}

/** A datastore item. */
export interface KeyValueEntity {
	readonly id: string;
	readonly scope: "svckv.system" | "svckv.user";
	/** In user scope `<user>:<name>`. */
	readonly name: string;
	/** Whose it is, in user scope. */
	readonly user: string | null;
	readonly description: string | null;
	readonly secret: boolean;
	/** An item past it counts as absent. */
	readonly expire_timestamp: string | null;
	readonly updated_at: string;
	/** Cipher text when `secret`. */
	readonly value: string;
}

/** A source of events as it is configured, and how it does. */
export interface SensorEntity {
	readonly id: string;
	readonly ref: string;
	readonly pack: string;
	readonly name: string;
	readonly description: string;
	/** Set by operators; registration never changes it. */
	readonly enabled: boolean;
	/** Seconds. */
	readonly poll_interval: number | null;
	readonly state: SensorStateName;
	readonly state_changed_at: string;
	/** Failures in a row. */
	readonly restarts: number;
	readonly last_error: string | null;
	/** When it is started again, while it waits for that. */
	readonly next_start_at: string | null;
	/** Node that runs it. */
	readonly owner: string | null;
	readonly fence: string | null;
	readonly lease_expires_at: string | null;
	/** Refs. */
	readonly trigger_types: readonly string[];
}

/**
 * States of a sensor: `waiting` to be started again after a failure; `failed` when it was told to end and has not, so that it
 * cannot be started again yet.
 */
export type SensorStateName = "stopped" | "running" | "waiting" | "failed";

/** States of a trigger instance: `processed` says that every rule was looked at, whether or not one matched. */
export type TriggerInstanceStatus = "pending" | "processing" | "processed" | "processing_failed";
