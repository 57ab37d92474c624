import { defineTriggerType, ofObject, type TriggerTypeDefinition } from "../../kernel/events/own-trigger-types.ts";
import { triggerRefs } from "../triggers/trigger-refs-api.ts";

const object = { type: "object" };
const keyPayload = ofObject({ object });

/** Changes of datastore items (reference 2.6). */
export const itemTriggerTypes: readonly TriggerTypeDefinition[] = [
	{ type: defineTriggerType(triggerRefs.keyCreate, "A datastore item was set that did not exist.", keyPayload) },
	{ type: defineTriggerType(triggerRefs.keyUpdate, "A datastore item that exists was set.", keyPayload) },
	{
		type: defineTriggerType(
			triggerRefs.keyValueChange,
			"The value of a datastore item has changed.",
			ofObject({ old_object: object, new_object: object }),
		),
	},
	{ type: defineTriggerType(triggerRefs.keyDelete, "A datastore item was deleted.", keyPayload) },
];
