import type { ActionSnapshotEntity, ExecutionEntity, JsonObject } from "../../contract/index.ts";
import { toTemplateError } from "../../language/parameters/parameter-errors.ts";
import { type FinalParameters, type RenderContext, renderFinal, renderLive } from "../../language/parameters/render.ts";
import {
	type Datastore,
	type DatastoreAccess,
	emptyDatastore,
	emptyDatastoreAccess,
	renderWithAllLookups,
} from "../../language/templates/datastore.ts";
import { TemplateError } from "../../language/templates/errors.ts";
import { collectDecrypted } from "../../secrets/encrypted-secrets.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import type { Uses } from "../basics/engine-parts.ts";
import type { ResolvedAction } from "../executions/action-catalog.ts";
import type { SubmitInput } from "../executions/executions-api.ts";

/** A drafted execution whose parameters are rendered. */
interface RenderedDraft {
	readonly action: ResolvedAction;
	readonly draft: ExecutionEntity;
	/** Further names that templates may use, such as `trigger`. */
	readonly names: RenderContext | undefined;
	/** True if templates in the given parameters must not read secrets of the action or its pack. */
	readonly isGuarded: boolean;
}

/** Secrets that rendering has read. */
interface DiscoveredSecrets {
	/** Secret values of the pack configuration, and decrypted datastore values. */
	readonly secrets: readonly string[];
}

/** Renders the parameters of a new execution (`renderLive`), with access to the datastore and the configuration of its pack. */
export async function renderSubmitted(
	{ sealedSecrets, templateSources }: Uses<"sealedSecrets"> & { readonly templateSources: TemplateSources },
	{ parameters: callerValues = {}, plainParameters: earlierValues = {}, literalParameters: literalNames = [], writer }: SubmitInput,
	{ action: { action, runnerType, snapshot }, draft, names, isGuarded }: RenderedDraft,
): Promise<DiscoveredSecrets & { readonly parameters: JsonObject }> {
	const { items, configuration, systemUser } = templateSources;
	const { context, known_secrets } = draft;
	const runnerSchema = runnerType.runner_parameters;
	const actionSchema = action.parameters;
	// These secrets must not appear in error messages.
	const known = sealedSecrets.decryptForExecution({ known_secrets, parameters: { ...earlierValues, ...callerValues } }, snapshot);
	const user = toDatastoreUser(context, systemUser);
	const schemas = [actionSchema, runnerSchema];
	const config = await configuration.forTemplates(action.pack, user, isGuarded ? schemas : [callerValues, ...schemas]);
	const available = Object.assign({}, names, { action_context: context, config_context: config.values });
	const accesses = [items.accessFor(user, draft)];
	if (isGuarded) accesses.push(items.accessForGiven(user, writer ?? draft));
	else if (writer !== undefined) accesses.push(items.accessFor(user, writer));
	const secrets = [...config.secrets];
	const parameters = await withDatastores(accesses, { secrets, known }, (datastore, callerDatastore) =>
		renderLive({
			runnerSchema,
			actionSchema,
			callerValues,
			earlierValues,
			literalNames,
			context: available,
			datastore,
			callerDatastore,
			secretGuard: isGuarded ? { maskedConfig: config.masked } : undefined,
		}),
	);
	return { parameters, secrets };
}

/**
 * Renders the parameters for a run (`renderFinal`). Returns them with the configuration of the pack. Secrets in `known` do not appear in
 * error messages.
 */
export async function renderForRun(
	{ items, configuration, systemUser }: TemplateSources,
	execution: ExecutionEntity,
	{ snapshot: { action, runner }, known }: { readonly snapshot: ActionSnapshotEntity; readonly known: Redactor },
): Promise<FinalParameters & DiscoveredSecrets & { readonly config: ResolvedConfiguration }> {
	const { context, parameters: storedParameters } = execution;
	const user = toDatastoreUser(context, systemUser);
	const config = await configuration.resolve(action.pack, user);
	const names = { action_context: context, config_context: config.values };
	const secrets = [...config.secrets];
	const parameters = await withDatastores([items.accessFor(user, execution)], { secrets, known }, (datastore) =>
		renderFinal({ runnerSchema: runner.runner_parameters, actionSchema: action.parameters, storedParameters, context: names, datastore }),
	);
	return { config, secrets, ...parameters };
}

/**
 * Calls `render` with the datastores of `accesses`. Adds decrypted datastore values to `secrets`. If rendering fails, neither these values
 * nor the `known` secrets appear in the error.
 */
async function withDatastores<T>(
	accesses: readonly DatastoreAccess[],
	{ secrets, known }: { readonly secrets: string[]; readonly known: Redactor },
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
	/** Returns the datastore access for templates of a user. For an execution, that user is `toDatastoreUser(context)`. */
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
export function toDatastoreUser({ item_user, api_user, user }: JsonObject, systemUser: string): string {
	for (const name of [item_user, api_user, user]) if (typeof name === "string" && name !== "") return name;
	return systemUser;
}
