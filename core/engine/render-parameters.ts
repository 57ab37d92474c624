import type { JsonObject } from "../contract/index.ts";
import type { DatastoreItems } from "./datastore/items-api.ts";
import { toItemUser } from "./datastore/template-access.ts";
import type { PackConfigs, ResolvedPackConfig } from "./pack-config/pack-configs-api.ts";
import { templateProblem } from "./parameters/problems.ts";
import { type FinalInput, type FinalParameters, type LiveInput, type RenderContext, renderFinal, renderLive } from "./parameters/render.ts";
import { type Datastore, type DatastoreAccess, emptyDatastore, renderWithAllLookups } from "./templates/datastore.ts";
import { TemplateError } from "./templates/errors.ts";

/** What the templates of parameters read besides the parameters: datastore and pack configuration. */
export interface TemplateSources {
	readonly datastore: DatastoreItems;
	readonly packConfigs: PackConfigs;
	/** Whose items `svckv.user` stands for where a context names nobody. */
	readonly systemUser: string;
	isAdministrator(username: string): Promise<boolean>;
}

/** The execution whose parameters are rendered. */
export interface RenderedFor {
	/** Its pack, which `config_context` is of. */
	readonly pack: string;
	readonly context: JsonObject;
	/** Further names, such as `trigger`. */
	readonly names?: RenderContext | undefined;
	/** Whose permissions on datastore items count; default the user's. */
	readonly author?: string | undefined;
	/** Set where templates in what was given may read no secret of the action or its pack. */
	readonly guard?: GivenGuard | undefined;
}

/** Whoever gave the parameters is no administrator. */
export interface GivenGuard {
	/** Of the API key in use. */
	readonly scopes?: readonly string[] | undefined;
}

/** `renderLive` with datastore and pack configuration. */
export async function renderSubmitted(
	input: Omit<LiveInput, "context" | "datastore">,
	{ pack, context, names, author, guard }: RenderedFor,
	{ datastore: items, packConfigs, systemUser }: TemplateSources,
): Promise<JsonObject> {
	const user = toItemUser(context, systemUser);
	const schemas = [input.actionSchema, input.runnerSchema];
	const config = await packConfigs.forTemplates(pack, user, guard === undefined ? [input.given, ...schemas] : schemas);
	const available = { ...names, action_context: context, config_context: config.values };
	const own = items.accessFor(user, author);
	if (guard === undefined) return withDatastores([own], (datastore) => renderLive({ ...input, context: available, datastore }));
	return withDatastores([own, items.accessForGiven(user, { author, ...guard })], (datastore, given) =>
		renderLive({ ...input, context: available, datastore, guard: { datastore: given, maskedConfig: config.masked } }),
	);
}

/** `renderFinal` with datastore and pack configuration, and that configuration. */
export async function renderForRun(
	input: Omit<FinalInput, "context" | "datastore">,
	{ pack, context, author }: RenderedFor,
	sources: TemplateSources,
): Promise<FinalParameters & { readonly config: ResolvedPackConfig }> {
	const user = toItemUser(context, sources.systemUser);
	const config = await sources.packConfigs.resolve(pack, user);
	const names = { action_context: context, config_context: config.values };
	const parameters = await withDatastores([sources.datastore.accessFor(user, author)], (datastore) =>
		renderFinal({ ...input, context: names, datastore }),
	);
	return { ...parameters, config };
}

async function withDatastores<T>(accesses: readonly DatastoreAccess[], render: (datastore: Datastore, given: Datastore) => T): Promise<T> {
	try {
		return await renderWithAllLookups(accesses, ([own = emptyDatastore, given = own]) => render(own, given));
	} catch (error) {
		if (error instanceof TemplateError) throw templateProblem("", `Failed to render parameters: ${error.message}`, error);
		throw error;
	}
}
