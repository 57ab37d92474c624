import { defineTriggerType, ofObject, type TriggerTypeDefinition } from "../../kernel/events/trigger-type-registry.ts";
import { itemRefs } from "./item-refs-api.ts";

const object = { type: "object" };
const keyPayload = ofObject({ object });

/** Trigger types for changes of datastore items. */
export const itemTriggerTypes: readonly TriggerTypeDefinition[] = [
	{ type: defineTriggerType(itemRefs.create, "A datastore item was set that did not exist.", keyPayload) },
	{ type: defineTriggerType(itemRefs.update, "A datastore item that exists was set.", keyPayload) },
	{
		type: defineTriggerType(
			itemRefs.valueChange,
			"The value of a datastore item has changed.",
			ofObject({ old_object: object, new_object: object }),
		),
	},
	{ type: defineTriggerType(itemRefs.delete, "A datastore item was deleted.", keyPayload) },
];
