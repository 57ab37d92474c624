import type { JsonObject } from "./json.ts";
import type { Lifecycle, Plugin } from "./plugin.ts";

/** What a file of a pack describes; `config_schema` is the description of its configuration. */
export type DialectKind = "pack" | "config_schema" | "action" | "rule" | "trigger_type" | "sensor" | "policy" | "action_alias";

/** Their names, and the names that this service has for the same. */
export type DialectNames = Readonly<Record<string, string>>;

/**
 * How content says things that was written for another service, so that it need not be changed. What it says is understood beside
 * this service's own words, which win where both are there; records, results and answers always have this service's own.
 *
 * All members but `normalize` are data. They are there from `create` on, and do not change. Of several dialects that know the same
 * word the first one of the configuration counts.
 */
export interface Dialect extends Lifecycle {
	/** Whose words these are, in a sentence. */
	readonly description: string;
	/** Runner types, as `runner_type` of actions says them; in files, over the API and in the resources of roles. Default none. */
	readonly runnerTypes?: DialectNames;
	/** Refs of trigger types, as rules say them; in files, over the API, in events and in the resources of roles. Default none. */
	readonly triggerTypes?: DialectNames;
	/** Attributes at the top of files, by what the files describe. A file that has both names is refused. Default none. */
	readonly attributes?: Readonly<Partial<Record<DialectKind, DialectNames>>>;
	/**
	 * Variables and functions of templates and expressions. One that the content itself has by their name is that one: a parameter
	 * called as the other service's datastore is the parameter. Default none.
	 */
	readonly names?: DialectNames;
	/** Variables in the environment of runs: each has the value of ours, and is not there where that is not. Default none. */
	readonly environment?: DialectNames;
	/**
	 * Absolute path of a directory with Python modules that packs import. It is searched last, so that nothing of a pack or of its
	 * virtualenv is hidden by it. Default none.
	 */
	readonly pythonPath?: string;
	/**
	 * What a file says in this service's words, for what no table can say. Called with each file of a pack after the tables have been
	 * applied, before it is checked; what the caller gave must not be changed. Everything in it is as it was written: of any type, and
	 * perhaps meant to do harm. What it throws is shown as what is wrong with the file.
	 */
	normalize?(kind: DialectKind, metadata: JsonObject): JsonObject;
}

/** A dialect as it stands in a configuration; see `defineDialect`. */
export type DialectPlugin = Plugin<"dialect", Dialect>;
