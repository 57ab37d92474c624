import type { Meters } from "./meters.ts";
import type { Options } from "./options.ts";

/** Structured logger. `message` is a fixed phrase and `fields` holds the data, so that values can be masked by attribute name. */
export interface Logger {
	debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
	info(message: string, fields?: Readonly<Record<string, unknown>>): void;
	warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
	error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Source of the current time, which tests can replace. */
export interface Clock {
	/** Returns microseconds since 1970-01-01 UTC. Never decreases within a process. */
	now(): number;
}

/** Everything that the host passes to a plugin at its start. */
export interface PluginContext {
	/** Logs under the plugin's name. */
	readonly logger: Logger;
	readonly clock: Clock;
	/** Absolute path of the data directory, which the service creates with mode 0700. In `check` it need not exist yet. */
	readonly dataDirectory: string;
	/** Id of this node. Each start of an engine has a new id, which is never reused. */
	readonly nodeId: string;
	/** Options of the service, with defaults applied. A plugin reads the section that the configuration reference assigns to it. */
	readonly options: Options;
	/** Directories with Python modules for packs, from dialects (`pythonPath`), in search order. Absent: none. */
	readonly pythonPaths?: readonly string[];
	/** Registry for the metrics of the plugin. Absent if no telemetry plugin collects metrics. */
	readonly meters?: Meters;
}

/**
 * Lifecycle of a plugin instance.
 *
 * The host calls `start` at most once and awaits it before any other method except `check`. It calls `stop` exactly once afterwards,
 * even if `start` has thrown, so that `stop` must handle an incomplete start. Plugins start in the order telemetry, storage, event bus,
 * auth backend, dialects, runners, sensors. They stop in the reverse order.
 */
export interface Lifecycle {
	/**
	 * Checks the options, and that the files and packages that they require exist.
	 *
	 * Throws `SVC_CONFIG` with the problem. If there are several problems, `facts.problems` is a list of messages. The method must not
	 * contact servers, and must neither leave resources open nor change anything. The data directory may not exist yet.
	 *
	 * The host calls it in `svc plan`, and at each start before it starts any plugin, for all plugins that this node will start. Both
	 * therefore report the same problems. If this method is missing, a wrong option is only detected by `start`.
	 */
	check?(context: PluginContext): Promise<void>;
	/** Opens the resources of the plugin. Load heavy packages here. If it throws, the start of the service fails with its message. */
	start?(context: PluginContext): Promise<void>;
	/** Closes all resources. No handle, timer or child process may remain. */
	stop?(): Promise<void>;
}

/** Version of the contract between host and plugins. A change that may break existing plugins creates a new version. */
export const contractVersion = 1;

/** Declarations of a plugin in addition to its kind and name. */
export interface PluginMetadata {
	/**
	 * Contract version for which the plugin was written. The host refuses an unknown version before anything starts.
	 *
	 * Default 1, regardless of the current version: a plugin without this declaration was written before there was another version.
	 */
	readonly contract?: number;
}

/** Kind of a plugin. */
export type PluginKind = "runner" | "auth-backend" | "storage" | "event-bus" | "sensor" | "dialect" | "telemetry";

/** A plugin in a configuration. It is inert until the host calls `create`, which has no side effects. */
export interface Plugin<K extends PluginKind, T extends Lifecycle> extends PluginMetadata {
	readonly kind: K;
	/** Unique among the plugins of its kind in one service. For a runner, it is the name of the runner type. */
	readonly name: string;
	/** Creates an instance of the plugin. */
	create(): T;
}
