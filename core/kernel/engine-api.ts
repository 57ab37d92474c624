import type { Exposition, Meters } from "../contract/index.ts";
import type { Dispatcher } from "./events/event-dispatcher-api.ts";
import type { Executions, OutputAccess } from "./executions/executions-api.ts";
import type { FeatureMap } from "./feature-list.ts";
import type { Nodes, Readiness } from "./nodes/nodes-api.ts";

/** Measurements of an engine. */
export interface EngineTelemetry extends Meters {
	/** Returns the current measurements; undefined if no telemetry plugin keeps them. */
	expose(): Promise<Exposition | undefined>;
}

/** Members of every engine, independent of its features. */
export interface EngineCore {
	readonly nodeId: string;
	/** Features of the engine, by the names under which the configuration creates them. */
	readonly features: FeatureMap;
	readonly executions: Executions;
	readonly output: OutputAccess;
	/** Accepts events, which rules then evaluate. */
	readonly dispatcher: Dispatcher;
	/** Nodes of the service, including this one. */
	readonly nodes: Nodes;
	/** Declares metrics, and returns all measurements. */
	readonly telemetry: EngineTelemetry;
	/** Reports whether this node is ready for requests. Never rejects; may be called at any time. */
	readiness(): Promise<Readiness>;
	/**
	 * Starts plugins in order, registers packs, recovers the executions of earlier processes, and starts the work of the node's roles. If a
	 * shared storage is unavailable, waits for it until `drain` or `stop` is called. Rejects with `SVC_CONFIG` if this node cannot work
	 * together with the other nodes.
	 */
	start(): Promise<void>;
	/**
	 * Starts no new work from the call on, waits for active runs for the configured time, then aborts the rest. Everything else still works.
	 */
	drain(): Promise<void>;
	/** Drains without waiting for runs; also ends the wait of a drain that is in progress. */
	abort(): Promise<void>;
	/** Drains, then stops features and plugins in reverse order. May be called before `start`, and more than once. */
	stop(): Promise<void>;
	/** Calls `stop`, for `await using`. */
	[Symbol.asyncDispose](): Promise<void>;
}

/**
 * The engine: the whole service without HTTP. Each feature adds its API by declaration merging. So the type has the members of all
 * features, but an engine with fewer features lacks some of them.
 */
export interface Engine extends EngineCore {}
