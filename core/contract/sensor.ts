import type { JsonObject } from "./json.ts";
import type { Clock, Lifecycle, Logger, Plugin } from "./plugin.ts";
import type { TriggerReference } from "./trigger-reference.ts";

/** A trigger type that a sensor provides. It is registered in the sensor's pack when the service starts. */
export interface SensorTriggerType {
	/** Name within the pack; the ref is `<pack>.<name>`. The name may contain dots. */
	readonly name: string;
	/** One sentence. Default: an empty string. */
	readonly description?: string;
	/** JSON schema of payloads. Default: any payload is valid. */
	readonly payload_schema?: JsonObject;
	/**
	 * JSON schema of parameters. If it has properties, rules create triggers of this type with parameter values. Default: no
	 * parameters.
	 */
	readonly parameters_schema?: JsonObject;
}

/** A trigger of one of the sensor's types. */
export interface SensorTrigger {
	/** Ref to pass to `dispatch`. */
	readonly ref: string;
	/** Ref of the trigger type. */
	readonly type: string;
	readonly parameters: JsonObject;
}

/**
 * A change of the set of triggers of the sensor's types. Triggers are immutable: a changed trigger is removed and a new one is added.
 */
export interface SensorTriggerChange {
	readonly added: readonly SensorTrigger[];
	readonly removed: readonly SensorTrigger[];
}

/** Persistent state of a sensor: system items of the datastore whose names begin with `<pack>.<sensor>:`. */
export interface SensorState {
	/** Returns the value of an item, decrypted if it is secret. Resolves with undefined if the item does not exist or has expired. */
	get(name: string): Promise<string | undefined>;
	/** Stores an item. The write is durable when the promise resolves. */
	set(
		name: string,
		value: string,
		options?: {
			/** Seconds until the item expires. Default: the item does not expire. */
			readonly ttl?: number;
			/** True if the value must be encrypted. Default false. */
			readonly secret?: boolean;
		},
	): Promise<void>;
	/** Deletes an item. Resolves with true if the item existed. */
	delete(name: string): Promise<boolean>;
	/** Returns the items whose names begin with `prefix`, sorted by name. Names omit the sensor's own prefix. Default: all items. */
	list(prefix?: string): Promise<readonly { readonly name: string; readonly value: string }[]>;
}

/** Everything that a sensor needs for one run. The context is valid until `run` settles; afterwards its methods reject. */
export interface SensorContext {
	/** Ref of the sensor: `<pack>.<sensor>`. */
	readonly ref: string;
	/** Ref of the sensor's pack. */
	readonly pack: string;
	/** Seconds between two polls, as the sensor declares them. Undefined if the sensor does not poll. */
	readonly poll_interval: number | undefined;
	/** Configuration of the sensor's pack, with defaults applied and secrets decrypted. Empty if the pack has no configuration. */
	readonly packConfig: JsonObject;
	/**
	 * Environment variables for a child process of the sensor: the address of the API and, if authentication is enabled, a token.
	 *
	 * The token is secret and expires with the run. Empty for a sensor of the service configuration.
	 */
	readonly environment: Readonly<Record<string, string>>;
	/** Aborts if the sensor is disabled, the service stops, or another node runs the sensor. `run` must settle then. */
	readonly signal: AbortSignal;
	readonly logger: Logger;
	readonly clock: Clock;
	readonly state: SensorState;
	/** All system items of the datastore, by their full names. It gives access to items that other components have stored. */
	readonly datastore: SensorState;
	/**
	 * Dispatches a trigger. Resolves with the id of the trigger instance when the instance is durable.
	 *
	 * If the storage is unavailable, the call waits. If the trigger is unknown or its schema refuses the payload, the event is dropped: a
	 * warning is logged, and the promise resolves with undefined. Rejects with `SVC_FORBIDDEN` for a trigger that a sensor of a pack must not
	 * dispatch, such as one of the service itself.
	 * @param trigger ref of a trigger or trigger type, or a type with parameters
	 */
	dispatch(
		trigger: TriggerReference,
		payload: JsonObject,
		options?: {
			/** Tag of the new trace. Default: a generated tag. */
			readonly traceTag?: string;
			/**
			 * Id of an existing trace to join. If the trace does not exist, the event is dropped. Takes precedence over `traceTag`.
			 * Default: a new trace.
			 */
			readonly traceId?: string;
			/**
			 * Deduplication key. Events of this sensor with equal keys count as one event, even after a restart. Default: all events
			 * are distinct.
			 */
			readonly uniqueKey?: string;
		},
	): Promise<string | undefined>;
	/** Returns the current triggers of the sensor's types. For a type with parameters, these are the triggers that rules use. */
	triggers(): Promise<readonly SensorTrigger[]>;
	/** Yields the current triggers as added, then each change. Ends when `signal` aborts. */
	followTriggers(): AsyncIterable<SensorTriggerChange>;
}

/**
 * A long-running source of events.
 *
 * The host runs each sensor on exactly one node and restarts it after a failure, with increasing delays. It moves a sensor away from a
 * failed node, and it enables and disables sensors on request of operators. `run` may be called again after it has settled, but never
 * twice at a time.
 */
export interface Sensor extends Lifecycle {
	/** One sentence, shown in the record of the sensor type. */
	readonly description: string;
	/** Pack of the sensor and its trigger types. Default `default`. */
	readonly pack?: string;
	/** Trigger types that the sensor provides. */
	readonly trigger_types: readonly SensorTriggerType[];
	/** Seconds between two polls, a whole number of at least 4. Pass the value to `poll`. Default: the sensor does not poll. */
	readonly poll_interval?: number;
	/**
	 * Dispatches events until `signal` aborts, then settles soon.
	 *
	 * - If the promise rejects, the sensor has failed, and the host restarts it.
	 * - If the promise resolves, the sensor is finished. It starts again only when it is disabled and enabled, when its code changes, or when
	 *   its node stops and another node or the restarted service runs it.
	 *
	 * The host waits at most `sensorcontainer.shutdown_grace` seconds after the abort. The sensor shares the process of the service, so
	 * it must not block the event loop.
	 */
	run(context: SensorContext): Promise<void>;
}

/** A sensor plugin, as a configuration refers to it. */
export type SensorPlugin = Plugin<"sensor", Sensor>;
