import type { JsonObject, JsonValue } from "../contract/index.ts";

/** A problem, and how to solve it. */
export interface Finding {
	/**
	 * Location of the problem: an option, the path of a plugin in the configuration, or a file. Empty if it concerns the whole
	 * configuration.
	 */
	readonly path: string;
	readonly message: string;
	readonly hint?: string;
}

export interface PlannedPlugin {
	/** Path in the configuration, such as `runners[0]`. */
	readonly path: string;
	readonly kind: "storage" | "event-bus" | "auth-backend" | "runner" | "sensor" | "dialect" | "telemetry";
	readonly name: string;
	/** Version of the contract that the plugin was written for. */
	readonly contract: number;
	/** True if a node with these roles starts the plugin. */
	readonly starts: boolean;
	readonly capabilities?: Readonly<Record<string, boolean>>;
	/** Refs of the trigger types of a sensor. */
	readonly trigger_types?: readonly string[];
}

export interface PlannedListener {
	readonly name: string;
	readonly host: string;
	/** Port; 0 if the system chooses one. */
	readonly port: number;
	readonly tls: boolean;
	/** `svc`: a running service listens there and must stop first. `taken`: another program listens there. */
	readonly state: "free" | "svc" | "taken";
}

export interface PlannedStorage {
	readonly name: string;
	/** Path or address of the database. Null if the storage does not report it. */
	readonly place: string | null;
	/** `unreachable`: the storage could not be queried. `unknown`: the storage cannot be inspected without starting it. */
	readonly state: "new" | "older" | "ready" | "unreachable" | "unknown";
	/** Schema changes that a start makes, in order. */
	readonly changes: readonly string[];
}

/**
 * Result of the comparison with the stored records. `left`: the record is stored but no longer defined by a pack or a plugin; it is not
 * removed. Null if the stored records could not be read.
 */
export type ContentState = "new" | "changed" | "same" | "left" | null;

export interface PlannedRecord {
	readonly ref: string;
	readonly state: ContentState;
	/** Names of the changed fields, if the record is changed. */
	readonly changes?: readonly string[];
}

export interface PlannedRule extends PlannedRecord {
	readonly enabled: boolean;
	/** Trigger of the rule, with secret parameters masked. */
	readonly trigger: { readonly type: string; readonly parameters: JsonObject };
	readonly action: { readonly ref: string; readonly parameters: JsonObject };
	readonly criteria: JsonObject;
	readonly description: string;
}

export interface PlannedTrigger {
	readonly state: ContentState;
	readonly type: string;
	readonly parameters: JsonObject;
	/** Path of a webhook at the API. */
	readonly path?: string;
}

/** Records that the service would have after the start, by kind. */
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
	/** Value of the option, with secrets masked. */
	readonly value: JsonValue;
	/** Environment variable that sets the option. Absent if the configuration file sets it. */
	readonly variable?: string;
}

export interface PlannedFile {
	readonly path: string;
	readonly purpose: string;
	readonly exists: boolean;
}

/** Describes what `svc serve` would do with a configuration. */
export interface ServicePlan {
	/** Version of svc. */
	readonly version: string;
	readonly contract: number;
	/** Path of the configuration file. */
	readonly config: string;
	/** True if there is no problem. */
	readonly would_start: boolean;
	/** True if a running service holds a port or the database and must stop before the start. */
	readonly after_running: boolean;
	readonly problems: readonly Finding[];
	readonly warnings: readonly Finding[];
	/** Roles of the node. This and all following fields are absent if the configuration cannot be read or is invalid. */
	readonly roles?: readonly string[];
	/** Features beside those that every service has: those that the configuration lists, and those of this package that it leaves out. */
	readonly features?: { readonly listed: readonly string[]; readonly left_out: readonly string[] };
	readonly plugins?: readonly PlannedPlugin[];
	readonly listeners?: readonly PlannedListener[];
	readonly storage?: PlannedStorage;
	readonly content?: PlannedContent;
	/** Options that differ from the default, and those that a variable sets. */
	readonly options?: readonly PlannedOption[];
	readonly files?: readonly PlannedFile[];
	/** True if the start creates the user `admin`. Null if that could not be determined. */
	readonly first_user?: boolean | null;
}
