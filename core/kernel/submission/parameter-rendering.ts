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
import { type Datastore, type DatastoreAccess, emptyDatastore, renderWithAllLookups } from "../../language/templates/datastore.ts";
import { TemplateError } from "../../language/templates/errors.ts";
import { noteDecrypted } from "../../secrets/encrypted-secrets.ts";
import { KnownSecrets } from "../../secrets/redactor.ts";
import type { ParameterWriter } from "../executions/executions-api.ts";
import { type ResolvedConfiguration, type TemplateSources, toItemUser } from "./template-sources.ts";

/** The execution whose parameters are rendered. */
export interface RenderedFor {
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
export interface Learnt {
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
