import { randomUUID } from "node:crypto";
import {
	isSvcError,
	type JsonObject,
	type Storage,
	SvcError,
	type TriggerEntity,
	type TriggerTypeEntity,
	type WriteOperation,
} from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { createId } from "../../kernel/basics/ids.ts";
import { insertIfAbsent } from "../../kernel/basics/insert-if-absent.ts";
import { assertMatchesSchema } from "../../kernel/events/payload-schema.ts";
import { hashParameters } from "../../kernel/events/trigger-catalog.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { waitForLoopBudget } from "../../language/event-loop-budget.ts";

/** Maximum number of attempts to restore a trigger that other nodes remove concurrently. */
const attempts = 5;

/** Trigger that a rule needs. */
export interface WantedTrigger {
	readonly trigger: TriggerEntity;
	/** Operation to write together with the rule. It inserts the trigger, or fails if the existing one has been removed in the meantime. */
	readonly operation: WriteOperation;
}

/** Creates and removes the triggers of rules. Rules with equal trigger parameters share a trigger. */
export interface RuleTriggers {
	/** Returns the trigger for a rule. Throws `SVC_INVALID` if the type does not exist or does not allow the parameters. */
	want(reference: { readonly type: string; readonly parameters?: JsonObject }): Promise<WantedTrigger>;
	/** Removes a trigger unless a rule still uses it. */
	release(ref: string): Promise<void>;
}

export type RuleTriggerDependencies = Uses<"storage" | "clock" | "logger" | "options" | "dialects"> &
	Pick<Kernel, "triggerCatalog" | "triggerTypes">;

export function createRuleTriggers(parts: RuleTriggerDependencies): RuleTriggers {
	const { storage, clock, triggerCatalog } = parts;

	function check(type: TriggerTypeEntity, parameters: JsonObject): void {
		try {
			assertMatchesSchema(type.parameters_schema, parameters, "trigger.parameters");
			parts.triggerTypes.checkParameters(type.ref, parameters);
		} catch (error) {
			const isRequired = parts.options.system.validate_trigger_parameters || parts.triggerTypes.isAlwaysChecked(type.ref);
			if (isRequired || !isSvcError(error, "SVC_INVALID")) throw error;
			parts.logger.warn("parameters do not match the schema of the trigger type", { trigger_type: type.ref, problem: error });
		}
	}

	function toTrigger(type: TriggerTypeEntity, parameters: JsonObject): TriggerEntity {
		const name = randomUUID();
		return {
			id: createId(clock),
			ref: `${type.pack}.${name}`,
			pack: type.pack,
			name,
			type: type.ref,
			parameters_hash: hashParameters(parameters),
			description: type.description,
			parameters,
		};
	}

	return {
		async want({ type: given, parameters = {} }) {
			const ref = parts.dialects.triggerType(given);
			const type = await triggerCatalog.findType(ref);
			if (type === undefined) throw new SvcError("SVC_INVALID", `trigger.type: trigger type "${ref}" does not exist`);
			await waitForLoopBudget();
			check(type, parameters);
			const known = await triggerCatalog.find(ref, parameters);
			if (known === undefined) {
				const trigger = toTrigger(type, parameters);
				return { trigger, operation: { insert: "trigger", entities: [trigger] } };
			}
			// The update changes nothing. It fails if the trigger has been removed, so that no rule is stored without its trigger.
			return { trigger: known, operation: { update: "trigger", id: known.id, patch: { type: ref }, expected: { type: ref } } };
		},

		async release(ref) {
			const isUsed = async () => (await storage.count("rule", { trigger: ref })) > 0;
			const [trigger] = await storage.find("trigger", { where: { ref }, limit: 1 });
			if (trigger === undefined || isShadow(trigger) || (await isUsed())) return;
			await storage.remove("trigger", { where: { id: trigger.id } });
			// Restore the trigger if a rule was stored between the check and the removal.
			if (await isUsed()) await giveBack(parts, trigger);
		},
	};
}

/** Restores a trigger that was removed although rules use it. */
async function giveBack({ storage, logger }: RuleTriggerDependencies, trigger: TriggerEntity): Promise<void> {
	const { id, ref, type, parameters_hash } = trigger;
	for (let attempt = 1; attempt <= attempts; attempt += 1) {
		// Another node that removed the trigger concurrently restores it as well.
		await insertIfAbsent(() => storage.insert("trigger", [trigger]));
		if ((await storage.get("trigger", id)) !== undefined) return;
		const [like] = await storage.find("trigger", { where: { type, parameters_hash }, limit: 1 });
		if (like !== undefined) await moveRules(storage, ref, like);
		if ((await storage.count("rule", { trigger: ref })) === 0) return;
	}
	logger.error("rules have no trigger because it was removed repeatedly; store the rules again", { trigger: ref });
}

/**
 * Moves rules to an equal trigger, which another rule has created while the old trigger was missing. Skips rules that have changed since
 * they were read.
 */
async function moveRules(storage: Storage, from: string, { id, ref, type }: TriggerEntity): Promise<void> {
	for (const rule of await storage.find("rule", { where: { trigger: from } })) {
		const move: WriteOperation = { update: "rule", id: rule.id, patch: { trigger: ref }, expected: { trigger: from } };
		try {
			await storage.write([{ update: "trigger", id, patch: {}, expected: { type } }, move]);
		} catch (error) {
			if (!isSvcError(error, "SVC_CONFLICT")) throw error;
		}
	}
}

/** Returns true if the trigger was created with its type. Such a trigger is kept as long as the type exists. */
function isShadow({ ref, type }: TriggerEntity): boolean {
	return ref === type;
}
