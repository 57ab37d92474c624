import type { Options } from "../../contract/index.ts";
import { defineTriggerType, ofObject, type TriggerTypeDefinition } from "../../kernel/events/trigger-type-registry.ts";
import { triggerRefs } from "./trigger-type-refs-exports.ts";

const text = { type: "string" };
const object = { type: "object" };
const closed = { additionalProperties: false };

const types = [
	defineTriggerType(
		triggerRefs.action,
		"An execution has ended.",
		ofObject({
			execution_id: text,
			status: text,
			start_timestamp: text,
			action_name: text,
			action_ref: text,
			runner_ref: text,
			parameters: object,
			result: object,
		}),
	),
	defineTriggerType(
		triggerRefs.notify,
		"An execution with notifications has ended; one event for each route.",
		ofObject({
			execution_id: text,
			status: text,
			start_timestamp: text,
			end_timestamp: text,
			action_ref: text,
			runner_ref: text,
			channel: text,
			route: text,
			message: text,
			data: object,
		}),
	),
	defineTriggerType(
		triggerRefs.inquiry,
		"An execution waits for an answer.",
		ofObject({ id: { ...text, required: true }, route: { ...text, required: true } }, closed),
	),
];

/**
 * Returns the trigger types of events that the end of an execution, or its inquiry, creates.
 * The type for the end of every execution is enabled only by the option `action_sensor.enable`.
 */
export function toEndingTypes({ action_sensor }: Pick<Options, "action_sensor">): readonly TriggerTypeDefinition[] {
	return types.map((type) =>
		type.ref === triggerRefs.action ? { type, isEnabled: action_sensor.enable, isKeptForRulesOnly: true } : { type },
	);
}
