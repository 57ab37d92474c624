import type { JsonObject } from "./json.ts";
import type { Lifecycle, Plugin } from "./plugin.ts";

/** Kind of a file of a pack. `config_schema` is the schema of the pack's configuration. */
export type DialectKind = "pack" | "config_schema" | "action" | "rule" | "trigger_type" | "sensor" | "policy" | "action_alias";

/** Names of the other service, each mapped to the name that this service uses. */
export type DialectNames = Readonly<Record<string, string>>;

/**
 * Compatibility with content that was written for another service, so that it need not be changed.
 *
 * The host accepts the names of the dialect in addition to its own names, which take precedence. Records, results and responses always
 * use the names of this service.
 *
 * All members except `normalize` and those of `Lifecycle` are data. They are available after `create` and never change. If several
 * dialects define a name, the first one of the configuration is used.
 */
export interface Dialect extends Lifecycle {
	/** The service whose names the dialect defines, in one sentence. */
	readonly description: string;
	/** Names of runner types, as in `runner_type` of actions. They apply to files, the API and the resources of roles. Default none. */
	readonly runnerTypes?: DialectNames;
	/** Refs of trigger types, as in rules. They apply to files, the API, events and the resources of roles. Default none. */
	readonly triggerTypes?: DialectNames;
	/** Top-level attributes of files, by the kind of the file. A file with both names of an attribute is refused. Default none. */
	readonly attributes?: Readonly<Partial<Record<DialectKind, DialectNames>>>;
	/**
	 * Variables and functions of templates and expressions. Default none.
	 *
	 * Names that the content itself defines take precedence. For example, if a parameter has the name of the other service's datastore, the
	 * name denotes the parameter.
	 */
	readonly names?: DialectNames;
	/**
	 * Environment variables of runs. Each one has the value of the mapped variable, and is absent if that variable is absent. Default
	 * none.
	 */
	readonly environment?: DialectNames;
	/**
	 * Absolute path of a directory with Python modules for packs. Default none.
	 *
	 * It is searched last, so that its modules never replace modules of a pack or of its virtualenv.
	 */
	readonly pythonPath?: string;
	/**
	 * Returns the metadata of a file in terms of this service, for differences that a table cannot express.
	 *
	 * The host calls it for each file of a pack, after it has renamed `attributes`. Afterwards the host translates runner and trigger types,
	 * and checks the file. The method must not change the input. The metadata is untrusted: values may have any type. If the method throws,
	 * the message is reported as the problem of the file.
	 */
	normalize?(kind: DialectKind, metadata: JsonObject): JsonObject;
}

/** A dialect plugin, as a configuration refers to it; see `defineDialect`. */
export type DialectPlugin = Plugin<"dialect", Dialect>;
