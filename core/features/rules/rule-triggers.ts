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
import type { Dialects } from "../../language/dialects.ts";
import { waitForLoopBudget } from "../../language/event-loop-budget.ts";

/** How often a trigger is given back that others remove at the same time. */
const attempts = 5;

/** The trigger a rule asks for. */
export interface WantedTrigger {
	readonly trigger: TriggerEntity;
	/** To be written with the rule: makes the trigger, or fails when it has gone in the meantime. */
	readonly operation: WriteOperation;
}

/** Gives rules their triggers, which those with equal parameters share. */
export interface RuleTriggers {
	/** `SVC_INVALID` for a type that does not exist and parameters it does not allow. */
	want(reference: { readonly type: string; readonly parameters?: JsonObject }): Promise<WantedTrigger>;
	/** A rule has let go of a trigger: it goes with its last rule. */
	release(ref: string): Promise<void>;
}

export interface RuleTriggerOptions
	extends Uses<"storage" | "clock" | "logger" | "options">,
		Pick<Kernel, "triggerCatalog" | "triggerTypes"> {
	readonly dialects: Pick<Dialects, "triggerType">;
}

export function createRuleTriggers(parts: RuleTriggerOptions): RuleTriggers {
	const { storage, clock, triggerCatalog } = parts;

	function check(type: TriggerTypeEntity, parameters: JsonObject): void {
		try {
			assertMatchesSchema(type.parameters_schema, parameters, "trigger.parameters");
			parts.triggerTypes.checkParameters(type.ref, parameters);
		} catch (error) {
			const isRequired = parts.options.system.validate_trigger_parameters || parts.triggerTypes.isAlwaysChecked(type.ref);
			if (isRequired || !isSvcError(error, "SVC_INVALID")) throw error;
			parts.logger.warn("parameters are not what the trigger type allows", { trigger_type: type.ref, problem: error });
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
			if (type === undefined) throw new SvcError("SVC_INVALID", `trigger.type: there is no trigger type "${ref}"`);
			await waitForLoopBudget();
			check(type, parameters);
			const known = await triggerCatalog.find(ref, parameters);
			if (known === undefined) {
				const trigger = toTrigger(type, parameters);
				return { trigger, operation: { insert: "trigger", entities: [trigger] } };
			}
			// Changes nothing, and is refused once the trigger is no longer there.
			return { trigger: known, operation: { update: "trigger", id: known.id, patch: { type: ref }, expected: { type: ref } } };
		},

		async release(ref) {
			const isUsed = async () => (await storage.count("rule", { trigger: ref })) > 0;
			const [trigger] = await storage.find("trigger", { where: { ref }, limit: 1 });
			if (trigger === undefined || isShadow(trigger) || (await isUsed())) return;
			await storage.remove("trigger", { where: { id: trigger.id } });
			// A rule was stored between the look and the removal.
			if (await isUsed()) await giveBack(parts, trigger);
		},
	};
}

/** Make a trigger again that was removed under rules which want it. */
async function giveBack({ storage, logger }: RuleTriggerOptions, trigger: TriggerEntity): Promise<void> {
	const { id, ref, type, parameters_hash } = trigger;
	for (let attempt = 1; attempt <= attempts; attempt += 1) {
		// Whoever has let go of it at the same time gives it back as well.
		await insertIfAbsent(() => storage.insert("trigger", [trigger]));
		if ((await storage.get("trigger", id)) !== undefined) return;
		const [like] = await storage.find("trigger", { where: { type, parameters_hash }, limit: 1 });
		if (like !== undefined) await moveRules(storage, ref, like);
		if ((await storage.count("rule", { trigger: ref })) === 0) return;
	}
	logger.error("rules are left without their trigger, as it is removed again and again; store them once more", { trigger: ref });
}

/** A rule that came while a trigger was away has had the like made: it is there for all. What is no longer as it was is left as it is. */
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

/** Whether a trigger came with its type, and stays as long as that. */
function isShadow({ ref, type }: TriggerEntity): boolean {
	return ref === type;
}
