import type { JsonObject, ParameterDefinitions } from "../../contract/index.ts";
import type { Principal } from "../../kernel/basics/principal.ts";

/** Configuration of a pack as stored in its file: templates are not rendered, and defaults are not filled in. */
export interface PackConfig {
	readonly id: string;
	readonly pack: string;
	/** Values with secrets unmasked. Callers mask them with `schema`. */
	readonly values: JsonObject;
	readonly schema: ParameterDefinitions;
}

export interface PackConfigSchema {
	readonly id: string;
	readonly pack: string;
	readonly attributes: ParameterDefinitions;
}

/** A configuration as a run receives it. */
export interface ResolvedPackConfig {
	/** Values with defaults filled in, templates rendered and secrets unmasked. */
	readonly values: JsonObject;
	/** `values` with masked secrets. */
	readonly masked: JsonObject;
	/** Secret strings in `values` that must be masked. */
	readonly secrets: readonly string[];
}

/** Configurations of packs, which exist only in files: the schema in the pack, the values in the directory of configurations. */
export interface PackConfigs {
	/**
	 * Returns the configuration for a run or a sensor; `svckv.user` refers to the items of the given user. Empty if the pack has no
	 * configuration. Throws `SVC_INVALID`, which names the pack and the member.
	 */
	resolve(pack: string, username: string): Promise<ResolvedPackConfig>;
	/** Returns the values of `config_context`. Empty unless `sources` contain the word `config_context`. */
	forTemplates(pack: string, username: string, sources: readonly object[]): Promise<ResolvedPackConfig>;
	/** Returns the configurations of all packs, sorted by name. */
	list(): Promise<readonly PackConfig[]>;
	schemas(): Promise<readonly PackConfigSchema[]>;
	/** Returns the configuration of a pack. Throws `SVC_NOT_FOUND` if the pack is unknown or has no configuration. */
	get(pack: string): Promise<PackConfig>;
	schema(pack: string): Promise<PackConfigSchema>;
	/** Checks values and writes them to the file. `********` keeps a stored secret. Throws `SVC_INVALID`, which names the member. */
	set(pack: string, values: JsonObject, principal: Principal): Promise<PackConfig>;
	/** Checks all files and logs their problems. */
	check(): Promise<void>;
}
