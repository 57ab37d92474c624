import type { JsonObject } from "../../contract/index.ts";
import { type DatastoreAccess, noItems } from "../../language/templates/datastore.ts";

/** Values that templates look up by name. */
export interface ItemSource {
	/** Returns the access for templates of a user: for an execution that is `toItemUser(context)`. */
	accessFor(username: string, rights?: TemplateRights): DatastoreAccess;
	/** Returns the access for templates given by a caller who is not an administrator. */
	accessForGiven(username: string, rights: TemplateRights): DatastoreAccess;
}

/** The author and scopes whose permissions limit what templates read. */
export interface TemplateRights {
	/** The author of the templates: a rule runs as the system user, who may view everything. Default: the user. */
	readonly author?: string | null | undefined;
	/** Scopes of the API key that the execution was started with: templates read no more than these allow. Default: no limit. */
	readonly scopes?: readonly string[] | null | undefined;
}

/** A configuration as a run gets it. */
export interface ResolvedConfiguration {
	/** Defaults filled in, templates rendered, secrets in clear. */
	readonly values: JsonObject;
	/** The same with secrets masked. */
	readonly masked: JsonObject;
	/** Texts among them that must not show. */
	readonly secrets: readonly string[];
}

/** Configurations, by the pack that they belong to. */
export interface ConfigurationSource {
	/** For a run of this user. Empty when the pack has none. `SVC_INVALID` names pack and member. */
	resolve(pack: string, username: string): Promise<ResolvedConfiguration>;
	/** What `config_context` is made of: empty unless it is mentioned somewhere in `sources`. */
	forTemplates(pack: string, username: string, sources: readonly object[]): Promise<ResolvedConfiguration>;
}

/** What the templates of parameters read besides the parameters. */
export interface TemplateSources {
	readonly items: ItemSource;
	readonly configuration: ConfigurationSource;
	/** Whose items a template reads where a context names nobody. */
	readonly systemUser: string;
	isAdministrator(username: string): Promise<boolean>;
}

/** No value has a name. */
export const noItemSource: ItemSource = { accessFor: () => noItems, accessForGiven: () => noItems };

const empty: ResolvedConfiguration = { values: {}, masked: {}, secrets: [] };
/** No pack has a configuration. */
export const noConfiguration: ConfigurationSource = { resolve: async () => empty, forTemplates: async () => empty };

/**
 * Whose items the templates of an execution read: `item_user`, where somebody is told of in `api_user` who is not spoken for. Only
 * administrators may set either for others.
 */
export function toItemUser({ item_user, api_user, user }: JsonObject, systemUser: string): string {
	for (const name of [item_user, api_user, user]) if (typeof name === "string" && name !== "") return name;
	return systemUser;
}
