import { isDeepStrictEqual } from "node:util";
import { type JsonObject, type JsonValue, type RuleEntity, SvcError, type TriggerEntity } from "../../contract/index.ts";
import { secretMask } from "../../contract/secret-mask.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { waitForLoopBudget } from "../../language/event-loop-budget.ts";
import { createMaskBudget, maskParameters } from "../../language/parameters/schema-masking.ts";
import { maskExecutionParameters } from "../../secrets/parameter-masking.ts";
import { type RestoreMaskedOptions, restoreMaskedValues } from "../../secrets/restore-masked.ts";
import { maskTriggers } from "../triggers/trigger-secrets-exports.ts";
import type { RuleInput, RuleView } from "./rules-exports.ts";

export type RuleSecretsDependencies = Uses<"storage"> & Pick<Kernel, "catalog">;

/** Masks and restores the secret values of rules: values for secret parameters of the action and of the trigger type. */
export class RuleSecrets {
	readonly #parts: RuleSecretsDependencies;

	constructor(parts: RuleSecretsDependencies) {
		this.#parts = parts;
	}

	/** Returns rendered parameters for an action with secret values masked. */
	async maskRendered(actionRef: string, parameters: JsonObject): Promise<JsonObject> {
		const resolved = await this.#parts.catalog.resolve(actionRef);
		return resolved === undefined ? this.#maskAction(actionRef, parameters) : maskExecutionParameters(parameters, resolved.snapshot);
	}

	/** Returns rules with secret values masked. */
	async mask(views: readonly RuleView[]): Promise<readonly RuleView[]> {
		const triggers = await maskTriggers(
			this.#parts.storage,
			views.flatMap(({ trigger }) => trigger ?? []),
		);
		const byRef = new Map(triggers.map((trigger) => [trigger.ref, trigger]));
		const work = createMaskBudget();
		await waitForLoopBudget();
		return Promise.all(
			views.map(async ({ rule, trigger }) => ({
				rule: { ...rule, action_parameters: await this.#maskAction(rule.action_ref, rule.action_parameters, work) },
				trigger: trigger && byRef.get(trigger.ref),
			})),
		);
	}

	/**
	 * Returns an update in which each mask is replaced by the stored value. Throws `SVC_INVALID` if no value is stored. Unless the principal
	 * is an administrator, also throws if the update keeps a hidden value but changes which events, or which destination, receive it.
	 */
	async restore(input: RuleInput, old: RuleEntity, principal: Principal): Promise<RuleInput> {
		const [kept] = await this.#parts.storage.find("trigger", { where: { ref: old.trigger }, limit: 1 });
		const trigger = await this.#restoreTrigger(input, kept, principal);
		const isSameEvent =
			input.trigger.type === old.trigger_type &&
			isDeepStrictEqual(trigger, kept?.parameters) &&
			isDeepStrictEqual(input.criteria ?? {}, old.criteria);
		const action = await this.#restoreAction(input, old, { principal, isDestinationUnchanged: isSameEvent });
		assertNoMask("action.parameters", action);
		assertNoMask("trigger.parameters", trigger);
		return { ...input, action: { ...input.action, parameters: action }, trigger: { ...input.trigger, parameters: trigger } };
	}

	/** Throws `SVC_INVALID` if the parameters contain the mask. */
	assertNoMask(parameters: JsonObject): void {
		assertNoMask("action.parameters", parameters);
	}

	/** Masks the secret parameters of an action. If the action does not exist, the secret ones are unknown, so all are masked. */
	async #maskAction(actionRef: string, parameters: JsonObject, work = createMaskBudget()): Promise<JsonObject> {
		const resolved = await this.#parts.catalog.resolve(actionRef);
		if (resolved === undefined) return Object.fromEntries(Object.keys(parameters).map((name) => [name, secretMask]));
		return work.run(() => maskParameters(parameters, resolved.action.parameters, resolved.runnerType.runner_parameters));
	}

	async #restoreAction({ action }: RuleInput, old: RuleEntity, owner: RestoreMaskedOptions): Promise<JsonObject> {
		const given = action.parameters ?? {};
		if (action.ref !== old.action_ref) return given;
		const shown = await this.#maskAction(old.action_ref, old.action_parameters);
		return restoreMaskedValues("action.parameters", given, { masked: shown, stored: old.action_parameters }, owner);
	}

	/** Restores masked parameters of the trigger, only if its type is unchanged: another type could disclose the value. */
	async #restoreTrigger({ trigger }: RuleInput, kept: TriggerEntity | undefined, principal: Principal): Promise<JsonObject> {
		const given = trigger.parameters ?? {};
		if (kept === undefined || kept.type !== trigger.type) return given;
		const [{ parameters: shown } = kept] = await maskTriggers(this.#parts.storage, [kept]);
		return restoreMaskedValues("trigger.parameters", given, { masked: shown, stored: kept.parameters }, { principal });
	}
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
