import { defineTriggerType, ofObject, type TriggerTypeDefinition } from "../../kernel/events/trigger-type-registry.ts";
import { itemTriggerTypeRefs } from "./item-trigger-types-exports.ts";

const object = { type: "object" };
const keyPayload = ofObject({ object });

export const itemTriggerTypes: readonly TriggerTypeDefinition[] = [
	{ type: defineTriggerType(itemTriggerTypeRefs.create, "A datastore item was created.", keyPayload) },
	{ type: defineTriggerType(itemTriggerTypeRefs.update, "An existing datastore item was set.", keyPayload) },
	{
		type: defineTriggerType(
			itemTriggerTypeRefs.valueChange,
			"The value of a datastore item has changed.",
			ofObject({ old_object: object, new_object: object }),
		),
	},
	{ type: defineTriggerType(itemTriggerTypeRefs.delete, "A datastore item was deleted.", keyPayload) },
];
