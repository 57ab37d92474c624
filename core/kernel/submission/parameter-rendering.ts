import type { JsonObject } from "../../contract/index.ts";
import { templateProblem } from "../../language/parameters/parameter-errors.ts";
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

/** The execution whose parameters are rendered, and the permissions of its templates. */
interface RenderScope {
	/** Pack whose configuration is `config_context`. */
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
	/** Secrets in the names and the given parameters, which must not appear in error messages. */
	readonly known?: Redactor;
}

/** Secrets that rendering has read. */
interface DiscoveredSecrets {
	/** Secret values of the pack configuration, and decrypted datastore values. */
	readonly secrets: readonly string[];
}

/** Renders the parameters of a new execution (`renderLive`), with the datastore and configuration that its templates read. */
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
			// Single members are set before the spread: adding one after a spread costs as much as all the others together.
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
 * Calls `render` with the datastores of `accesses`. Decrypted values are added to `secrets`. If rendering fails, neither these nor the
 * `known` secrets appear in the error.
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
		if (masked instanceof TemplateError) throw templateProblem("", `Failed to render parameters: ${masked.message}`, masked);
		throw masked;
	}
}

/** Source of the datastore items that templates look up by name. */
export interface DatastoreSource {
	/** Returns the access for templates of a user. For an execution, the user is `toItemUser(context)`. */
	accessFor(username: string, rights?: TemplateRights): DatastoreAccess;
	/** Returns the access for templates given by a caller who is not an administrator. */
	accessForGiven(username: string, rights: TemplateRights): DatastoreAccess;
}

/** The author and scopes whose permissions limit what templates read. */
export interface TemplateRights {
	/** Author of the templates. A rule runs as the system user, who may view everything, so its author must be given. Default: the user. */
	readonly author?: string | null | undefined;
	/** Scopes of the API key that the execution was started with; templates read no more than these allow. Default: no limit. */
	readonly scopes?: readonly string[] | null | undefined;
}

/** The configuration of a pack as a run gets it. */
interface ResolvedConfiguration {
	/** Values with defaults, with rendered templates and decrypted secrets. */
	readonly values: JsonObject;
	/** The values with masked secrets. */
	readonly masked: JsonObject;
	/** Secret texts in the values. */
	readonly secrets: readonly string[];
}

/** Source of the configurations of packs. */
export interface PackConfigurationSource {
	/** Returns the configuration for a run of this user; empty if the pack has none. Throws `SVC_INVALID`, which names pack and member. */
	resolve(pack: string, username: string): Promise<ResolvedConfiguration>;
	/** Returns the configuration for `config_context`. It is empty unless a string in `sources` contains that name. */
	forTemplates(pack: string, username: string, sources: readonly object[]): Promise<ResolvedConfiguration>;
}

/** Data other than the parameters that templates in parameters can read. */
export interface TemplateSources {
	readonly items: DatastoreSource;
	readonly configuration: PackConfigurationSource;
	/** User whose items templates read if the context names no user. */
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
