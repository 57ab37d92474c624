import type { JsonObject } from "./json.ts";
import type { Clock, Lifecycle, Logger, Plugin } from "./plugin.ts";
import type { TriggerReference } from "./trigger-reference.ts";

/** A trigger type that comes with a sensor: registered under the sensor's pack when the service starts. */
export interface SensorTriggerType {
	/** Name within the pack; the ref is `<pack>.<name>`. It may hold dots. */
	readonly name: string;
	/** One sentence. Default empty. */
	readonly description?: string;
	/** JSON schema of payloads. Default: anything. */
	readonly payload_schema?: JsonObject;
	/** JSON schema of parameters. With properties, rules ask for triggers of this type with values of theirs. Default: none. */
	readonly parameters_schema?: JsonObject;
}

/** A trigger of one of the sensor's types. */
export interface SensorTrigger {
	/** What `dispatch` takes. */
	readonly ref: string;
	/** Ref of the trigger type. */
	readonly type: string;
	readonly parameters: JsonObject;
}

/** What has changed among the triggers of the sensor's types. A trigger never changes: another one takes its place. */
export interface SensorTriggerChange {
	readonly added: readonly SensorTrigger[];
	readonly removed: readonly SensorTrigger[];
}

/** What the sensor keeps between its runs: datastore items of the system whose names begin with `<pack>.<sensor>:`. */
export interface SensorState {
	/** Undefined when there is none, or it has expired. Secret items come in clear. */
	get(name: string): Promise<string | undefined>;
	/** On disk when the promise resolves. */
	set(
		name: string,
		value: string,
		options?: {
			/** Seconds until it counts as absent. Default: it stays. */
			readonly ttl?: number;
			/** Keep it encrypted. Default false. */
			readonly secret?: boolean;
		},
	): Promise<void>;
	/** Whether there was something to delete. */
	delete(name: string): Promise<boolean>;
	/** Items whose names begin with `prefix` (default: all), by name, without the sensor's own prefix. */
	list(prefix?: string): Promise<readonly { readonly name: string; readonly value: string }[]>;
}

/** Everything a sensor needs for one run. Valid until `run` settles; afterwards its methods reject. */
export interface SensorContext {
	/** `<pack>.<sensor>`. */
	readonly ref: string;
	readonly pack: string;
	/** Seconds between two looks, as the sensor declares them. */
	readonly poll_interval: number | undefined;
	/** Configuration of the sensor's pack, defaults applied and secrets in clear; empty when it has none. */
	readonly packConfig: JsonObject;
	/**
	 * Variables for a process that works for it: the API's address, and a token for it where there is authentication, which ends with the run. Secret.
	 * Empty for a sensor of the configuration.
	 */
	readonly environment: Readonly<Record<string, string>>;
	/** Aborts when the sensor is switched off, the service stops, or another node runs the sensor. Then `run` has to settle. */
	readonly signal: AbortSignal;
	readonly logger: Logger;
	readonly clock: Clock;
	readonly state: SensorState;
	/** Items of the system by their whole names: what others have kept, or are to read. */
	readonly datastore: SensorState;
	/**
	 * Dispatch a trigger: a trigger type's or trigger's ref, or a type with parameters. On disk when the promise resolves with the
	 * instance's id; while the storage is away it waits. An event that nobody can take (unknown trigger, or a payload that the
	 * schema refuses) is dropped with a warning in the log, and the promise resolves with undefined.
	 */
	dispatch(
		trigger: TriggerReference,
		payload: JsonObject,
		options?: {
			/** Tag of the trace that begins here. Default: one is made. */
			readonly traceTag?: string;
			/** Id of the trace that it joins; one that does not exist drops the event. Goes before the tag. Default: a trace begins here. */
			readonly traceId?: string;
			/** A second event of this sensor with the same key is the same event, also after a restart. Default: each is its own. */
			readonly uniqueKey?: string;
		},
	): Promise<string | undefined>;
	/** The triggers of the sensor's types that exist now: with parameters, those that rules ask for. */
	triggers(): Promise<readonly SensorTrigger[]>;
	/** First those that exist, as added; then each change. Ends when `signal` aborts. */
	followTriggers(): AsyncIterable<SensorTriggerChange>;
}

/**
 * A long-running source of events.
 *
 * The host does the rest: it runs each sensor on exactly one node, starts it again after a failure with growing pauses, takes it
 * over from a node that went away, and switches it on and off as operators say. `run` may be called again after it has settled,
 * never twice at a time.
 */
export interface Sensor extends Lifecycle {
	/** One sentence, shown in the sensor type record. */
	readonly description: string;
	/** Pack of the sensor and its trigger types. Default `default`. */
	readonly pack?: string;
	readonly trigger_types: readonly SensorTriggerType[];
	/** Seconds between two looks of a sensor that polls, at least 4; `poll` is given it. Default: the sensor does not poll. */
	readonly poll_interval?: number;
	/**
	 * Dispatch events until `signal` aborts, then settle soon: after a grace (`sensorcontainer.shutdown_grace`) nobody waits any more.
	 * Rejecting means that the sensor failed, and it is started again. Resolving means that it has nothing more to do: it rests
	 * until it is switched on again or the service starts. It shares the service's process, so it must not block.
	 */
	run(context: SensorContext): Promise<void>;
}

/** A sensor as a configuration holds it. */
export type SensorPlugin = Plugin<"sensor", Sensor>;
