import type { JsonObject } from "../../contract/index.ts";
import { toTemplateError } from "../../language/parameters/parameter-errors.ts";
import {
	type FinalInput,
	type FinalParameters,
	type LiveInput,
	type RenderContext,
	renderFinal,
	renderLive,
} from "../../language/parameters/render.ts";
import {
	type Datastore,
	type DatastoreAccess,
	emptyDatastore,
	emptyDatastoreAccess,
	renderWithAllLookups,
} from "../../language/templates/datastore.ts";
import { TemplateError } from "../../language/templates/errors.ts";
import { collectDecrypted } from "../../secrets/encrypted-secrets.ts";
import { Redactor } from "../../secrets/redactor.ts";
import type { TemplateAuthor } from "../executions/executions-api.ts";

/** Data about the execution whose parameters are rendered, and the permissions that apply to its templates. */
interface RenderScope {
	/** Pack whose configuration templates read as `config_context`. */
	readonly pack: string;
	readonly context: JsonObject;
	/** Further names that templates may use, such as `trigger`. */
	readonly names?: RenderContext | undefined;
	/** User whose permissions on datastore items apply. Default: the user of the execution. */
	readonly author?: string | null | undefined;
	/** Scopes of the API key that the execution was started with. Default: no limit. */
	readonly scopes?: readonly string[] | null | undefined;
	/** Author and scopes that apply to templates in the given parameters. Default: `author` and `scopes`. */
	readonly writer?: Pick<TemplateAuthor, "author" | "scopes"> | undefined;
	/** True if templates in the given parameters must not read secrets of the action or its pack. Default false. */
	readonly isGuarded?: boolean;
	/** Secrets in `names` and in the given parameters. They must not appear in error messages. */
	readonly known?: Redactor;
}

/** Secrets that rendering has read. */
interface DiscoveredSecrets {
	/** Secret values of the pack configuration, and decrypted datastore values. */
	readonly secrets: readonly string[];
}

/** Renders the parameters of a new execution (`renderLive`), with access to the datastore and the configuration of its pack. */
export async function renderSubmitted(
	input: Omit<LiveInput, "context" | "datastore">,
	{ pack, context, names, author, scopes, writer, isGuarded = false, known }: RenderScope,
	{ items, configuration, systemUser }: TemplateSources,
): Promise<DiscoveredSecrets & { readonly parameters: JsonObject }> {
	const user = toItemUser(context, systemUser);
	const schemas = [input.actionSchema, input.runnerSchema];
	const config = await configuration.forTemplates(pack, user, isGuarded ? schemas : [input.callerValues, ...schemas]);
	const available = Object.assign({}, names, { action_context: context, config_context: config.values });
	const rights = { author, scopes };
	const rightsForGiven = writer ?? rights;
	const accesses = [items.accessFor(user, rights)];
	if (isGuarded) accesses.push(items.accessForGiven(user, rightsForGiven));
	else if (writer !== undefined) accesses.push(items.accessFor(user, rightsForGiven));
	const secrets = [...config.secrets];
	const parameters = await withDatastores(accesses, { secrets, known }, (datastore, given) =>
		renderLive({
			// Set single members before the spread: adding one after the spread costs as much as all others together.
			context: available,
			datastore,
			callerDatastore: given,
			secretGuard: isGuarded ? { maskedConfig: config.masked } : undefined,
			...input,
		}),
	);
	return { parameters, secrets };
}

/** Renders the parameters for a run (`renderFinal`). Returns them with the configuration of the pack. */
export async function renderForRun(
	input: Omit<FinalInput, "context" | "datastore">,
	{ pack, context, author, scopes, known }: RenderScope,
	sources: TemplateSources,
): Promise<FinalParameters & DiscoveredSecrets & { readonly config: ResolvedConfiguration }> {
	const user = toItemUser(context, sources.systemUser);
	const config = await sources.configuration.resolve(pack, user);
	const names = { action_context: context, config_context: config.values };
	const secrets = [...config.secrets];
	const parameters = await withDatastores([sources.items.accessFor(user, { author, scopes })], { secrets, known }, (datastore) =>
		renderFinal({ context: names, datastore, ...input }),
	);
	return { config, secrets, ...parameters };
}

/**
 * Calls `render` with the datastores of `accesses`. Adds decrypted datastore values to `secrets`. If rendering fails, neither these values
 * nor the `known` secrets appear in the error.
 */
async function withDatastores<T>(
	accesses: readonly DatastoreAccess[],
	{ secrets, known = Redactor.none }: { readonly secrets: string[]; readonly known: Redactor | undefined },
	render: (datastore: Datastore, given: Datastore) => T,
): Promise<T> {
	try {
		const recordingAccesses = accesses.map((access) => collectDecrypted(access, secrets));
		return await renderWithAllLookups(recordingAccesses, ([own = emptyDatastore, given = own]) => render(own, given));
	} catch (error) {
		const masked = known.withValues(secrets).redactError(error);
		if (masked instanceof TemplateError) throw toTemplateError("", `Failed to render parameters: ${masked.message}`, masked);
		throw masked;
	}
}

/** Provides the datastore items that templates look up by name. */
export interface DatastoreSource {
	/** Returns the datastore access for templates of a user. For an execution, that user is `toItemUser(context)`. */
	accessFor(username: string, rights?: TemplateRights): DatastoreAccess;
	/** Returns the datastore access for templates in parameters that a caller without administrator rights has given. */
	accessForGiven(username: string, rights: TemplateRights): DatastoreAccess;
}

/** The author and scopes whose permissions limit what templates read. */
export interface TemplateRights {
	/** Author of the templates. A rule runs as the system user, who may view everything, so its author must be given. Default: the user. */
	readonly author?: string | null | undefined;
	/** Scopes of the API key that the execution was started with. Templates read no more than these scopes allow. Default: no limit. */
	readonly scopes?: readonly string[] | null | undefined;
}

/** The configuration of a pack for a run. */
interface ResolvedConfiguration {
	/** Values, including defaults, with templates rendered and secrets decrypted. */
	readonly values: JsonObject;
	/** The values with masked secrets. */
	readonly masked: JsonObject;
	/** Secret strings in `values`. */
	readonly secrets: readonly string[];
}

/** Provides the configurations of packs. */
export interface PackConfigurationSource {
	/**
	 * Returns the configuration for a run of this user; empty if the pack has none. Throws `SVC_INVALID`, which names pack and member, if it
	 * is invalid.
	 */
	resolve(pack: string, username: string): Promise<ResolvedConfiguration>;
	/**
	 * Returns the configuration for `config_context`. To save reading it, the result is empty unless a string in `sources` contains that name.
	 */
	forTemplates(pack: string, username: string, sources: readonly object[]): Promise<ResolvedConfiguration>;
}

/** Sources of the data, other than parameters, that templates can read. */
export interface TemplateSources {
	readonly items: DatastoreSource;
	readonly configuration: PackConfigurationSource;
	/** User whose datastore items templates read if the context names no user. */
	readonly systemUser: string;
	isAdministrator(username: string): Promise<boolean>;
}

/** Default if no feature provides a datastore: it has no items. */
export const noDatastoreSource: DatastoreSource = { accessFor: () => emptyDatastoreAccess, accessForGiven: () => emptyDatastoreAccess };

const empty: ResolvedConfiguration = { values: {}, masked: {}, secrets: [] };
/** Default if no feature provides configurations: no pack has one. */
export const noPackConfiguration: PackConfigurationSource = { resolve: async () => empty, forTemplates: async () => empty };

/**
 * Returns the user whose datastore items the templates of an execution read: `item_user`, else `api_user`, else `user` of the context.
 * `item_user` is set if `api_user` only records a user for whom the caller may not act, such as the writer of a chat command.
 * Only administrators may name other users.
 */
export function toItemUser({ item_user, api_user, user }: JsonObject, systemUser: string): string {
	for (const name of [item_user, api_user, user]) if (typeof name === "string" && name !== "") return name;
	return systemUser;
}
