import type { JsonObject, JsonValue } from "../contract/index.ts";

/** What is wrong, and what to do about it. */
export interface Finding {
	/** Where: an option, a plugin's place in the configuration, a file; empty when it concerns the whole. */
	readonly path: string;
	readonly message: string;
	readonly hint?: string;
}

export interface PlannedPlugin {
	/** Place in the configuration, such as `runners[0]`. */
	readonly path: string;
	readonly kind: "storage" | "event-bus" | "auth-backend" | "runner" | "sensor" | "dialect" | "telemetry";
	readonly name: string;
	/** Version of the contract that it was written for. */
	readonly contract: number;
	/** Whether a node with these roles starts it. */
	readonly starts: boolean;
	readonly capabilities?: Readonly<Record<string, boolean>>;
	/** Of a sensor: refs. */
	readonly trigger_types?: readonly string[];
}

export interface PlannedListener {
	readonly name: string;
	readonly host: string;
	/** 0: the system chooses one. */
	readonly port: number;
	readonly tls: boolean;
	/** `svc`: a running service answers there, and has to stop first. `taken`: something else does. */
	readonly state: "free" | "svc" | "taken";
}

export interface PlannedStorage {
	readonly name: string;
	/** Null when the storage does not tell. */
	readonly place: string | null;
	/** `unreachable`: it could not be asked. `unknown`: the storage cannot be looked at without starting it. */
	readonly state: "new" | "older" | "ready" | "unreachable" | "unknown";
	/** Changes of the schema that a start makes, in order. */
	readonly changes: readonly string[];
}

/**
 * Against what is stored: `left` is stored, and no file of a pack and no plugin says it any more; it stays. Null when what is stored
 * could not be read.
 */
export type ContentState = "new" | "changed" | "same" | "left" | null;

export interface PlannedRecord {
	readonly ref: string;
	readonly state: ContentState;
	/** Of a changed one: what changes. */
	readonly changes?: readonly string[];
}

export interface PlannedRule extends PlannedRecord {
	readonly enabled: boolean;
	/** Secret parameters are masked. */
	readonly trigger: { readonly type: string; readonly parameters: JsonObject };
	readonly action: { readonly ref: string; readonly parameters: JsonObject };
	readonly criteria: JsonObject;
	readonly description: string;
}

export interface PlannedTrigger {
	readonly state: ContentState;
	readonly type: string;
	readonly parameters: JsonObject;
	/** Of a webhook: the path at the API. */
	readonly path?: string;
}

/** What can be reacted to and run once the service is up. */
export interface PlannedContent {
	readonly runner_types: readonly PlannedRecord[];
	readonly packs: readonly PlannedRecord[];
	readonly actions: readonly PlannedRecord[];
	readonly sensors: readonly PlannedRecord[];
	readonly trigger_types: readonly PlannedRecord[];
	readonly rules: readonly PlannedRule[];
	readonly policies: readonly PlannedRecord[];
	readonly action_aliases: readonly PlannedRecord[];
	readonly webhooks: readonly PlannedTrigger[];
	readonly timers: readonly PlannedTrigger[];
}

export interface PlannedOption {
	readonly path: string;
	/** Secrets are masked. */
	readonly value: JsonValue;
	/** The environment variable that says so; absent when the configuration file does. */
	readonly variable?: string;
}

export interface PlannedFile {
	readonly path: string;
	readonly purpose: string;
	readonly exists: boolean;
}

/** What `svc serve` would do with a configuration. */
export interface ServicePlan {
	/** Version of svc. */
	readonly version: string;
	readonly contract: number;
	/** Path of the configuration file. */
	readonly config: string;
	/** Whether there is no problem. */
	readonly would_start: boolean;
	/** Whether a service runs now that holds a port or the database, so that the start can only come after it has stopped. */
	readonly after_running: boolean;
	readonly problems: readonly Finding[];
	readonly warnings: readonly Finding[];
	/** Absent, as is what follows, while the configuration cannot be read or is wrong. */
	readonly roles?: readonly string[];
	readonly plugins?: readonly PlannedPlugin[];
	readonly listeners?: readonly PlannedListener[];
	readonly storage?: PlannedStorage;
	readonly content?: PlannedContent;
	/** Options that are not the default, and variables in force. */
	readonly options?: readonly PlannedOption[];
	readonly files?: readonly PlannedFile[];
	/** Whether the start makes the user `admin`; null when that could not be found out. */
	readonly first_user?: boolean | null;
}
