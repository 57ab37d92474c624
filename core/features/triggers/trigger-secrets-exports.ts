import type { Storage, TriggerEntity } from "../../contract/index.ts";
import { waitForLoopBudget } from "../../language/event-loop-budget.ts";
import { maskMembers, maskWithinBudget } from "../../language/parameters/schema-masking.ts";

/** Returns the triggers with those parameters masked that their trigger types mark as secret. */
export async function maskTriggers(storage: Storage, triggers: readonly TriggerEntity[]): Promise<readonly TriggerEntity[]> {
	const refs = [...new Set(triggers.map(({ type }) => type))];
	if (refs.length === 0) return triggers;
	const types = await storage.find("trigger_type", { where: { ref: { in: refs } }, fields: ["ref", "parameters_schema"] });
	const schemas = new Map(types.map((type) => [type.ref, type.parameters_schema]));
	await waitForLoopBudget();
	return maskWithinBudget(() =>
		triggers.map((trigger) => ({ ...trigger, parameters: maskMembers(trigger.parameters, schemas.get(trigger.type) ?? {}) })),
	);
}
