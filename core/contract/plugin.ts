import type { Meters } from "./meters.ts";
import type { Options } from "./options.ts";

/** Structured log. `message` is a fixed phrase, data goes in `fields`, so that masking by attribute name works. */
export interface Logger {
	debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
	info(message: string, fields?: Readonly<Record<string, unknown>>): void;
	warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
	error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Time, so that tests can stand in for it. */
export interface Clock {
	/** Microseconds since 1970-01-01 UTC; never goes backwards within a process. */
	now(): number;
}

/** What the host gives a plugin when it starts. */
export interface PluginContext {
	/** Logs under the plugin's name. */
	readonly logger: Logger;
	readonly clock: Clock;
	/** Absolute path of the service's data directory (mode 0700). It exists. */
	readonly dataDirectory: string;
	/** Id of this node: one per started engine, never used again. */
	readonly nodeId: string;
	/** Options of the service, defaults applied. A plugin reads the section that the reference gives it. */
	readonly options: Options;
	/** Directories with Python modules that packs import, from dialects (`pythonPath`), in the order in which to search. Absent: none. */
	readonly pythonPaths?: readonly string[];
	/** Where a plugin declares what it measures. Absent: nobody takes it. */
	readonly meters?: Meters;
}

/**
 * Life of a plugin instance. The host calls `start` at most once, awaits it before any other method but `check`, and calls `stop`
 * exactly once afterwards, also when `start` threw: `stop` must cope with a half-finished start. Plugins start in the order
 * telemetry, storage, event bus, auth backend, dialects, runners, sensors and stop in reverse.
 */
export interface Lifecycle {
	/**
	 * See whether the options are right, and whether files and packages that they need are there. Throws `SVC_CONFIG` with what is
	 * not, and in `facts.problems` a list of texts where it is more than one thing. Asks no server, and leaves nothing open and
	 * nothing changed. Called by `svc plan`, and by each start before any plugin has been started, for what this node is to start, so
	 * that both say the same. The data directory may not exist yet. Without it a wrong option shows in `start`, and not in a plan.
	 */
	check?(context: PluginContext): Promise<void>;
	/** Open what the plugin needs. Heavy packages are loaded here. Throwing ends the start of the service with the message. */
	start?(context: PluginContext): Promise<void>;
	/** Close everything opened: no handle, timer or child process may be left behind. */
	stop?(): Promise<void>;
}

/**
 * Version of the contract: what plugins are written against. A change that a plugin written before may not survive makes a new one.
 */
export const contractVersion = 1;

/** What a plugin says of itself beside its kind and name. */
export interface PluginTerms {
	/**
	 * Version of the contract that the plugin was written for. The host refuses a plugin of a version that it does not know before
	 * anything starts. Default 1, whatever version this is: what says nothing was written before there was another.
	 */
	readonly contract?: number;
}

/** What a plugin is. */
export type PluginKind = "runner" | "auth-backend" | "storage" | "event-bus" | "sensor" | "dialect" | "telemetry";

/** A plugin as it stands in a configuration: inert until the host calls `create`, which has no side effects. */
export interface Plugin<K extends PluginKind, T extends Lifecycle> extends PluginTerms {
	readonly kind: K;
	/** Unique among the plugins of its kind in one service; for a runner it is the runner type's name. */
	readonly name: string;
	create(): T;
}
