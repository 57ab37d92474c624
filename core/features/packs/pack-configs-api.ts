import type { JsonObject, ParameterSchema } from "../../contract/index.ts";
import type { Principal } from "../../kernel/basics/principal.ts";

/** The configuration of a pack as it was written: templates are not rendered, defaults not filled in. */
export interface PackConfig {
	readonly id: string;
	readonly pack: string;
	/** Secret members in clear: mask them by `schema`. */
	readonly values: JsonObject;
	readonly schema: ParameterSchema;
}

export interface PackConfigSchema {
	readonly id: string;
	readonly pack: string;
	readonly attributes: ParameterSchema;
}

/** A configuration as a run gets it. */
export interface ResolvedPackConfig {
	/** Defaults filled in, templates rendered, secrets in clear. */
	readonly values: JsonObject;
	/** The same with secrets masked. */
	readonly masked: JsonObject;
	/** Texts among them that must not show. */
	readonly secrets: readonly string[];
}

/** Configurations of packs: a schema in the pack, values in a file beside the others. The files are the truth. */
export interface PackConfigs {
	/** For a run or a sensor; `svckv.user` is this user's. Empty when the pack has none. `SVC_INVALID` names pack and member. */
	resolve(pack: string, username: string): Promise<ResolvedPackConfig>;
	/** What `config_context` is made of: empty unless it is mentioned somewhere in `sources`. */
	forTemplates(pack: string, username: string, sources: readonly object[]): Promise<ResolvedPackConfig>;
	/** Of all packs, by name. */
	list(): Promise<readonly PackConfig[]>;
	schemas(): Promise<readonly PackConfigSchema[]>;
	/** `SVC_NOT_FOUND` for an unknown pack and for one without configuration. */
	get(pack: string): Promise<PackConfig>;
	schema(pack: string): Promise<PackConfigSchema>;
	/** Check and write to the file. `********` where a secret is stored keeps it. `SVC_INVALID` names the member. */
	set(pack: string, values: JsonObject, principal: Principal): Promise<PackConfig>;
	/** Look through all files and log what is wrong with them. */
	check(): Promise<void>;
}
