import type { Exposition, Meters } from "../contract/index.ts";
import type { Dispatcher } from "./events/event-dispatcher-api.ts";
import type { Executions, Output } from "./executions/executions-api.ts";
import type { FeatureList } from "./feature-list.ts";
import type { Nodes, Readiness } from "./nodes/nodes-api.ts";

/** Measurements of an engine. */
export interface EngineTelemetry extends Meters {
	/** All of them as they are now; undefined where no plugin keeps them. */
	expose(): Promise<Exposition | undefined>;
}

/** What every engine has, whatever its features. */
export interface EngineCore {
	readonly nodeId: string;
	/** What it is made of besides the kernel, by the names of the configuration. */
	readonly features: FeatureList;
	readonly executions: Executions;
	readonly output: Output;
	/** The door for events: what is dispatched here is looked at by rules. */
	readonly dispatcher: Dispatcher;
	/** The processes that make up the service, this one among them. */
	readonly nodes: Nodes;
	/** What is measured: where to declare it, and how to ask for all of it. */
	readonly telemetry: EngineTelemetry;
	/** Whether this node is to be sent requests. Never rejects; may be asked at any time. */
	readiness(): Promise<Readiness>;
	/**
	 * Starts plugins in order, registers packs, recovers what an earlier process left, begins to work as far as the node's roles go.
	 * Where the storage is for several processes and is away, waits for it until it is told to stop. `SVC_CONFIG` when the node cannot
	 * go together with those that are there.
	 */
	start(): Promise<void>;
	/** Takes on nothing from the moment of the call, waits for runs as configured, then ends the rest. Everything else goes on. */
	drain(): Promise<void>;
	/** `drain` without waiting for runs: also for a drain under way. */
	abort(): Promise<void>;
	/** `drain`, then stops plugins in reverse. May be called before `start` and twice. */
	stop(): Promise<void>;
	/** `stop`, for `await using`. */
	[Symbol.asyncDispose](): Promise<void>;
}

/**
 * The engine: everything the service does, without HTTP. A feature adds what it offers by declaring this interface again, so that whoever
 * has an engine of all features sees all of it; an engine of fewer features lacks what it would have had of the others.
 */
export interface Engine extends EngineCore {}
