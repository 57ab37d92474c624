import type { JsonObject, Storage, TriggerEntity } from "../../contract/index.ts";
import { secretMask } from "../../contract/secret-mask.ts";
import { waitForLoopBudget } from "../../language/event-loop-budget.ts";
import { maskMembers, maskWithinBudget } from "../../language/parameters/schema-masking.ts";

/** Returns the triggers with those parameters masked that their trigger types mark as secret; see `maskTrigger`. */
export async function maskTriggers(storage: Storage, triggers: readonly TriggerEntity[]): Promise<readonly TriggerEntity[]> {
	const refs = [...new Set(triggers.map(({ type }) => type))];
	if (refs.length === 0) return triggers;
	const types = await storage.find("trigger_type", { where: { ref: { in: refs } }, fields: ["ref", "parameters_schema"] });
	const schemas = new Map(types.map((type) => [type.ref, type.parameters_schema]));
	await waitForLoopBudget();
	return maskWithinBudget(() => triggers.map((trigger) => maskTrigger(trigger, schemas.get(trigger.type))));
}

/**
 * Returns a trigger with those parameters masked that the schema marks as secret. If the type of the trigger has been deleted, the secret ones
 * are unknown, so all are masked.
 *
 * @param schema `parameters_schema` of the type; undefined if the type does not exist
 */
export function maskTrigger(trigger: TriggerEntity, schema: JsonObject | undefined): TriggerEntity {
	const { parameters } = trigger;
	const hidden = () => Object.fromEntries(Object.keys(parameters).map((name) => [name, secretMask]));
	return { ...trigger, parameters: schema === undefined ? hidden() : maskMembers(parameters, schema) };
}
