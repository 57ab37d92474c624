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
import { type Datastore, type DatastoreAccess, emptyDatastore, noItems, renderWithAllLookups } from "../../language/templates/datastore.ts";
import { TemplateError } from "../../language/templates/errors.ts";
import { noteDecrypted } from "../../secrets/encrypted-secrets.ts";
import { KnownSecrets } from "../../secrets/redactor.ts";
import type { ParameterWriter } from "../executions/executions-api.ts";

/** The execution whose parameters are rendered. */
interface RenderedFor {
	/** Its pack, which `config_context` is of. */
	readonly pack: string;
	readonly context: JsonObject;
	/** Further names, such as `trigger`. */
	readonly names?: RenderContext | undefined;
	/** Whose permissions on datastore items count; default the user's. */
	readonly author?: string | null | undefined;
	/** Scopes of the API key that the execution was started with. Default: no limit. */
	readonly scopes?: readonly string[] | null | undefined;
	/** Author and scopes that count for templates in the given parameters, instead of `author` and `scopes`. Default: the same. */
	readonly writer?: Pick<ParameterWriter, "author" | "scopes"> | undefined;
	/** Set where templates in what was given may read no secret of the action or its pack. */
	readonly isGuarded?: boolean;
	/** What is secret among the names and what was given, and must not be in a message. */
	readonly known?: KnownSecrets;
}

/** What rendering has found out. */
interface Learnt {
	/** Values that are secret: of the configuration that was read, and of what was decrypted. */
	readonly secrets: readonly string[];
}

/** `renderLive` with what templates read. */
export async function renderSubmitted(
	input: Omit<LiveInput, "context" | "datastore">,
	{ pack, context, names, author, scopes, writer, isGuarded = false, known }: RenderedFor,
	{ items, configuration, systemUser }: TemplateSources,
): Promise<Learnt & { readonly parameters: JsonObject }> {
	const user = toItemUser(context, systemUser);
	const schemas = [input.actionSchema, input.runnerSchema];
	const config = await configuration.forTemplates(pack, user, isGuarded ? schemas : [input.given, ...schemas]);
	const available = Object.assign({}, names, { action_context: context, config_context: config.values });
	const rights = { author, scopes };
	const givenRights = writer ?? rights;
	const accesses = [items.accessFor(user, rights)];
	if (isGuarded) accesses.push(items.accessForGiven(user, givenRights));
	else if (writer !== undefined) accesses.push(items.accessFor(user, givenRights));
	const secrets = [...config.secrets];
	const parameters = await withDatastores(accesses, { secrets, known }, (datastore, given) =>
		renderLive({
			// Named before what is spread: behind a spread each of them costs as much as all the rest.
			context: available,
			datastore,
			givenDatastore: given,
			guard: isGuarded ? { maskedConfig: config.masked } : undefined,
			...input,
		}),
	);
	return { parameters, secrets };
}

/** `renderFinal` with what templates read, and the configuration of the pack. */
export async function renderForRun(
	input: Omit<FinalInput, "context" | "datastore">,
	{ pack, context, author, scopes, known }: RenderedFor,
	sources: TemplateSources,
): Promise<FinalParameters & Learnt & { readonly config: ResolvedConfiguration }> {
	const user = toItemUser(context, sources.systemUser);
	const config = await sources.configuration.resolve(pack, user);
	const names = { action_context: context, config_context: config.values };
	const secrets = [...config.secrets];
	const parameters = await withDatastores([sources.items.accessFor(user, { author, scopes })], { secrets, known }, (datastore) =>
		renderFinal({ context: names, datastore, ...input }),
	);
	return { config, secrets, ...parameters };
}

/** What is decrypted goes to `secrets`, and neither that nor what else is known gets into the message of what fails. */
async function withDatastores<T>(
	accesses: readonly DatastoreAccess[],
	{ secrets, known = KnownSecrets.none }: { readonly secrets: string[]; readonly known: KnownSecrets | undefined },
	render: (datastore: Datastore, given: Datastore) => T,
): Promise<T> {
	try {
		const noted = accesses.map((access) => noteDecrypted(access, secrets));
		return await renderWithAllLookups(noted, ([own = emptyDatastore, given = own]) => render(own, given));
	} catch (error) {
		const shown = known.with(secrets).error(error);
		if (shown instanceof TemplateError) throw templateProblem("", `Failed to render parameters: ${shown.message}`, shown);
		throw shown;
	}
}

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
interface ResolvedConfiguration {
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
