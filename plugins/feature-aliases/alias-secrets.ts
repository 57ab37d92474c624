import { isDeepStrictEqual } from "node:util";
import { type JsonObject, type JsonValue, SvcError, secretMask } from "../../core/contract/index.ts";
import {
	type ActionCatalog,
	createMaskBudget,
	maskParameters,
	type Principal,
	restoreMaskedValues,
	waitForLoopBudget,
} from "../../core/feature.ts";
import type { ActionAliasEntity } from "./entities.ts";

/** Masks the secrets of aliases: fixed values for secret parameters of the action. */
export class AliasSecrets {
	readonly #catalog: ActionCatalog;

	constructor({ catalog }: { readonly catalog: ActionCatalog }) {
		this.#catalog = catalog;
	}

	/** Returns the aliases with masked secrets. */
	async mask(aliases: readonly ActionAliasEntity[]): Promise<readonly ActionAliasEntity[]> {
		const work = createMaskBudget();
		await waitForLoopBudget();
		return Promise.all(
			aliases.map(async (alias) => ({
				...alias,
				immutable_parameters: await this.#mask(alias.action_ref, alias.immutable_parameters, work),
			})),
		);
	}

	/**
	 * Replaces masks in the fixed values by the stored values. Throws `SVC_INVALID` for a mask without a stored value. Also throws it if a
	 * caller other than an administrator has changed other fixed values, or the formats: a change could send the secret somewhere else.
	 */
	async restore(
		{ action_ref, formats, immutable_parameters: given }: Pick<ActionAliasEntity, "action_ref" | "formats" | "immutable_parameters">,
		old: ActionAliasEntity,
		principal: Principal,
	): Promise<JsonObject> {
		if (action_ref !== old.action_ref) return withoutMask(given);
		const shown = await this.#mask(old.action_ref, old.immutable_parameters);
		const owner = { principal, isDestinationUnchanged: isDeepStrictEqual(formats, old.formats) };
		return withoutMask(restoreMaskedValues("immutable_parameters", given, { masked: shown, stored: old.immutable_parameters }, owner));
	}

	/** Masks secret values. If the action does not exist, all values are masked, because their types are not available. */
	async #mask(actionRef: string, parameters: JsonObject, work = createMaskBudget()): Promise<JsonObject> {
		if (Object.keys(parameters).length === 0) return parameters;
		const resolved = await this.#catalog.resolve(actionRef);
		if (resolved === undefined) return Object.fromEntries(Object.keys(parameters).map((name) => [name, secretMask]));
		return work.run(() => maskParameters(parameters, resolved.action.parameters, resolved.runnerType.runner_parameters));
	}
}

/** Throws `SVC_INVALID` if a value is the mask. */
export function withoutMask(parameters: JsonObject): JsonObject {
	assertNoMask("immutable_parameters", parameters);
	return parameters;
}

function assertNoMask(path: string, value: JsonValue): void {
	if (value === secretMask) {
		throw new SvcError(
			"SVC_INVALID",
			`${path}: "${secretMask}" stands for a hidden value, but no value is stored here; give the actual value`,
		);
	}
	if (typeof value !== "object" || value === null) return;
	for (const [name, member] of Object.entries(value as JsonObject)) assertNoMask(`${path}.${name}`, member);
}
