import type { JsonObject } from "../contract/index.ts";
import type { DatastoreItems } from "./datastore/items-api.ts";
import { toItemUser } from "./datastore/template-access.ts";
import type { PackConfigs, ResolvedPackConfig } from "./pack-config/pack-configs-api.ts";
import { templateProblem } from "./parameters/problems.ts";
import { type FinalInput, type FinalParameters, type LiveInput, type RenderContext, renderFinal, renderLive } from "./parameters/render.ts";
import { type Datastore, type DatastoreAccess, renderWithLookups } from "./templates/datastore.ts";
import { TemplateError } from "./templates/errors.ts";

/** What the templates of parameters read besides the parameters: datastore and pack configuration. */
export interface TemplateSources {
	readonly datastore: DatastoreItems;
	readonly packConfigs: PackConfigs;
	/** Whose items `svckv.user` stands for where a context names nobody. */
	readonly systemUser: string;
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
}

/** `renderLive` with datastore and pack configuration. */
export async function renderSubmitted(
	input: Omit<LiveInput, "context" | "datastore">,
	{ pack, context, names, author }: RenderedFor,
	sources: TemplateSources,
): Promise<JsonObject> {
	const user = toItemUser(context, sources.systemUser);
	const config_context = await sources.packConfigs.forTemplates(pack, user, [input.given, input.actionSchema, input.runnerSchema]);
	const available = { ...names, action_context: context, config_context };
	return withDatastore(sources.datastore.accessFor(user, author), (datastore) => renderLive({ ...input, context: available, datastore }));
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
	const parameters = await withDatastore(sources.datastore.accessFor(user, author), (datastore) =>
		renderFinal({ ...input, context: names, datastore }),
	);
	return { ...parameters, config };
}

async function withDatastore<T>(access: DatastoreAccess, render: (datastore: Datastore) => T): Promise<T> {
	try {
		return await renderWithLookups(access, render);
	} catch (error) {
		if (error instanceof TemplateError) throw templateProblem("", `Failed to render parameters: ${error.message}`, error);
		throw error;
	}
}
